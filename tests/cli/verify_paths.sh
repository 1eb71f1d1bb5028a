cp "$SOURCE/tests/golden/version-3-paths.trace" trace
foretrace verify --thorough trace
