cp "$SOURCE/tests/golden/version-2.trace" trace
foretrace verify --thorough trace
