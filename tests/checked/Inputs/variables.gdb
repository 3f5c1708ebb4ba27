break variables.c:10 if p.x == 5
run
info args
next
info locals
delete
break variables.c:23 if t.local[0] == 2
continue
info args
info locals
print t.global[0]
print own.y
print in[1]
print *other
delete
continue
