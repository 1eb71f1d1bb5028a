foretrace dump --records --count 240 "$SOURCE/tests/golden/version-1.trace"
