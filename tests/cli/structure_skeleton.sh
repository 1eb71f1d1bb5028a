cp "$SOURCE/tests/golden/version-5-variables.trace" trace
foretrace structure --skeleton --loops 5 trace | head -n 10
foretrace structure --skeleton trace | sed -n '/^Irregular/,$p'
foretrace structure --skeleton --json trace | grep -c iterations
foretrace structure --skeleton --trips trace
