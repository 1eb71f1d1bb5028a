cp "$SOURCE/tests/golden/version-1.trace" trace
foretrace info trace
