cp "$SOURCE/tests/golden/version-6.trace" trace
foretrace verify --thorough trace
foretrace info --json trace | grep -E '"(instructions|accesses)"'
foretrace dump --units trace | cksum
foretrace replay -o histograms trace
