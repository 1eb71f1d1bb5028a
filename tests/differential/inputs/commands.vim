%s/line/LINE/g
g/99/d
sort n
w
q
