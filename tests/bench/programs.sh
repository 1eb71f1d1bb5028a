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
    bench_source >"$BENCH/source.i"
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

# 150 KB of C for cc1, the same wherever it is made: its random numbers are its own, and it includes
# nothing. Mostly declarations, as behind headers; then functions of arithmetic, loops over arrays,
# lists, switches and calls of the ones before.
bench_source() {
    awk '
    function pick(count) { state = state * 16807 % 2147483647; return state % count }
    function expression(depth) {
        if (depth == 0)
            return pick(3) ? substr("abcdef", 1 + pick(6), 1) : 1 + pick(1000)
        return "(" expression(depth - 1) " " substr("+-*&|^", 1 + pick(6), 1) " " \
            expression(depth - 1 - (depth > 1 && pick(2))) ")"
    }
    function statement(kind) {
        if (kind == 0)
            print "    for (long i = 0; i < (a & " 15 + pick(200) "); i++)\n        table[i & 255] += b * i + " \
                expression(2) ";"
        else if (kind == 1)
            print "    if (" expression(2) " > " expression(1) ")\n        c = " expression(3) ";\n    else\n" \
                "        d -= table[(c + " pick(256) ") & 255];"
        else if (kind == 2) {
            print "    switch (b & 7) {"
            for (i = 0; i < 6; i++)
                print "    case " i ":\n        " substr("cdef", 1 + pick(4), 1) " += " expression(2) \
                    (pick(4) ? ";\n        break;" : "; /* fall through */")
            print "    default:\n        e ^= a;\n    }"
        } else if (kind == 3)
            print "    for (struct node *at = list; at; at = at->next)\n        at->values[" pick(4) "] = " \
                "at->key < c ? " expression(2) " : at->values[" pick(4) "] >> (d & 31);"
        else if (kind == 4 && number > 0)
            print "    f += work_" pick(number) "(list, " expression(1) ", " expression(1) ");"
        else
            print "    " substr("cdef", 1 + pick(4), 1) " = " expression(4) ";"
    }
    BEGIN {
        state = 1
        print "struct node {\n    struct node *next;\n    long key;\n    long values[4];\n};"
        print "static long table[256];"
        for (i = 0; i < 600; i++) {
            print "struct type_" i " {\n    struct type_" pick(i + 1) " *next;\n    unsigned long count;\n" \
                "    char name[" 1 + pick(64) "];\n};"
            print "typedef struct type_" pick(i + 1) " *pointer_" i ";"
            print "enum { CONSTANT_" i " = " pick(100000) " };"
            print "extern long call_" i "(const struct type_" pick(i + 1) " *first, pointer_" pick(i + 1) \
                " second, unsigned long count) __attribute__((nothrow, nonnull(1)));"
        }
        for (number = 0; number < 12; number++) {
            print "long work_" number "(struct node *list, long a, long b)\n{"
            print "    long c = a + " pick(100) ", d = b, e = a ^ b, f = " pick(100) ";"
            for (left = 5 + pick(6); left > 0; left--)
                statement(pick(6))
            print "    return c + d + e + f;\n}"
        }
    }'
}
