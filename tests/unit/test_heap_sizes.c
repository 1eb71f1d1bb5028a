/*
 * Footprints by the heap, by hand: arrays that share lines at the training sizes and have mappings
 * of their own at the size, of calloc whose memory is touched in part, and what is not alike.
 */
#include <math.h>

#include "predict/metrics/heap_sizes.h"
#include "tests/support/tap.h"

enum { SIZES = 4, LINE = 64, BLOCKS = 2 };

/* Bytes of an array at the training sizes, and at the size. */
static const uint64_t bytes[SIZES + 1] = {6000, 9000, 12000, 24000, 640000};

struct program {
    struct ft_placed_block blocks[SIZES + 1][BLOCKS];
    struct ft_heap heaps[SIZES + 1];
    uint64_t counted[SIZES];
    uint64_t block_bytes;
    struct ft_model model;
};

/* Two arrays, one behind the other in the heap but at the size; from `uncleared` bytes on, the
 * second one's are calloc's as the kernel gave them. */
static void lay_out(struct program *program, uint64_t uncleared)
{
    program->block_bytes = LINE;
    program->model = (struct ft_model){.training_count = SIZES,
                                       .training_blocks = program->counted,
                                       .block_bytes = &program->block_bytes,
                                       .size_count = 1};
    for (unsigned s = 0; s <= SIZES; s++) {
        const uint64_t gap = s < SIZES ? 0 : UINT64_C(1) << 30, first = 4096 + 16;
        const uint64_t kept = bytes[s] > uncleared ? uncleared : bytes[s];
        program->blocks[s][0] = (struct ft_placed_block){.address = first, .bytes = bytes[s]};
        program->blocks[s][1] = (struct ft_placed_block){.address = first + bytes[s] + 16 + gap,
                                                         .bytes = bytes[s],
                                                         .cleared = kept,
                                                         .uncleared = bytes[s] - kept};
        program->heaps[s] = (struct ft_heap){program->blocks[s], BLOCKS};
    }
}

/* Lines of two arrays at a size. */
static double lines_of(const struct program *program, unsigned s)
{
    const struct ft_placed_block *one = &program->blocks[s][0], *two = &program->blocks[s][1];
    const double first = floor((double)one->address / LINE);
    const double last = floor((double)(two->address + two->bytes - 1) / LINE);
    const double end = floor((double)(one->address + one->bytes - 1) / LINE);
    const double start = floor((double)two->address / LINE);
    return s < SIZES ? last - first + 1 : end - first + 1 + last - start + 1;
}

/* others: lines that are not the heap's. */
static struct ft_heap_footprint find(struct program *program, double touched,
                                     const uint64_t others[SIZES])
{
    struct ft_heap_footprint footprint;
    struct ft_diag diag = {0};
    for (unsigned s = 0; s < SIZES; s++) {
        const double left = (1 - touched) * (double)program->blocks[s][1].uncleared / LINE;
        program->counted[s] = others[s] + (uint64_t)round(lines_of(program, s) - left);
    }
    const struct ft_heap_sizes sizes = {&program->model, program->heaps};
    return ft_heap_footprint_find(&sizes, 0, &footprint, &diag) == FT_OK
               ? footprint
               : (struct ft_heap_footprint){0};
}

static void check(const struct ft_heap_footprint *found, double expected, double error,
                  const char *what)
{
    tap_ok(found->is_known && fabs(found->value - expected) <= error && found->low <= expected &&
               found->high >= expected,
           "%s: %.0f lines, %.0f to %.0f, %.0f expected", what, found->value, found->low,
           found->high, expected);
}

int main(void)
{
    static const uint64_t alike[SIZES] = {1344, 1344, 1344, 1344};
    static const uint64_t nearly[SIZES] = {1344, 1340, 1346, 1338};
    static const uint64_t growing[SIZES] = {1344, 1400, 1500, 1700};
    struct program program;
    struct ft_heap_footprint found;

    lay_out(&program, UINT64_MAX);
    const double all = 1344 + lines_of(&program, SIZES);
    found = find(&program, 1, alike);
    check(&found, all, 0, "nothing is left uncleared");
    tap_ok(found.high - found.low < 0.01 * all, "it is known as well as the start-up");
    found = find(&program, 1, nearly);
    check(&found, all - 6, 0, "others differ by a few lines");
    found = find(&program, 1, growing);
    tap_ok(!found.is_known, "others that grow are nothing that is known");

    lay_out(&program, 4000);
    const double left = (double)program.blocks[SIZES][1].uncleared / LINE;
    found = find(&program, 1, alike);
    check(&found, all, 0, "all that calloc left uncleared is touched");
    tap_ok(found.high - found.low < 0.02 * all, "the training sizes show that");
    found = find(&program, 0.25, alike);
    check(&found, all - 0.75 * left, 0.02 * left, "a quarter of it is touched");
    found = find(&program, 0, alike);
    check(&found, all - left, 0.01 * left, "none of it is touched");

    lay_out(&program, 30000);
    found = find(&program, 1, alike);
    tap_ok(found.is_known &&
               found.low <= 1344 + lines_of(&program, SIZES) - (640000.0 - 30000) / LINE,
           "where the training sizes leave nothing uncleared it may be none: %.0f to %.0f",
           found.low, found.high);

    const struct ft_heap_sizes unknown = {.model = &program.model};
    struct ft_diag diag = {0};
    tap_ok(ft_heap_footprint_find(&unknown, 0, &found, &diag) == FT_OK && !found.is_known,
           "without a heap nothing is known");
    return tap_plan_done();
}
