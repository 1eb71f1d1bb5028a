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
        uint64_t address = 0;
        if (steps[i].bytes == 0) {
            tap_ok(ft_allocator_free(allocator, steps[i].address, &diag) == 0, "%s: freed", what);
            continue;
        }
        int status = ft_allocator_allocate(allocator, steps[i].bytes, steps[i].alignment, false,
                                           &address, &diag);
        tap_ok(status == 0 && address == steps[i].address,
               "%s: %" PRIu64 " bytes at %#" PRIx64 ", not %#" PRIx64, what, steps[i].bytes,
               steps[i].address, address);
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
    uint64_t addresses[2] = {0};
    if (!tap_ok(ft_allocator_create(STATIC_HEAP, &kernel_pages, 1, &allocator, &diag) == 0,
                "another kernel"))
        return;
    for (size_t i = 0; i < 2; i++)
        ft_allocator_allocate(allocator, 819200, 64, false, &addresses[i], &diag);
    tap_ok(addresses[0] == first && addresses[1] == first - 0xc9000,
           "blocks at %#" PRIx64 ", %#" PRIx64, addresses[0], addresses[1]);
    ft_allocator_destroy(allocator);
}

/* What calloc cleared there: of the third block not what lies above the former end of the heap, of
 * the last one nothing. */
static void check_calloc(void)
{
    static const struct {
        uint64_t bytes, address, cleared;
    } blocks[] = {{1000, 0x5555555592a0, 1000},
                  {60000, 0x555555559690, 60008},
                  {100000, 0x555555568100, 0x57a008 - 0x568100},
                  {50000, 0x5555555807b0, 50008},
                  {200000, 0x7ffff7d9c010, 0}};
    const struct ft_mapped_range mapped = {0x7ffff7dcd000, 0x7ffff7fb4000};
    struct ft_allocator *allocator;
    struct ft_diag diag = {0};
    if (!tap_ok(ft_allocator_create(HEAP, &mapped, 1, &allocator, &diag) == 0, "calloc"))
        return;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        uint64_t address = 0;
        ft_allocator_allocate(allocator, blocks[i].bytes, 0, true, &address, &diag);
        tap_ok(address == blocks[i].address && ft_allocator_cleared(allocator) == blocks[i].cleared,
               "%" PRIu64 " bytes at %#" PRIx64 ", %" PRIu64 " cleared", blocks[i].bytes, address,
               ft_allocator_cleared(allocator));
    }
    ft_allocator_destroy(allocator);
    tap_ok(ft_allocator_has_mapped(0x7ffff7d9c010, 200000) &&
               !ft_allocator_has_mapped(0x555555568100, 200000) &&
               !ft_allocator_has_mapped(0x7ffff7d9c010, 1000),
           "which blocks are in mappings of their own");
}

static void check_address_space(void)
{
    struct ft_allocator *allocator;
    struct ft_diag diag = {0};
    uint64_t address;
    int status = ft_allocator_create(STATIC_HEAP, NULL, 0, &allocator, &diag);
    for (size_t i = 0; i < 16 && !status; i++)
        status = ft_allocator_allocate(allocator, UINT64_C(1) << 44, 0, false, &address, &diag);
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
    check_calloc();
    check_address_space();
    return tap_plan_done();
}
