/*
 * Matching over sizes, on two entries made by hand: references by (build-id, offset, access index,
 * size), groups refined, what is not everywhere or too small in rest groups, nothing lost; and the
 * counts of scopes where blocks are cut differently.
 */
#include <stdlib.h>
#include <string.h>

#include "fit/matching/match.h"
#include "fit/scope_counts.h"
#include "formats/x86/unit.h"
#include "tests/support/tap.h"

#define REFERENCES 6

/* Offset, access index, group, accesses and bytes of the references of the two sizes. */
struct made {
    uint64_t offset;
    uint8_t access_index;
    uint32_t group;
    uint64_t accesses;
    uint32_t size_bytes;
};
static const struct made small_size[REFERENCES] = {{0x10, 0, 0, 10000},     {0x10, 1, 0, 10000},
                                                   {0x10, 0, 0, 10000, 32}, {0x30, 0, 1, 10000},
                                                   {0x40, 0, 1, 5000},      {0x50, 0, 2, 1}};
static const struct made large_size[REFERENCES] = {/* 0x40 is gone, 0x60 is new */
                                                   {0x50, 0, 3, 1},     {0x10, 0, 1, 50000},
                                                   {0x10, 1, 1, 50000}, {0x10, 0, 2, 50000, 32},
                                                   {0x30, 0, 2, 50000}, {0x60, 0, 0, 2000}};

struct fixture {
    struct ft_histograms entry;
    struct ft_scope_module modules[2];
    struct ft_scope scopes[4];
    struct ft_block blocks[3];
    struct ft_scoped_reference references[REFERENCES];
    uint64_t accesses[REFERENCES];
    struct ft_histogram histograms[REFERENCES];
    struct ft_bin bins[REFERENCES];
};

/* Module `library` comes first in the large size: numbers of modules differ. */
static void make(struct fixture *f, const struct made *made, bool large)
{
    static char program[] = "program", library[] = "library", empty[] = "";
    memset(f, 0, sizeof *f);
    uint32_t module = large;
    f->modules[module] = (struct ft_scope_module){program, empty, "aa"};
    f->modules[!module] = (struct ft_scope_module){library, empty, "bb"};
    f->scopes[0] =
        (struct ft_scope){.module = FT_NO_MODULE, .kind = FT_SCOPE_PROGRAM, .name = program};
    f->scopes[1] = (struct ft_scope){.module = module, .kind = FT_SCOPE_MODULE};
    f->scopes[2] = (struct ft_scope){
        .parent = 1, .module = module, .kind = FT_SCOPE_ROUTINE, .start_offset = 0x8};
    f->scopes[3] = (struct ft_scope){.parent = 2,
                                     .module = module,
                                     .kind = FT_SCOPE_LOOP,
                                     .start_offset = 0x10,
                                     .entry_count = 1,
                                     .iteration_count = large ? 50000 : 10000};
    /* At the small size the loop's code is one block in the routine, at the large one two. */
    size_t blocks = large ? 2 : 1;
    f->blocks[0] = (struct ft_block){.scope = 2 + large,
                                     .module = module,
                                     .offset = 0x10,
                                     .code_bytes = large ? 0x10 : 0x80,
                                     .instruction_count = 4,
                                     .execution_count = large ? 50000 : 10000,
                                     .flops = 2};
    f->blocks[1] = (struct ft_block){.scope = 3,
                                     .module = module,
                                     .offset = 0x20,
                                     .code_bytes = 0x70,
                                     .instruction_count = 6,
                                     .execution_count = 50000};
    f->entry = (struct ft_histograms){
        .size_count = 1, .reference_accesses = f->accesses, .histograms = f->histograms};
    f->entry.scopes =
        (struct ft_scopes){f->modules, 2, f->scopes,     large ? 4 : 3, f->blocks, blocks,
                           NULL,       0, f->references, REFERENCES,    4};
    for (size_t i = 0; i < REFERENCES; i++) {
        f->references[i] = (struct ft_scoped_reference){.offset = made[i].offset,
                                                        .module = module,
                                                        .scope = large ? 3 : 2,
                                                        .group = made[i].group,
                                                        .size_bytes = made[i].size_bytes,
                                                        .access_index = made[i].access_index};
        f->accesses[i] = made[i].accesses;
        f->bins[i] = (struct ft_bin){ft_bin_of(500), made[i].accesses, 500 * made[i].accesses};
        f->histograms[i] = (struct ft_histogram){made[i].accesses, 0, &f->bins[i], 1};
    }
}

int main(void)
{
    static struct fixture small, large;
    make(&small, small_size, false);
    make(&large, large_size, true);
    const struct ft_histograms *entries[2] = {&small.entry, &large.entry};
    struct ft_match match;
    if (!tap_ok(ft_match_init(&match, entries, 2, NULL) == FT_OK, "two sizes are matched"))
        return tap_plan_done();

    const uint32_t *of_small = match.group_of[0], *of_large = match.group_of[1];
    tap_ok(of_small[0] == of_small[1] && of_large[1] == of_large[2] && of_small[0] == of_large[1],
           "references together at both sizes are one group");
    tap_ok(of_small[2] != of_small[0] && of_small[2] == of_large[3],
           "together at the small size only: apart");
    tap_ok(of_small[3] != of_small[2] && of_small[3] == of_large[4],
           "together at the large size only: apart");
    tap_ok(match.groups[of_small[4]].rest && of_small[4] == of_large[5] &&
               match.groups[of_small[4]].scope == 2,
           "references of one size only go to the rest of their routine");
    tap_ok(match.groups[of_large[0]].rest && of_small[5] == of_large[0] &&
               of_large[0] != of_large[5],
           "a small constant group goes to the constant rest");
    tap_ok(match.group_count == 5, "%zu groups, 5 expected", match.group_count);
    double share = 200001.0 / 202001;
    tap_ok(match.matched_share > share - 1e-12 && match.matched_share < share + 1e-12,
           "matched share: %.4f of the accesses", match.matched_share);

    double *counts;
    if (tap_ok(ft_scope_counts_gather(&match, entries, &counts, NULL) == FT_OK,
               "the counts of scopes are gathered")) {
        const double *loop = counts + 3 * FT_QUANTITY_COUNT * 2;
        const double *instructions = loop + FT_QUANTITY_INSTRUCTIONS * 2;
        tap_ok(instructions[0] == 40000 && instructions[1] == 500000,
               "blocks belong to the scope that they have at the largest size: %g, %g",
               instructions[0], instructions[1]);
        tap_ok(loop[FT_QUANTITY_ITERATIONS * 2] == 0 &&
                   loop[FT_QUANTITY_ITERATIONS * 2 + 1] == 50000 &&
                   loop[FT_QUANTITY_FLOPS * 2 + 1] == 100000,
               "a loop that is none at the small size has no iterations there");
        free(counts);
    }
    ft_match_fini(&match);
    return tap_plan_done();
}
