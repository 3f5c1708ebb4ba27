break a.c:7
run
bt
echo stepped\n
next
