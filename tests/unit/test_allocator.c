/*
 * The allocator's model against addresses that glibc 2.36 gave out in captured programs.
 */
#include <inttypes.h>

#include "fit/skeletons/allocator.h"
#include "tests/support/tap.h"

#define HEAP        UINT64_C(0x555555559000)
#define STATIC_HEAP UINT64_C(0x4acd00) /* above thread-local data of start-up */

static const struct ft_mapped_range libraries[] = {{0x7ffff7dcf000, 0x7ffff7fb4000},
                                                   {0x7ffff7fc0000, 0x7ffff7fc2000}};

struct step {
    uint64_t bytes, alignment; /* 0 bytes: the block at `address` is freed */
    uint64_t address;
};

/* is_static: linked so, with nothing mapped. */
static void check(const char *what, bool is_static, const struct step *steps, size_t count)
{
    struct ft_allocator *allocator;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_allocator_create(is_static ? STATIC_HEAP : HEAP, libraries, is_static ? 0 : 2,
                                    &allocator, &diag) == 0,
                "%s: starts", what))
        return;
    for (size_t i = 0; i < count; i++) {
        struct ft_placed_block block = {0};
        if (steps[i].bytes == 0) {
            tap_ok(ft_allocator_free(allocator, steps[i].address, &diag) == 0, "%s: freed", what);
            continue;
        }
        int status = ft_allocator_allocate(allocator, steps[i].bytes, steps[i].alignment, false,
                                           &block, &diag);
        tap_ok(status == 0 && block.address == steps[i].address,
               "%s: %" PRIu64 " bytes at %#" PRIx64 ", not %#" PRIx64, what, steps[i].bytes,
               steps[i].address, block.address);
    }
    ft_allocator_destroy(allocator);
}

/* A kernel with other pages of its own: the first large block is where it was, the next one below.
 */
static void check_kernel(void)
{
    const uint64_t first = UINT64_C(0x7ffff7f30040);
    const uint64_t end = ft_allocator_mapping_end(first, 819200, 64);
    const struct ft_mapped_range kernel_pages = {end, end + 1};
    struct ft_allocator *allocator;
    struct ft_diag diag = {0};
    struct ft_placed_block blocks[2] = {0};
    if (!tap_ok(ft_allocator_create(STATIC_HEAP, &kernel_pages, 1, &allocator, &diag) == 0,
                "another kernel"))
        return;
    for (size_t i = 0; i < 2; i++)
        ft_allocator_allocate(allocator, 819200, 64, false, &blocks[i], &diag);
    tap_ok(blocks[0].address == first && blocks[1].address == first - 0xc9000,
           "blocks at %#" PRIx64 ", %#" PRIx64, blocks[0].address, blocks[1].address);
    ft_allocator_destroy(allocator);
}

/* What calloc stores to, of blocks that are freed or kept: all of what was used before or is taken
 * from the top; not what the heap grows by, also where it had been trimmed, nor a mapping. */
static void check_cleared(void)
{
    static const struct cleared {
        uint64_t bytes, address, cleared; /* 0 bytes: the block there is freed */
    } steps[] = {{100000, 0x5555555592a0, 100008}, {60000, 0x555555571950, 34488},
                 {5000, 0x5555555803c0, 5000},     {0, 0x5555555803c0, 0},
                 {5000, 0x5555555803c0, 5000},     {0, 0x5555555803c0, 0},
                 {0, 0x555555571950, 0},           {120000, 0x555555571950, 120008},
                 {200000, 0x7ffff7d9c010, 0},      {0, 0x7ffff7d9c010, 0},
                 {180000, 0x55555558ee20, 12776},  {0, 0x55555558ee20, 0},
                 {190000, 0x55555558ee20, 190008}};
    const struct ft_mapped_range mapped[] = {{0x7ffff7dcd000, 0x7ffff7fb2000}};
    struct ft_allocator *allocator;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_allocator_create(HEAP, mapped, 1, &allocator, &diag) == 0, "cleared: starts"))
        return;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct ft_placed_block block = {0};
        if (steps[i].bytes == 0) {
            ft_allocator_free(allocator, steps[i].address, &diag);
            continue;
        }
        ft_allocator_allocate(allocator, steps[i].bytes, 0, true, &block, &diag);
        tap_ok(block.address == steps[i].address && block.cleared == steps[i].cleared,
               "%" PRIu64 " bytes at %#" PRIx64 ", of which %" PRIu64 " are cleared",
               steps[i].bytes, block.address, block.cleared);
    }
    ft_allocator_destroy(allocator);
}

/* Pages that the kernel has just given out: of mappings all, of the heap those above where it was
 * in use, also where it had been trimmed. As many page faults a program with glibc 2.36 had that
 * wrote to all of its blocks. */
static void check_fresh(void)
{
    static const struct fresh {
        uint64_t bytes, pages; /* 0 bytes: the block of that step is freed */
    } steps[] = {{100000, 25}, {60000, 15},  {0, 1},       {60000, 0},  {200000, 49},
                 {0, 4},       {200000, 49}, {0, 6},       {180000, 0}, {190000, 41},
                 {0, 8},       {0, 9},       {200000, 17}, {120000, 29}};
    struct ft_allocator *allocator;
    struct ft_placed_block blocks[sizeof steps / sizeof *steps];
    struct ft_diag diag = {0};
    if (!tap_ok(ft_allocator_create(HEAP, libraries, 2, &allocator, &diag) == 0, "fresh: starts"))
        return;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].bytes == 0) {
            ft_allocator_free(allocator, blocks[steps[i].pages].address, &diag);
            continue;
        }
        ft_allocator_allocate(allocator, steps[i].bytes, 0, false, &blocks[i], &diag);
        tap_ok(blocks[i].fresh_pages == steps[i].pages,
               "%" PRIu64 " bytes at %#" PRIx64 ": %" PRIu64 " fresh pages", steps[i].bytes,
               blocks[i].address, blocks[i].fresh_pages);
    }
    ft_allocator_destroy(allocator);
}

static void check_address_space(void)
{
    struct ft_allocator *allocator;
    struct ft_diag diag = {0};
    struct ft_placed_block block;
    int status = ft_allocator_create(STATIC_HEAP, NULL, 0, &allocator, &diag);
    for (size_t i = 0; i < 16 && !status; i++)
        status = ft_allocator_allocate(allocator, UINT64_C(1) << 44, 0, false, &block, &diag);
    tap_ok(status == FT_ERROR_UNSUPPORTED, "%s", diag.message);
    ft_allocator_destroy(allocator);
}

int main(void)
{
    /* matmul 24: aligned blocks in the heap, whose ends are freed and merged. */
    const struct step small[] = {{4608, 64, 0x555555559040},
                                 {4608, 64, 0x55555555a280},
                                 {4608, 64, 0x55555555b4c0},
                                 {4096, 0, 0x55555555c9a0}};
    check("matmul 24", false, small, sizeof small / sizeof *small);
    const struct step middle[] = {{25088, 64, 0x555555559040},
                                  {25088, 64, 0x55555555f280},
                                  {25088, 64, 0x5555555654c0},
                                  {4096, 0, 0x55555556b9a0}};
    check("matmul 56", false, middle, sizeof middle / sizeof *middle);
    /* matmul 320: mappings of their own, and the heap starts with the cache. */
    const struct step large[] = {{819200, 64, 0x7ffff7d06040},
                                 {819200, 64, 0x7ffff7c3d040},
                                 {819200, 64, 0x7ffff7b74040},
                                 {4096, 0, 0x5555555592a0}};
    check("matmul 320", false, large, sizeof large / sizeof *large);
    /* Rows that are freed and allocated again: some from the cache, which is filled from a fast bin
     * when that has one. */
    const struct step rows[] = {
        {40, 0, 0x5555555592a0}, {40, 0, 0x5555555592d0}, {40, 0, 0x555555559300},
        {40, 0, 0x555555559330}, {40, 0, 0x555555559360}, {40, 0, 0x555555559390},
        {40, 0, 0x5555555593c0}, {40, 0, 0x5555555593f0}, {40, 0, 0x555555559420},
        {40, 0, 0x555555559450}, {40, 0, 0x555555559480}, {0, 0, 0x5555555592a0},
        {0, 0, 0x5555555592d0},  {0, 0, 0x555555559300},  {0, 0, 0x555555559330},
        {0, 0, 0x555555559360},  {0, 0, 0x555555559390},  {0, 0, 0x5555555593c0},
        {0, 0, 0x5555555593f0},  {0, 0, 0x555555559420},  {0, 0, 0x555555559450},
        {0, 0, 0x555555559480},  {40, 0, 0x5555555593c0}, {40, 0, 0x555555559390},
        {40, 0, 0x555555559360}, {40, 0, 0x555555559330}, {40, 0, 0x555555559300},
        {40, 0, 0x5555555592d0}, {40, 0, 0x5555555592a0}, {40, 0, 0x555555559480},
        {40, 0, 0x5555555593f0}, {40, 0, 0x555555559420}, {40, 0, 0x555555559450},
        {0, 0, 0x5555555593c0},  {0, 0, 0x555555559390},  {0, 0, 0x555555559360},
        {0, 0, 0x555555559330},  {0, 0, 0x555555559300},  {0, 0, 0x5555555592d0},
        {0, 0, 0x5555555592a0},  {0, 0, 0x555555559480},  {0, 0, 0x5555555593f0},
        {0, 0, 0x555555559420},  {0, 0, 0x555555559450},  {40, 0, 0x5555555592a0},
        {40, 0, 0x5555555592d0}, {40, 0, 0x555555559300}, {40, 0, 0x555555559330},
        {40, 0, 0x555555559360}, {40, 0, 0x555555559390}, {40, 0, 0x5555555593c0},
        {40, 0, 0x555555559450}, {40, 0, 0x555555559480}, {40, 0, 0x5555555593f0},
        {40, 0, 0x555555559420}};
    check("rows", false, rows, sizeof rows / sizeof *rows);
    /* Chunks are sorted into bins when one is looked for; of a bin the smallest that fits is split.
     */
    const struct step sorted[] = {
        {40, 0, 0x5555555592a0},   {40, 0, 0x5555555592d0},  {2000, 0, 0x555555559300},
        {1500, 0, 0x555555559ae0}, {40, 0, 0x55555555a0d0},  {2000, 0, 0x55555555a100},
        {2000, 0, 0x55555555a8e0}, {0, 0, 0x5555555592d0},   {0, 0, 0x55555555a100},
        {0, 0, 0x555555559300},    {1500, 0, 0x555555559300}};
    check("sorted", false, sorted, sizeof sorted / sizeof *sorted);
    /* Large ones of one size: behind the oldest the latest comes first. */
    const struct step alike[] = {
        {24, 0, 0x5555555592a0},   {24, 0, 0x5555555592c0},   {1100, 0, 0x5555555592e0},
        {1100, 0, 0x555555559740}, {0, 0, 0x5555555592c0},    {0, 0, 0x555555559740},
        {1100, 0, 0x555555559740}, {1100, 0, 0x555555559ba0}, {1100, 0, 0x55555555a000},
        {1100, 0, 0x55555555a460}, {24, 0, 0x5555555592c0},   {1100, 0, 0x55555555a8c0},
        {24, 0, 0x55555555ad20},   {1100, 0, 0x55555555ad40}, {0, 0, 0x55555555a8c0},
        {1100, 0, 0x55555555a8c0}, {1100, 0, 0x55555555b1a0}, {1100, 0, 0x55555555b600},
        {1100, 0, 0x55555555ba60}, {0, 0, 0x555555559ba0},    {1100, 0, 0x555555559ba0},
        {0, 0, 0x55555555ad40},    {24, 0, 0x55555555ad40},   {0, 0, 0x5555555592c0},
        {24, 0, 0x5555555592c0},   {1100, 0, 0x55555555bec0}, {1100, 0, 0x55555555c320},
        {1100, 0, 0x55555555c780}, {0, 0, 0x55555555ad20},    {0, 0, 0x55555555a460},
        {1100, 0, 0x55555555a460}, {0, 0, 0x55555555b600},    {24, 0, 0x55555555ad20},
        {0, 0, 0x55555555a8c0},    {0, 0, 0x55555555a000},    {24, 0, 0x55555555ad60},
        {24, 0, 0x55555555ad80},   {0, 0, 0x55555555b1a0},    {1100, 0, 0x55555555a8c0}};
    check("alike", false, alike, sizeof alike / sizeof *alike);
    const struct step linked[] = {{100, 0, 0x4acfa0},
                                  {819200, 64, 0x7ffff7f2e040},
                                  {819200, 64, 0x7ffff7e65040},
                                  {819200, 64, 0x7ffff7d9c040}};
    check("linked statically", true, linked, sizeof linked / sizeof *linked);
    tap_ok(ft_allocator_mapping_end(0x7ffff7f2e040, 819200, 64) == UINT64_C(0x7ffff7ff7000) &&
               ft_allocator_mapping_end(0x7ffff7f2e010, 819200, 0) == UINT64_C(0x7ffff7ff7000),
           "where the first mapping ends");
    tap_ok(ft_allocator_mapping_end(0x4acfa0, 100, 0) == 0, "a small block has none");
    check_kernel();
    check_cleared();
    check_fresh();
    check_address_space();
    return tap_plan_done();
}
