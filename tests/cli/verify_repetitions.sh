cp "$SOURCE/tests/golden/version-11.trace" trace
foretrace verify trace
foretrace info --json trace | grep '"accesses"'
# 5000 repetitions of 8194 accesses lie between
foretrace dump --accesses --from 20000000 --count 8194 trace | cksum
foretrace dump --accesses --from 60970000 --count 8194 trace | cksum
foretrace verify --repair copy trace
foretrace verify copy
