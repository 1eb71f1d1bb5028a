foretrace dump "$SOURCE/tests/golden/version-2.trace"
