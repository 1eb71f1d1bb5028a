foretrace dump --units "$SOURCE/tests/golden/version-3-paths.trace" | grep -A 32 -m 1 'path'
