cp "$SOURCE/tests/golden/version-4.trace" trace
foretrace simulate --core --machine amd-zen5 --loops 4 trace
foretrace simulate --core --machine amd-zen5 --loops 2 --windows 3 --window-size 100 trace
foretrace simulate --core --machine amd-zen5 --csv --loops 1 trace
foretrace simulate --core --machine amd-zen5 --json --loops 1 trace | grep -E "cycles|windows|branches"
