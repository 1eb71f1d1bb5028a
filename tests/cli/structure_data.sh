cp "$SOURCE/tests/golden/version-5-variables.trace" trace
foretrace structure --data --loops 5 trace
foretrace structure --data --json trace | grep -c object
cp "$SOURCE/tests/golden/version-4.trace" early
foretrace structure --data --loops 2 early
