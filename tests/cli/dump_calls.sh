cp "$SOURCE/tests/golden/version-3.trace" trace
foretrace dump --calls trace
foretrace dump --from 43 trace
