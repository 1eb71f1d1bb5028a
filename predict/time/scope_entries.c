#include "predict/time/scope_entries.h"

#include <stdlib.h>

#define NO_BLOCK UINT32_MAX

static void note(uint32_t from, double count, uint32_t *best, double *most)
{
    if (count > *most) {
        *most = count;
        *best = from;
    }
}

int ft_scope_entries_find(const struct ft_scopes *scopes, const double *edge_counts,
                          struct ft_scope_entries *ret_entries, struct ft_diag *diag)
{
    const size_t blocks = scopes->block_count;
    struct ft_scope_entries entries = {.scopes = scopes,
                                       .from = malloc((blocks + 1) * sizeof *entries.from),
                                       .from_around = malloc((blocks + 1) * sizeof *entries.from),
                                       .from_own = malloc((blocks + 1) * sizeof *entries.from),
                                       .entered = calloc(blocks + 1, sizeof *entries.entered)};
    double(*most)[3] = calloc(blocks + 1, sizeof *most);
    *ret_entries = entries;
    if (!entries.from || !entries.from_around || !entries.from_own || !entries.entered || !most) {
        free(most);
        return ft_fail_memory(diag, "the code of a program");
    }
    for (size_t b = 0; b < blocks; b++)
        entries.from[b] = entries.from_around[b] = entries.from_own[b] = NO_BLOCK;
    for (size_t e = 0; e < scopes->edge_count; e++) {
        const uint32_t from = scopes->edges[e].from, to = scopes->edges[e].to;
        const uint32_t scope = scopes->blocks[to].scope;
        const double count = edge_counts[e];
        note(from, count, &entries.from[to], &most[to][0]);
        if (scopes->blocks[from].scope == scope) {
            note(from, count, &entries.from_own[to], &most[to][1]);
        } else if (!ft_scope_is_inside(scopes, scopes->blocks[from].scope, scope)) {
            note(from, count, &entries.from_around[to], &most[to][2]);
            entries.entered[to] += count;
        }
    }
    free(most);
    return FT_OK;
}

void ft_scope_entries_fini(struct ft_scope_entries *entries)
{
    free(entries->from);
    free(entries->from_around);
    free(entries->from_own);
    free(entries->entered);
    *entries = (struct ft_scope_entries){0};
}

static void reverse(uint32_t *blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t block = blocks[i];
        blocks[i] = blocks[count - 1 - i];
        blocks[count - 1 - i] = block;
    }
}

uint32_t ft_scope_entries_before(const struct ft_scope_entries *entries, uint32_t block,
                                 uint32_t *ret_blocks)
{
    uint32_t count = 0;
    block = entries->from_around[block];
    while (block != NO_BLOCK && count < FT_ENTRY_BLOCKS_MAX) {
        ret_blocks[count++] = block;
        block = entries->from_own[block];
    }
    reverse(ret_blocks, count);
    return count;
}

bool ft_scope_entries_between(const struct ft_scope_entries *entries, uint32_t block,
                              uint32_t *ret_blocks, uint32_t *ret_count)
{
    const struct ft_scopes *scopes = entries->scopes;
    const uint32_t loop = scopes->blocks[block].scope;
    uint32_t count = 0;
    block = entries->from_around[block];
    while (block != NO_BLOCK && !ft_scope_is_inside(scopes, scopes->blocks[block].scope, loop)) {
        if (count == FT_BETWEEN_BLOCKS_MAX)
            return false;
        ret_blocks[count++] = block;
        block = entries->from[block];
    }
    reverse(ret_blocks, count);
    *ret_count = count;
    return block != NO_BLOCK;
}
