set confirm off
break rows if idx[0] == 3 && idx[1] == 4
run
bt 1
info args
print idx[0]
print *idx@2
next
step
next
next
next
next
info locals
print ((float (*)[6])a)[row][k]
up
info locals
down
finish
info locals
next
next
print value
delete
tbreak variables.c:30 if column == 2
continue
print value
set var value = 200
tbreak sums if t.global[0] == 2
continue
next
step
bt 2
info args
next
info locals
next
info locals
next
info locals
tbreak variables.c:41 if t.global[0] == 2
continue
info args
info locals
print t.local[0]
print own.y
print in[1]
print *other
print part[3]
continue
