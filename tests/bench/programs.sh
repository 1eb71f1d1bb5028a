# Sourced by the benchmarks: the programs that they run, native time about 2 s unless the program's
# nature is another, and what it takes to run them. Works in $BENCH, a folder for inputs and traces.
# shellcheck shell=bash disable=SC2034

export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} # of omp
BENCH=${BENCH:-${TMPDIR:-/tmp}/foretrace-bench}
SAMPLES=${SAMPLES:-build/samples}
bench_programs=(triad triad-cache matmul stencil stencil-short csr chase chase-far quicksort tree
    random gzip sqlite3 python3 cc1 omp)

# bench_command NAME: the command line in ${command[@]}, its standard input in $input.
bench_command() {
    input=/dev/null
    case $1 in
    triad) command=("$SAMPLES/triad" 200000 12000) ;;
    triad-cache) command=("$SAMPLES/triad" 1500 4000000) ;;
    matmul) command=("$SAMPLES/matmul" 300 150) ;;
    stencil) command=("$SAMPLES/stencil" 64 10000) ;;
    stencil-short) command=("$SAMPLES/stencil-o3" 64 12000) ;;
    csr) command=("$SAMPLES/csr" 20000 8000) ;;
    chase) command=("$SAMPLES/chase" 20000 12000) ;;
    chase-far) command=("$SAMPLES/chase" 1000000 20) ;;
    quicksort) command=("$SAMPLES/quicksort" 100000 200) ;;
    tree) command=("$SAMPLES/tree" 20000 100) ;;
    random) command=("$SAMPLES/random" 1000000 200000000) ;;
    omp) command=("$SAMPLES/stencil-omp" 128 300) ;;
    gzip) command=(gzip -9 -c "$BENCH/text") ;;
    sqlite3) command=(sqlite3 :memory:) input=$BENCH/rows.sql ;;
    python3) command=(/usr/bin/python3 "$BENCH/loop.py") ;;
    cc1) command=("$(gcc -print-prog-name=cc1)" -quiet -O2 "$BENCH/source.i" -o /dev/null) ;;
    *)
        echo "there is no bench program '$1'; there are: ${bench_programs[*]}" >&2
        exit 2
        ;;
    esac
}

# The same for a trace of some 5x10^7 to 10^8 accesses.
bench_short_command() {
    bench_command "$1"
    case $1 in
    triad) command=("$SAMPLES/triad" 200000 100) ;;
    matmul) command=("$SAMPLES/matmul" 300 2) ;;
    stencil) command=("$SAMPLES/stencil" 64 40) ;;
    stencil-short) command=("$SAMPLES/stencil-o3" 64 200) ;;
    csr) command=("$SAMPLES/csr" 20000 60) ;;
    chase) command=("$SAMPLES/chase" 20000 3000) ;;
    chase-far) command=("$SAMPLES/chase" 1000000 60) ;;
    quicksort) command=("$SAMPLES/quicksort" 100000 2) ;;
    tree) command=("$SAMPLES/tree" 20000 4) ;;
    random) command=("$SAMPLES/random" 1000000 25000000) ;;
    omp) command=("$SAMPLES/stencil-omp" 96 8) ;;
    gzip) command=(gzip -9 -c "$BENCH/short-text") ;;
    sqlite3) input=$BENCH/short-rows.sql ;;
    python3) command=(/usr/bin/python3 "$BENCH/short-loop.py") ;;
    esac
}

# The same for a trace of 2x10^8 accesses and more, for several processors.
bench_long_command() {
    bench_command "$1"
    case $1 in
    matmul) command=("$SAMPLES/matmul" 300 8) ;;
    csr) command=("$SAMPLES/csr" 20000 300) ;;
    tree) command=("$SAMPLES/tree" 20000 12) ;;
    random) command=("$SAMPLES/random" 1000000 60000000) ;;
    *)
        echo "there is no long bench program '$1'" >&2
        exit 2
        ;;
    esac
}

# The inputs that are not in the tree, made once and always the same.
bench_inputs() {
    mkdir -p "$BENCH"
    [ -e "$BENCH/text" ] || bench_text >"$BENCH/text"
    sed 's/\bROWS\b/200000/' samples/rows.sql >"$BENCH/rows.sql"
    cat >"$BENCH/loop.py" <<'PYTHON'
total = 0
for i in range(9_000_000):
    total += i & 7
print(total)
PYTHON
    gcc -E -P -D_GNU_SOURCE -I. formats/code/instruction.c -o "$BENCH/source.i"
}

bench_short_inputs() {
    head -c 1000000 "$BENCH/text" >"$BENCH/short-text"
    sed 's/\bROWS\b/10000/' samples/rows.sql >"$BENCH/short-rows.sql"
    sed 's/9_000_000/100_000/' "$BENCH/loop.py" >"$BENCH/short-loop.py"
}

# 20 MB of words that are as frequent as those of a language (Zipf), 12 a line.
bench_text() {
    awk 'BEGIN {
        srand(1)
        for (i = 1; i <= 20000; i++)
            for (letters = 1 + int(10 * rand()); letters > 0; letters--)
                word[i] = word[i] sprintf("%c", 97 + int(26 * rand() ^ 2))
        while (size < 20000000) {
            line = word[int(20000 ^ rand())]
            for (i = 1; i < 12; i++)
                line = line " " word[int(20000 ^ rand())]
            print line
            size += length(line) + 1
        }
    }'
}
