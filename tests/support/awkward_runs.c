#include "tests/support/awkward_runs.h"

/* Nested affine loops, as matmul ijk with an odd leading dimension. */
static void affine(struct synthetic_runs *runs)
{
    const uint64_t n = 25, a = 0x7f0000000010, b = 0x7f0000200008, c = 0x601000;
    uint32_t load_a = synthetic_reference(runs, 8), load_b = synthetic_reference(runs, 8);
    uint32_t store_c = synthetic_reference(runs, 8);
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < n; j++) {
            synthetic_run(runs, n);
            synthetic_entry(runs, load_a, a + 8 * n * i, 8);
            synthetic_entry(runs, load_b, b + 8 * j, 8 * (int64_t)n);
            synthetic_access(runs, store_c, c + 8 * (n * i + j));
        }
}

/* Long runs that swing over three arrays up and down, with bytes, words and zero strides. */
static void swings(struct synthetic_runs *runs)
{
    uint32_t byte = synthetic_reference(runs, 1), word = synthetic_reference(runs, 8);
    uint32_t fixed = synthetic_reference(runs, 4), vector = synthetic_reference(runs, 64);
    for (int turn = 0; turn < 3; turn++) {
        synthetic_run(runs, 1500);
        synthetic_entry(runs, byte, 0x10001, 1);
        synthetic_entry(runs, fixed, 0x5000e, 0); /* spans */
        synthetic_entry(runs, word, 0x20008, 8);
        synthetic_run(runs, 1200);
        synthetic_entry(runs, word, 0x20008 + 8 * 1499, -8);
        synthetic_entry(runs, vector, 0x40013, 64); /* spans, never aligned */
        synthetic_run(runs, 1);
        synthetic_run(runs, 20000);
        synthetic_entry(runs, fixed, 0x50000, 0);
        synthetic_run(runs, 0);
        synthetic_entry(runs, fixed, 0x60000, 8);
        synthetic_run(runs, 200);
        synthetic_entry(runs, word, 0x700000, -4096);
        synthetic_entry(runs, word, 0x200000000, -INT64_C(0x100000008));
    }
}

/* Random bodies, strides and counts over a small space, so that blocks are met again. */
static void jumble(struct synthetic_runs *runs)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16, 32, 64, 10, 0, 576, 2696};
    static const int64_t steps[] = {0, 1, 2, 3, 4, 8, 16, 24, 32, 40, 64, 100, 128, 4096, 65536};
    uint64_t seed = 7;
    for (size_t i = 0; i < 40; i++)
        synthetic_reference(runs, widths[i % (sizeof widths / sizeof *widths)]);
    for (int i = 0; i < 120; i++) {
        synthetic_run(runs, random_next(&seed) % 4 ? 1 + random_next(&seed) % 60 : 1);
        uint64_t body = 1 + random_next(&seed) % (random_next(&seed) % 8 ? 6 : 40);
        for (uint64_t j = 0; j < body; j++) {
            int64_t stride = steps[random_next(&seed) % (sizeof steps / sizeof *steps)];
            uint64_t near =
                random_next(&seed) % 4 ? random_next(&seed) % 9000 : random_next(&seed) % (1 << 24);
            synthetic_entry(runs, (uint32_t)(random_next(&seed) % 40), 0x7ffff000 + near,
                            random_next(&seed) % 2 ? stride : -stride);
        }
    }
}

/* Bodies of more blocks than the front holds: weighted misses. */
static void wide_bodies(struct synthetic_runs *runs)
{
    for (int i = 0; i < 50; i++)
        synthetic_reference(runs, 8);
    for (uint64_t turn = 0; turn < 2; turn++)
        for (uint32_t width = 14; width <= 50; width += 9) {
            synthetic_run(runs, 300);
            for (uint32_t j = 0; j < width; j++)
                synthetic_entry(runs, j, 0x100000 * (j + 1) + 200 * turn, j % 3 ? 8 : 2);
        }
}

/* Addresses over all 64 bits, around the wrap at 2^64 and in thousands of regions. */
static void far_apart(struct synthetic_runs *runs)
{
    uint64_t seed = 3;
    uint32_t word = synthetic_reference(runs, 8), block = synthetic_reference(runs, 4000);
    for (int i = 0; i < 400; i++) {
        synthetic_access(runs, word, random_next(&seed) % 700 * UINT64_C(0x40000020003ff));
        if (i % 40 == 0) {
            synthetic_access(runs, block, UINT64_C(0) - 1000 + (uint64_t)i);
            synthetic_access(runs, word, UINT64_MAX - 3);
            synthetic_access(runs, word, UINT64_C(0x8000000000000000) - (uint64_t)i % 9);
            synthetic_run(runs, 40);
            synthetic_entry(runs, word, UINT64_MAX - 99, 5);
            synthetic_entry(runs, word, 90, -5);
        }
    }
}

/* A gather: an affine index and value beside a random element, then a chase and updates, over
 * enough blocks that slots are renumbered many times and distances pass several octaves. */
static void irregular(struct synthetic_runs *runs)
{
    uint64_t seed = 11;
    uint32_t index = synthetic_reference(runs, 4), value = synthetic_reference(runs, 8);
    uint32_t element = synthetic_reference(runs, 8), update = synthetic_reference(runs, 8);
    for (uint64_t i = 0; i < 12000; i++) {
        synthetic_run(runs, 1);
        synthetic_entry(runs, index, 0x1000000 + 4 * (i % 5000), 0);
        synthetic_entry(runs, value, 0x2000000 + 8 * (i % 5000), 0);
        synthetic_entry(runs, element, 0x3000000 + 8 * (random_next(&seed) % 9000), 0);
        if (i % 4 == 0)
            synthetic_access(runs, update, 0x9000000 + 64 * (random_next(&seed) % 1200));
    }
}

/* The same block from two regions' ends: accesses across regions, pages and lines. */
static void spanning(struct synthetic_runs *runs)
{
    uint64_t seed = 5;
    static const uint32_t widths[] = {2, 16, 64, 300, 70000};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        synthetic_reference(runs, widths[i]);
    for (int i = 0; i < 600; i++) {
        uint32_t reference = (uint32_t)(random_next(&seed) % 4);
        uint64_t boundary = (1 + random_next(&seed) % 6) << (5 + random_next(&seed) % 18);
        synthetic_access(runs, reference, boundary - 1 - random_next(&seed) % 200);
        synthetic_run(runs, 5);
        synthetic_entry(runs, reference, boundary - 70, 13);
    }
    synthetic_access(runs, 4, 0x123457);
    synthetic_run(runs, 3);
    synthetic_entry(runs, 4, 0x1ffff0, 16);
}

/* Accesses that mostly stay in the block of the one before, as those of stacks do: after single
 * ones, after ones that span blocks, after loops; and all of it twenty times over. */
static void lingering(struct synthetic_runs *runs)
{
    static const uint32_t widths[] = {1, 8, 16, 64, 200};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        synthetic_reference(runs, widths[i]);
    for (int turn = 0; turn < 20; turn++) {
        uint64_t seed = 21;
        uint64_t place = 0x50000;
        for (int i = 0; i < 400; i++) {
            uint32_t reference = (uint32_t)random_below(&seed, 5);
            if (random_below(&seed, 4) == 0)
                place = 0x50000 + 64 * random_below(&seed, 400);
            if (random_below(&seed, 6) == 0) {
                synthetic_run(runs, 3 + random_below(&seed, 20));
                synthetic_entry(runs, reference, place, (int64_t)random_below(&seed, 20) - 9);
                synthetic_entry(runs, 1, place + 32, random_below(&seed, 2) ? 0 : 8);
            } else {
                synthetic_access(runs, reference, place + random_below(&seed, 64));
            }
        }
    }
}

/* A mixture of loops and single accesses again and again, left in the middle for something else,
 * taken up again, and at the end cut off: what is skipped must count as if it were not. */
static void repeated(struct synthetic_runs *runs)
{
    for (int i = 0; i < 30; i++)
        synthetic_reference(runs, 8);
    for (uint64_t turn = 0; turn < 160; turn++) {
        uint64_t seed = turn < 40 ? 1 : turn < 41 ? turn : 2;
        uint64_t parts = turn == 60 || turn == 159 ? 7 : 20;
        for (uint64_t part = 0; part < parts; part++) {
            for (uint64_t i = random_next(&seed) % 30; i > 0; i--)
                synthetic_access(runs, (uint32_t)(i % 30),
                                 0x10000 + 8 * (random_next(&seed) % 20000));
            /* Once each, nothing but an iteration count, a stride, a reference or where a body
             * ends is another. */
            uint64_t iterations = random_next(&seed) % 3 ? 1 : turn == 70 ? 21 : 20;
            for (uint32_t j = 0; j < 4; j++) {
                if (j == 0 || (turn == 140 && j == 2))
                    synthetic_run(runs, iterations);
                synthetic_entry(runs, turn == 120 ? j + 1 : j,
                                0x40000 + (random_next(&seed) % 5000),
                                8 * (int64_t)j + (turn == 95));
            }
        }
    }
    for (uint64_t i = 0; i < 3000; i++) /* periods of one, two and three accesses */
        synthetic_access(runs, (uint32_t)(i % (1 + i / 1000)), 0x40000 + 64 * (i % (1 + i / 1000)));
}

/* Outer loops that move one or two inner ones by less than a block, or not at all, with single
 * accesses around them; in some of them one row is another. */
static void rows(struct synthetic_runs *runs)
{
    static const uint32_t widths[] = {8, 4, 16, 1, 64, 8, 200};
    static const int64_t strides[] = {8, 16, 32, -32, 64, 96, 2400, -4096, 0, 65536};
    static const int64_t shifts[] = {0, 1, 4, 8, -8, 16};
    uint64_t seed = 11;
    for (size_t i = 0; i < 21; i++)
        synthetic_reference(runs, widths[i % 7]);
    for (uint64_t nest = 0; nest < 70; nest++) {
        const uint64_t row_count = 1 + random_below(&seed, 14), shape = random_next(&seed);
        const uint64_t loops = 1 + random_below(&seed, 2), before = random_below(&seed, 3);
        const uint64_t odd_row =
            random_below(&seed, 3) ? row_count : random_below(&seed, row_count);
        for (uint64_t row = 0; row < row_count; row++) {
            uint64_t state = shape;
            int64_t shift = (int64_t)row * shifts[random_below(&state, 6)];
            for (uint64_t loop = 0; loop < loops; loop++) {
                synthetic_run(runs, 1);
                for (uint64_t i = 0; i < before; i++)
                    synthetic_entry(runs, (uint32_t)random_below(&state, 21),
                                    0x30000 + 8 * random_below(&state, 500) + (uint64_t)shift, 0);
                synthetic_run(runs, 2 + random_below(&state, 60) + (row == odd_row));
                for (uint64_t j = random_below(&state, 3) + 1; j > 0; j--) {
                    uint64_t start = 0x50000 + random_below(&state, 1000) + (uint64_t)shift;
                    int64_t stride = strides[random_below(&state, 10)];
                    synthetic_entry(runs, (uint32_t)random_below(&state, 21), start, stride);
                }
            }
            for (uint64_t i = random_below(&state, 3); i > 0; i--)
                synthetic_access(runs, (uint32_t)i, 0x30000 + 4 * row * i);
        }
    }
}

static const struct {
    const char *name;
    void (*make)(struct synthetic_runs *runs);
    size_t runs_a_batch;
} sources[AWKWARD_SOURCES] = {
    {"affine loops", affine, 0},
    {"swings", swings, 1},
    {"jumble", jumble, 37},
    {"bodies wider than the front", wide_bodies, 3},
    {"far apart", far_apart, 0},
    {"irregular", irregular, 1000},
    {"spanning accesses", spanning, 0},
    {"lingering", lingering, 7},
    {"repeated", repeated, 11},
    {"rows", rows, 0},
    {"rows in small batches", rows, 23},
    {"nothing", NULL, 0},
};

void awkward_runs_init(struct synthetic_runs *runs, size_t source)
{
    synthetic_init(runs);
    runs->runs_a_batch = sources[source].runs_a_batch;
    if (sources[source].make)
        sources[source].make(runs);
}

const char *awkward_source_name(size_t source)
{
    return sources[source].name;
}
