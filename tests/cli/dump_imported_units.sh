foretrace dump --units "$SOURCE/tests/golden/version-2.trace"
