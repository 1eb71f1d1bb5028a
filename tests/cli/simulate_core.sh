cp "$SOURCE/tests/golden/version-4.trace" trace
foretrace simulate --core --machine amd-zen5 --loops 4 trace
foretrace simulate --core --machine amd-zen5 --loops 2 --windows 3 --window-size 100 trace
