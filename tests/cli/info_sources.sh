# Source files that a trace, histograms and a model of the newest versions keep.
cd "$SOURCE/tests/golden" || exit 1
for file in version-10.trace version-11.histograms version-9.model; do
    foretrace info "$file" | grep -A 1 '^source file'
done
foretrace info --json version-10.trace | grep -A 5 '"sources": '
foretrace verify version-10.trace
