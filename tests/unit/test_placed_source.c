/* Places become addresses: in their blocks, a little outside, far outside, and elsewhere. */
#include <stdlib.h>

#include "engine/skeleton/placed_source.h"
#include "tests/support/tap.h"

#define STACK 0x7fff0000U

static const struct ft_placed_block blocks[] = {
    {.address = 0x1000, .bytes = 256}, {.address = 0x9000, .bytes = 512}, {.address = 0x20000}};

struct fixed_source {
    struct ft_run_source base;
    uint64_t place;
    int64_t stride;
    struct ft_run run;
    uint32_t reference;
};

static int next(struct ft_run_source *base, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct fixed_source *source = (struct fixed_source *)base;
    (void)diag;
    *ret_batch = (struct ft_run_batch){.runs = &source->run,
                                       .run_count = 1,
                                       .references = &source->reference,
                                       .addresses = &source->place,
                                       .strides = &source->stride,
                                       .entry_count = 1};
    return FT_OK;
}

static void destroy(struct ft_run_source *base)
{
    free(base);
}

static uint64_t in_block(uint64_t block, int64_t offset)
{
    return FT_PLACE_BLOCKS + block * FT_PLACE_STEP + (uint64_t)offset;
}

/* A run at the place becomes entries at these addresses. */
static void check(const char *what, uint64_t place, int64_t stride, uint64_t iterations,
                  size_t count, const uint64_t *addresses)
{
    const struct ft_places places = {.blocks = blocks, .block_count = 3, .stack = STACK};
    struct fixed_source *fixed = calloc(1, sizeof *fixed);
    struct ft_run_source *source;
    struct ft_run_batch batch;
    struct ft_diag diag = {0};
    if (!fixed)
        abort();
    *fixed = (struct fixed_source){.base = {.next = next, .destroy = destroy},
                                   .place = place,
                                   .stride = stride,
                                   .run = {.reference_count = 1, .iteration_count = iterations}};
    if (ft_placed_source_create(&fixed->base, &places, &source, &diag) != FT_OK ||
        source->next(source, &batch, &diag) != FT_OK)
        abort();
    bool same = batch.entry_count == count;
    for (size_t i = 0; same && i < count; i++)
        same = batch.addresses[i] == addresses[i];
    tap_ok(same, "%s: %zu entries, from %#llx", what, batch.entry_count,
           (unsigned long long)batch.addresses[0]);
    source->destroy(source);
}

static void check_one(const char *what, uint64_t place, uint64_t address)
{
    check(what, place, 8, 1, 1, &address);
}

int main(void)
{
    check_one("in a block", in_block(0, 100), 0x1000 + 100);
    check_one("a little behind it", in_block(0, 256 + 63), 0x1000 + 256 + 63);
    check_one("a little before it", in_block(1, -64), 0x9000 - 64);
    check_one("far behind it", in_block(0, 3 * 256 + 16), 0x1000 + 16);
    check_one("far before it", in_block(1, -72), 0x9000 + 512 - 72);
    check_one("before the first one", in_block(0, -2 * 256 - 72), 0x1000 + 256 - 72);
    check_one("in one of unknown size", in_block(2, 5000), 0x20000 + 5000);
    check_one("in none", in_block(3, 5000), in_block(3, 5000));
    check_one("on the stack", FT_PLACE_STACK - 40, STACK - 40);
    check_one("anywhere else", 0x400000, 0x400000);
    check("a run in a block", in_block(0, 0), 8, 32, 1, (const uint64_t[]){0x1000});
    check("a run that leaves it", in_block(0, 200), 100, 4, 4,
          (const uint64_t[]){0x1000 + 200, 0x1000 + 300, 0x1000 + 144, 0x1000 + 244});
    check("a run to the next block", in_block(0, 0), (int64_t)FT_PLACE_STEP, 2, 2,
          (const uint64_t[]){0x1000, 0x9000});
    return tap_plan_done();
}
