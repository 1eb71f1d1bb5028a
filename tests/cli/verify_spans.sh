cp "$SOURCE/tests/golden/version-5.trace" trace
foretrace verify --thorough trace
foretrace info --json trace | grep '"accesses"'
foretrace dump --records trace | cksum
