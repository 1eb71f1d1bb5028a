cp "$SOURCE/tests/golden/version-4.trace" trace
foretrace simulate --core --machine amd-zen5 --csv --loops 1 trace
foretrace simulate --core --machine amd-zen5 --json --loops 1 trace
