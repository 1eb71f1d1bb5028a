cp "$SOURCE/tests/golden/version-9-groups.trace" trace
foretrace dump --mpi trace
foretrace verify --thorough trace
