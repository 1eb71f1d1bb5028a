cp "$SOURCE/tests/golden/version-9.trace" trace
foretrace dump --mpi trace
foretrace dump --mpi --json trace | sed -n '8p;23p'
foretrace verify --thorough trace
