# The same accesses, whether from the start or found in the middle: in another chunk, within a loop.
for from in 50 2239 2300 4479; do
    foretrace dump --accesses --from $from --count 3 "$SOURCE/tests/golden/version-1.trace"
    foretrace dump --accesses "$SOURCE/tests/golden/version-1.trace" | grep -v prefetch | sed -n "$((from + 1)),$((from + 3))p" >expected
    foretrace dump --accesses --from $from --count 3 "$SOURCE/tests/golden/version-1.trace" | grep -v prefetch | diff expected -
done
