cp "$SOURCE/tests/golden/version-3.trace" trace
foretrace info trace
