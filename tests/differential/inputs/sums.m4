dnl Input of the differential suite.
define(`sum', `ifelse($1, 0, 0, `eval($1 + sum(decr($1)))')')dnl
sum(N) translit(`hello', `a-z', `A-Z') len(esyscmd(`echo child'))
