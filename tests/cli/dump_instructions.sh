foretrace dump --from 108 --count 8 "$SOURCE/tests/golden/version-1.trace"
