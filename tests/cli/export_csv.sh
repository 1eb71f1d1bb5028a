foretrace export -f csv "$SOURCE/tests/golden/version-1.trace" | head -n 40
