foretrace export -f lackey "$SOURCE/tests/golden/version-1.trace" | head -n 40
