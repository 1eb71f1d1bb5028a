/*
 * Replay beside its reference: six block sizes in one pass of replay, one block size of it, and one
 * of a plain Fenwick tree, from the same source. All report the CPU time of this process; each
 * measurement is repeated and the median is shown, so that a busy machine disturbs little.
 *
 *     bench_replay [-n REPEATS] [-k KERNEL] [-a | -p | -m MACHINE] [-u] [NAME | TRACE]...
 *
 * A NAME is that of a generator below (all of them where nothing is given); everything else is a
 * trace file, read and decoded again in each measurement. -u gives accesses one by one instead of
 * as runs. Six block sizes each are compared by -a with every kernel, by -p without and with pairs
 * of references; -m compares the replay of a machine's block sizes with the simulation of its
 * levels.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/reuse/stacks/replay.h"
#include "engine/simulate/simulate.h"
#include "formats/trace/trace.h"
#include "tests/bench/fenwick.h"
#include "tests/support/create_replay.h"
#include "tests/support/synthetic_runs.h"

static const uint64_t sizes[] = {32, 64, 128, 4096, 32768, 2 << 20};
#define SIZE_COUNT      (sizeof sizes / sizeof *sizes)
#define YARDSTICK_BYTES 64
#define REPEATS_MAX     99
#define KERNELS_MAX     8

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
    {"triad", triad},           {"matmul", matmul},
    {"stencil", stencil},       {"csr", csr},
    {"chase", chase},           {"chase-far", chase_far},
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
    bool pairs, kernels;
    const struct ft_machine *machine; /* or NULL */
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

/* Something to replay: a generator, or a trace where there is none. */
struct workload {
    const char *name;
    bool (*generate)(struct synthetic_runs *runs);
    uint64_t touches; /* of blocks of YARDSTICK_BYTES */
    uint64_t accesses;
};

typedef void measured(struct ft_run_source *source, const struct options *options,
                      struct workload *workload);

static void run_nothing(struct ft_run_source *source, const struct options *options,
                        struct workload *workload)
{
    (void)options;
    (void)workload;
    struct ft_diag diag;
    struct ft_run_batch batch;
    do
        must(source->next(source, &batch, &diag), &diag);
    while (batch.run_count);
}

/* How large the reference's tree has to be. */
static void count_touches(struct ft_run_source *source, const struct options *options,
                          struct workload *workload)
{
    (void)options;
    struct ft_diag diag;
    struct ft_run_batch batch;
    workload->touches = workload->accesses = 0;
    for (;;) {
        must(source->next(source, &batch, &diag), &diag);
        if (batch.run_count == 0)
            return;
        for (const struct ft_run *run = batch.runs; run < batch.runs + batch.run_count; run++)
            for (size_t j = run->first; j < run->first + run->reference_count; j++)
                for (uint64_t i = 0; i < run->iteration_count; i++) {
                    uint64_t address = batch.addresses[j];
                    if (i)
                        address += i * (uint64_t)batch.strides[j];
                    uint32_t bytes = source->references[batch.references[j]].size_bytes;
                    uint64_t last = address + (bytes ? bytes - 1 : 0);
                    workload->touches += last / YARDSTICK_BYTES - address / YARDSTICK_BYTES + 1;
                    workload->accesses++;
                }
    }
}

static void replay_source(struct ft_run_source *source, const uint64_t *block_bytes,
                          size_t size_count, const struct options *options)
{
    struct ft_diag diag;
    struct ft_replay *replay;
    struct ft_histograms histograms = {0};
    must(create_replay(block_bytes, size_count, options->kernel, &replay, &diag), &diag);
    if (options->pairs)
        must(ft_replay_want_pairs(replay, &diag), &diag);
    must(ft_replay_run(replay, source, &diag), &diag);
    must(ft_replay_finish(replay, &histograms, &diag), &diag);
    ft_histograms_fini(&histograms);
    ft_replay_destroy(replay);
}

static void run_six_sizes(struct ft_run_source *source, const struct options *options,
                          struct workload *workload)
{
    (void)workload;
    replay_source(source, sizes, SIZE_COUNT, options);
}

static void run_one_size(struct ft_run_source *source, const struct options *options,
                         struct workload *workload)
{
    (void)workload;
    replay_source(source, &(uint64_t){YARDSTICK_BYTES}, 1, options);
}

/* Of the machine's levels, in any order: ascending, each once. */
static size_t machine_sizes(const struct ft_machine *machine, uint64_t *ret_sizes)
{
    size_t count = 0;
    for (unsigned shift = 0; shift < 63; shift++)
        for (size_t i = 0; i < machine->level_count; i++)
            if (machine->levels[i].block_bytes == UINT64_C(1) << shift) {
                ret_sizes[count++] = machine->levels[i].block_bytes;
                break;
            }
    return count;
}

static void run_machine_sizes(struct ft_run_source *source, const struct options *options,
                              struct workload *workload)
{
    (void)workload;
    uint64_t block_bytes[FT_BLOCK_SIZES_MAX];
    replay_source(source, block_bytes, machine_sizes(options->machine, block_bytes), options);
}

/* A source can be opened once here: a workload that touches memory sparsely cannot be measured. */
static int open_once(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct ft_run_source **source = context;
    if (!*source)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "the simulation would start over");
    *ret_source = *source;
    *source = NULL;
    return FT_OK;
}

static void run_simulation(struct ft_run_source *source, const struct options *options,
                           struct workload *workload)
{
    (void)workload;
    struct ft_diag diag;
    struct ft_simulation simulation;
    must(ft_simulate(options->machine, 1, open_once, &source, NULL, &simulation, &diag), &diag);
    ft_simulation_fini(&simulation);
}

static void run_reference(struct ft_run_source *source, const struct options *options,
                          struct workload *workload)
{
    (void)options;
    struct ft_diag diag;
    static struct fenwick_result result;
    must(fenwick_run(YARDSTICK_BYTES, workload->touches, source, &result, &diag), &diag);
}

static void with_source(struct ft_run_source *source, measured *what, const struct options *options,
                        struct workload *workload)
{
    struct unrolled_runs unrolled;
    unrolled_init(&unrolled, source);
    what(options->one_by_one ? &unrolled.own.source : source, options, workload);
    unrolled_fini(&unrolled);
}

static double measure(measured *what, const struct options *options, struct workload *workload)
{
    double start = cpu_seconds();
    if (workload->generate) {
        struct synthetic_runs runs;
        synthetic_init(&runs);
        runs.generate = workload->generate;
        runs.generate(&runs); /* makes the references known, as an opened trace does */
        with_source(&runs.source, what, options, workload);
        synthetic_fini(&runs);
    } else {
        struct ft_diag diag;
        struct ft_trace *trace;
        struct ft_run_source *source;
        must(ft_trace_open(workload->name, &(struct ft_trace_options){0}, &trace, &diag), &diag);
        must(ft_trace_runs(trace, 0, NULL, &source, &diag), &diag);
        with_source(source, what, options, workload);
        source->destroy(source);
        ft_trace_close(trace);
    }
    return cpu_seconds() - start;
}

static const char *name_of(const struct workload *workload)
{
    const char *slash = strrchr(workload->name, '/');
    return slash ? slash + 1 : workload->name;
}

static void print_row(const struct options *options, struct workload *workload)
{
    static measured *const what[] = {run_nothing, run_six_sizes, run_one_size, run_reference};
    double seconds[4][REPEATS_MAX], medians[4];
    measure(count_touches, options, workload);
    for (unsigned i = 0; i < options->repeats; i++)
        for (size_t k = 0; k < 4; k++)
            seconds[k][i] = measure(what[k], options, workload);
    for (size_t k = 0; k < 4; k++)
        medians[k] = median(seconds[k], options->repeats);
    const double accesses = 1e-6 * (double)workload->accesses;
    printf("%-20s %8.1f %8.2f %8.2f %8.2f %9.2f %8.0f %8.0f %8.2f %8.2f\n", name_of(workload),
           accesses, medians[0], medians[1], medians[2], medians[3], accesses / medians[1],
           accesses / medians[2], medians[3] / medians[1], medians[3] / medians[2]);
    fflush(stdout);
}

static void print_head(void)
{
    printf("%-20s %8s %8s %8s %8s %9s %8s %8s %8s %8s\n", "", "accesses", "reading", "6 sizes",
           "1 size", "reference", "6 sizes", "1 size", "6 sizes", "1 size");
    printf("%-20s %8s %8s %8s %8s %9s %8s %8s %8s %8s\n", "", "M", "CPU s", "CPU s", "CPU s",
           "CPU s", "M/s", "M/s", "ratio", "ratio");
}

static void print_simulation(const struct options *options, struct workload *workload)
{
    static measured *const what[] = {run_nothing, run_machine_sizes, run_simulation};
    double seconds[3][REPEATS_MAX], medians[3];
    measure(count_touches, options, workload);
    for (unsigned i = 0; i < options->repeats; i++)
        for (size_t k = 0; k < 3; k++)
            seconds[k][i] = measure(what[k], options, workload);
    for (size_t k = 0; k < 3; k++)
        medians[k] = median(seconds[k], options->repeats);
    const double accesses = 1e-6 * (double)workload->accesses;
    printf("%-20s %8.1f %8.2f %8.2f %8.2f %8.0f %8.0f\n", name_of(workload), accesses, medians[0],
           medians[1], medians[2], accesses / medians[1], accesses / medians[2]);
    fflush(stdout);
}

static void print_simulation_head(void)
{
    printf("%-20s %8s %8s %8s %8s %8s %8s\n", "", "accesses", "reading", "replay", "simulate",
           "replay", "simulate");
    printf("%-20s %8s %8s %8s %8s %8s %8s\n", "", "M", "CPU s", "CPU s", "CPU s", "M/s", "M/s");
}

/* Ways to replay six sizes: CPU time of each, and as a multiple of the first one's. */
struct ways {
    const char *names[KERNELS_MAX];
    struct options options[KERNELS_MAX];
    size_t count;
};

static void find_ways(const struct options *options, struct ways *ways)
{
    if (options->pairs) {
        *ways = (struct ways){{"plain", "pairs"}, {*options, *options}, 2};
        ways->options[0].pairs = false;
        return;
    }
    const char *name;
    for (ways->count = 0; ways->count < KERNELS_MAX && (name = ft_replay_kernel_at(ways->count));
         ways->count++) {
        ways->names[ways->count] = name;
        ways->options[ways->count] = *options;
        ways->options[ways->count].kernel = name;
    }
}

static void print_ways(const struct options *options, struct workload *workload)
{
    double seconds[KERNELS_MAX][REPEATS_MAX], first = 0;
    struct ways ways;
    find_ways(options, &ways);
    for (unsigned i = 0; i < options->repeats; i++)
        for (size_t k = 0; k < ways.count; k++)
            seconds[k][i] = measure(run_six_sizes, &ways.options[k], workload);
    printf("%-20s", name_of(workload));
    for (size_t k = 0; k < ways.count; k++) {
        double middle = median(seconds[k], options->repeats);
        first = k ? first : middle;
        printf(" %8.2f %6.2f", middle, middle / first);
    }
    putchar('\n');
    fflush(stdout);
}

static void print_ways_head(const struct options *options)
{
    struct ways ways;
    find_ways(options, &ways);
    printf("%-20s", "");
    for (size_t k = 0; k < ways.count; k++)
        printf(" %8s %6s", ways.names[k], "ratio");
    putchar('\n');
}

/* false: the options are wrong. */
static bool read_options(int argc, char **argv, struct options *options, struct ft_machine *machine)
{
    struct ft_diag diag;
    int letter;
    while ((letter = getopt(argc, argv, "n:k:aupm:")) != -1) {
        if (letter == 'n')
            options->repeats = (unsigned)strtoul(optarg, NULL, 10);
        else if (letter == 'k')
            options->kernel = optarg;
        else if (letter == 'a')
            options->kernels = true;
        else if (letter == 'u')
            options->one_by_one = true;
        else if (letter == 'p')
            options->pairs = true;
        else if (letter == 'm' && !options->machine) {
            must(ft_machine_load(optarg, machine, &diag), &diag);
            options->machine = machine;
        } else
            return false;
    }
    return options->repeats > 0 && options->repeats <= REPEATS_MAX;
}

int main(int argc, char **argv)
{
    struct ft_machine machine = {0};
    struct options options = {.repeats = 3};
    if (!read_options(argc, argv, &options, &machine))
        return 2;
    const bool compares = options.kernels || options.pairs;
    void (*print)(const struct options *options, struct workload *workload) =
        options.machine ? print_simulation
        : compares      ? print_ways
                        : print_row;
    if (options.machine)
        print_simulation_head();
    else if (compares)
        print_ways_head(&options);
    else
        print_head();
    for (size_t g = 0; optind == argc && g < GENERATOR_COUNT; g++)
        print(&options, &(struct workload){generators[g].name, generators[g].generate, 0, 0});
    for (int i = optind; i < argc; i++) {
        struct workload workload = {argv[i], NULL, 0, 0};
        for (size_t g = 0; g < GENERATOR_COUNT; g++)
            if (strcmp(argv[i], generators[g].name) == 0)
                workload.generate = generators[g].generate;
        print(&options, &workload);
    }
    ft_machine_fini(&machine);
    return 0;
}
