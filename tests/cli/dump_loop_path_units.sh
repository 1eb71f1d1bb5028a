foretrace dump --units "$SOURCE/tests/golden/version-4.trace" | grep -A 17 -m 1 'loop path'
