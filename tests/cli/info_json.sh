foretrace info --json "$SOURCE/tests/golden/version-1.trace"
