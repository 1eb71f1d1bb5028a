cp "$SOURCE/tests/golden/version-7.trace" trace
foretrace verify --thorough trace
foretrace info --json trace | grep '"accesses"'
foretrace dump --accesses trace | cksum
cp "$SOURCE/tests/golden/version-3-paths.trace" early
foretrace info --json early | grep '"accesses"'
foretrace dump --accesses early | cksum
