# Numbers are masked. How far two halves of a second differ is chance, whether it pays to pay less depends on
# the build, and lines are broken by numbers.
export COLUMNS=1000
unset TMPDIR
cp "$STATIC_SAMPLES/triad" "$STATIC_SAMPLES/stencil" .
mask() {
    sed -E 's/\b[0-9]+(\.[0-9]+)? ?(ns|us|ms|s|h|k|M|G|T|KiB|MiB|GiB|B|bytes)?( |,|:|$)/N\3/g; s/ +/ /g; s/ $//
        /^- foretrace took /d; /^- To pay less/d' "$1" | fold -s -w 80 | sed 's/ *$//'
}
foretrace capture --estimate -- ./triad 1000 1 2>report
echo "exit status $?"
mask report
foretrace capture --estimate --max-time 3 -- ./stencil 64 4000000 2>report
echo "exit status $?"
mask report
foretrace capture --estimate --counts --max-time 3 -- ./stencil 64 4000000 2>report
echo "exit status $?"
mask report
foretrace capture --estimate --skip 1M --for 1M -- ./stencil 64 4000000 2>report
echo "exit status $?"
mask report
foretrace capture --estimate -- sh -c 'exit 3' 2>report
echo "exit status $?"
foretrace capture --estimate -o trace -- ./triad 1000 1
foretrace capture --estimate --max-size 1G -- ./triad 1000 1
foretrace capture --estimate
echo "exit status $?"
TMPDIR=/no/such/folder foretrace capture --estimate -- ./triad 1000 1 2>report
echo "exit status $?"
sed 's/-[A-Za-z0-9]*:/-*:/' report | fold -s -w 80 | sed 's/ *$//'
rm report triad stencil
ls
