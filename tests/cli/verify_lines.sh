cp "$SOURCE/tests/golden/version-8.trace" trace
foretrace verify --thorough trace
foretrace structure --all trace
foretrace verify --repair copy trace
foretrace structure --all copy | diff <(foretrace structure --all trace) -
cp "$SOURCE/tests/golden/version-1.trace" early
foretrace info --json early | grep '"lines"'
