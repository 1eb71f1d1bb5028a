foretrace dump --accesses --count 120 "$SOURCE/tests/golden/version-1.trace"
