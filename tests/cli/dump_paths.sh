foretrace dump --from 5000 --count 24 "$SOURCE/tests/golden/version-3-paths.trace"
