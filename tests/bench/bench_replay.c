/*
 * Replay beside its yardstick: six block sizes in one pass of replay, one block size of a plain
 * Fenwick tree, from the same source. Both report the CPU time of this process; each measurement
 * is repeated and the median is shown, so that a busy machine disturbs little.
 *
 *     bench_replay [-n REPEATS] [-k KERNEL] [-u] [synthetic NAME... | TRACE...]
 *
 * -u gives synthetic sources access by access instead of as runs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/replay/replay.h"
#include "tests/bench/fenwick.h"
#include "tests/synthetic_runs.h"

static const uint64_t sizes[] = {32, 64, 128, 4096, 32768, 2 << 20};
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)
#define YARDSTICK_BYTES 64
#define REPEATS_MAX 99

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The generators: state[0] counts calls; each call appends one iteration of an outer loop. */

static bool triad(struct synthetic_runs *runs)
{
    if (runs->state[0]++ == 0)
        for (int i = 0; i < 3; i++)
            synthetic_reference(runs, 8);
    if (runs->state[0] > 60)
        return false;
    synthetic_run(runs, 200000);
    for (uint32_t j = 0; j < 3; j++)
        synthetic_entry(runs, j, 0x7f0000000010 + j * UINT64_C(0x187000), 8);
    return true;
}

static bool matmul(struct synthetic_runs *runs)
{
    const uint64_t n = 300;
    if (runs->state[0]++ == 0)
        for (int i = 0; i < 3; i++)
            synthetic_reference(runs, 8);
    uint64_t i = runs->state[0] - 1;
    if (i >= n)
        return false;
    for (uint64_t j = 0; j < n; j++) {
        synthetic_run(runs, n);
        synthetic_entry(runs, 0, 0x7f0000000010 + 8 * n * i, 8);
        synthetic_entry(runs, 1, 0x7f0000100010 + 8 * j, 8 * (int64_t)n);
        synthetic_access(runs, 2, 0x7f0000200010 + 8 * (n * i + j));
    }
    return true;
}

static bool stencil(struct synthetic_runs *runs)
{
    const int64_t n = 64;
    const int64_t offsets[] = {0, -1, 1, -n, n, -n * n, n * n};
    if (runs->state[0]++ == 0)
        for (int i = 0; i < 8; i++)
            synthetic_reference(runs, 8);
    if (runs->state[0] > 25)
        return false;
    for (int64_t z = 1; z < n - 1; z++)
        for (int64_t y = 1; y < n - 1; y++) {
            synthetic_run(runs, (uint64_t)n - 2);
            int64_t here = (z * n + y) * n + 1;
            for (uint32_t j = 0; j < 7; j++)
                synthetic_entry(runs, j, 0x7f0000000010 + 8 * (uint64_t)(here + offsets[j]), 8);
            synthetic_entry(runs, 7, 0x7f0000301010 + 8 * (uint64_t)here, 8);
        }
    return true;
}

static bool csr(struct synthetic_runs *runs)
{
    if (runs->state[0]++ == 0)
        for (int i = 0; i < 5; i++)
            synthetic_reference(runs, i == 1 ? 4 : 8);
    if (runs->state[0] > 40)
        return false;
    uint64_t seed = 1;
    for (uint64_t row = 0; row < 20000; row++) {
        synthetic_access(runs, 0, 0x7f0000000010 + 8 * row);
        for (uint64_t k = 0; k < 20; k++) {
            synthetic_run(runs, 1);
            synthetic_entry(runs, 1, 0x7f0000100010 + 4 * (20 * row + k), 0);
            synthetic_entry(runs, 2, 0x7f0000400010 + 8 * (20 * row + k), 0);
            synthetic_entry(runs, 3, 0x7f0000900010 + 8 * (random_next(&seed) % 20000), 0);
        }
        synthetic_access(runs, 4, 0x7f0000a00010 + 8 * row);
    }
    return true;
}

/* 64-byte nodes in the order of a multiplicative permutation, walked again and again. */
static bool walk_nodes(struct synthetic_runs *runs, uint64_t nodes, uint64_t walks)
{
    if (runs->state[0]++ == 0)
        synthetic_reference(runs, 8);
    if (runs->state[0] > walks)
        return false;
    for (uint64_t i = 0; i < nodes; i++)
        synthetic_access(runs, 0, 0x7f0000000010 + 64 * (i * 1000003 * 7919 % nodes));
    return true;
}

static bool chase(struct synthetic_runs *runs)
{
    return walk_nodes(runs, 20011, 1000);
}

static bool chase_far(struct synthetic_runs *runs)
{
    return walk_nodes(runs, 1000033, 20);
}

static bool random_updates(struct synthetic_runs *runs)
{
    if (runs->state[0]++ == 0) {
        synthetic_reference(runs, 8);
        synthetic_reference(runs, 8);
    }
    if (runs->state[0] > 200)
        return false;
    for (uint64_t i = 0; i < 50000; i++) {
        uint64_t address = 0x7f0000000010 + 64 * (random_next(&runs->state[1]) % 1000000);
        synthetic_run(runs, 1);
        synthetic_entry(runs, 0, address, 0);
        synthetic_entry(runs, 1, address, 0);
    }
    return true;
}

/* An interpreter, roughly: a few hot places, a stack, a bytecode that loops, some heap. */
static bool interpreter(struct synthetic_runs *runs)
{
    if (runs->state[0]++ == 0)
        for (int i = 0; i < 2000; i++)
            synthetic_reference(runs, 8);
    if (runs->state[0] > 200)
        return false;
    uint64_t *seed = &runs->state[1];
    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t where = (uint32_t)(i % 50) * 10;
        synthetic_run(runs, 1);
        synthetic_entry(runs, where, 0x7f0000000010 + 2 * (i % 50), 0);
        synthetic_entry(runs, where + 1, 0x600000 + 8 * (where * 7 % 256), 0);
        for (uint32_t j = 2; j < 6; j++)
            synthetic_entry(runs, where + j, 0x7ffffff00000 - 8 * ((where * j + i % 3) % 40), 0);
        synthetic_entry(runs, where + 6, 0x7f0001000000 + 16 * (where * 13 % 1000), 0);
        synthetic_entry(runs, where + 7, 0x7f0001000008 + 16 * (where * 13 % 1000), 0);
        if (random_next(seed) % 8 == 0)
            synthetic_entry(runs, where + 8, 0x7f0001000000 + 16 * (random_next(seed) % 9000), 0);
    }
    return true;
}

static const struct {
    const char *name;
    bool (*generate)(struct synthetic_runs *runs);
} generators[] = {
    {"triad", triad},         {"matmul", matmul},         {"stencil", stencil},
    {"csr", csr},             {"chase", chase},           {"chase-far", chase_far},
    {"random", random_updates}, {"interpreter", interpreter},
};
#define GENERATOR_COUNT (sizeof generators / sizeof *generators)

/* Ends when there is nothing to measure: a benchmark has no use for half a table. */
static void must(int status, const struct ft_diag *diag)
{
    if (status) {
        fprintf(stderr, "bench_replay: %s\n", diag->message);
        exit(1);
    }
}

struct options {
    unsigned repeats;
    const char *kernel;
    bool one_by_one;
};

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

typedef void measured(struct ft_run_source *source, const struct options *options,
                      uint64_t *accesses);

static void run_nothing(struct ft_run_source *source, const struct options *options,
                        uint64_t *accesses)
{
    (void)options;
    struct ft_diag diag;
    struct ft_run_batch batch;
    uint64_t total = 0;
    do {
        must(source->next(source, &batch, &diag), &diag);
        for (size_t i = 0; i < batch.run_count; i++)
            total += batch.runs[i].reference_count * batch.runs[i].iteration_count;
    } while (batch.run_count);
    *accesses = total;
}

static void run_replay(struct ft_run_source *source, const struct options *options,
                       uint64_t *accesses)
{
    struct ft_diag diag;
    struct ft_replay *replay;
    struct ft_histograms histograms = {0};
    must(ft_replay_create(sizes, SIZE_COUNT, options->kernel, &replay, &diag), &diag);
    must(ft_replay_run(replay, source, &diag), &diag);
    *accesses = ft_replay_accesses(replay);
    must(ft_replay_finish(replay, &histograms, &diag), &diag);
    ft_histograms_fini(&histograms);
    ft_replay_destroy(replay);
}

static void run_yardstick(struct ft_run_source *source, const struct options *options,
                          uint64_t *accesses)
{
    (void)options;
    struct ft_diag diag;
    static struct fenwick_result result;
    must(fenwick_run(YARDSTICK_BYTES, *accesses + *accesses / 2, source, &result, &diag), &diag);
}

static double measure_synthetic(size_t generator, measured *what, const struct options *options,
                                uint64_t *accesses)
{
    struct synthetic_runs runs;
    struct unrolled_runs unrolled;
    synthetic_init(&runs);
    runs.generate = generators[generator].generate;
    runs.generate(&runs); /* makes the references known, as an opened trace does */
    unrolled_init(&unrolled, &runs.source);
    double start = cpu_seconds();
    what(options->one_by_one ? &unrolled.own.source : &runs.source, options, accesses);
    double seconds = cpu_seconds() - start;
    unrolled_fini(&unrolled);
    synthetic_fini(&runs);
    return seconds;
}

int main(int argc, char **argv)
{
    struct options options = {.repeats = 3};
    int letter;
    while ((letter = getopt(argc, argv, "n:k:u")) != -1) {
        if (letter == 'n')
            options.repeats = (unsigned)strtoul(optarg, NULL, 10);
        else if (letter == 'k')
            options.kernel = optarg;
        else if (letter == 'u')
            options.one_by_one = true;
        else
            return 2;
    }
    if (options.repeats == 0 || options.repeats > REPEATS_MAX)
        return 2;
    printf("%-14s %10s %10s %10s %10s %8s\n", "source", "accesses M", "reading s", "6 sizes s",
           "fenwick s", "ratio");
    for (size_t g = 0; g < GENERATOR_COUNT; g++) {
        bool wanted = optind == argc;
        for (int i = optind; i < argc; i++)
            wanted |= strcmp(argv[i], generators[g].name) == 0;
        if (!wanted)
            continue;
        double reading[REPEATS_MAX], replay[REPEATS_MAX], yardstick[REPEATS_MAX];
        uint64_t accesses = 0;
        for (unsigned i = 0; i < options.repeats; i++) {
            reading[i] = measure_synthetic(g, run_nothing, &options, &accesses);
            replay[i] = measure_synthetic(g, run_replay, &options, &accesses);
            yardstick[i] = measure_synthetic(g, run_yardstick, &options, &accesses);
        }
        double ours = median(replay, options.repeats);
        double theirs = median(yardstick, options.repeats);
        printf("%-14s %10.1f %10.3f %10.3f %10.3f %8.2f  %.0f M/s, yardstick %.0f M/s\n",
               generators[g].name, 1e-6 * (double)accesses, median(reading, options.repeats), ours,
               theirs, theirs / ours, 1e-6 * (double)accesses / ours,
               1e-6 * (double)accesses / theirs);
        fflush(stdout);
    }
    return 0;
}
