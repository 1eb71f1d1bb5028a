foretrace dump --units "$SOURCE/tests/golden/version-1.trace"
