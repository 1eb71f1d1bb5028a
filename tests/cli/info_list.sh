for version in 1 2 3; do
    cp "$SOURCE/tests/golden/version-$version.trace" .
done
foretrace info version-1.trace version-2.trace version-3.trace
foretrace info --csv version-2.trace
