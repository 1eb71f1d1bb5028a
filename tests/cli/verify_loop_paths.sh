cp "$SOURCE/tests/golden/version-4.trace" trace
foretrace verify --thorough trace
