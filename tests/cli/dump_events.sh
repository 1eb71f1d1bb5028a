foretrace dump --events "$SOURCE/tests/golden/version-1.trace"
