cp "$SOURCE/tests/golden/version-9.trace" trace
foretrace info --mpi trace
foretrace info --mpi --csv trace | tail -n +2
foretrace info --mpi --json trace | head -n 12
