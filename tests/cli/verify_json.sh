# Of a whole trace, of one that was cut off, of its repaired copy, and of histograms.
cp "$SOURCE/tests/golden/version-10.trace" whole.h5
foretrace verify --json whole.h5
head -c 5000 whole.h5 >cut.h5.partial
foretrace verify --json cut.h5.partial
foretrace verify --json --repair again.h5 whole.h5 | grep repaired
cp "$SOURCE/tests/golden/version-1.histograms" old.histograms
foretrace verify --json old.histograms
