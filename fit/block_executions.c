/*
 * Blocks end at jump targets, as far as jumps were taken: a block of the largest size may be part
 * of a longer one at a smaller size. It was then executed as often as the block there that holds
 * its first instruction. An edge into the next block was taken as often as both are executed where
 * they are one block; any other edge is one between blocks that end and begin at the same
 * addresses.
 */
#include "fit/block_executions.h"

#include <stdlib.h>
#include <string.h>

#include "formats/scopes/block_index.h"
#include "formats/x86/unit.h"

/* The code of an entry, and of the last one, in which the same modules have other indices. */
struct entry {
    const struct ft_scopes *scopes, *last;
    struct ft_block_index index;
    struct ft_block_edges edges;
    uint32_t *modules; /* [module of the last] */
};

static void entry_fini(struct entry *entry)
{
    ft_block_index_fini(&entry->index);
    ft_block_edges_fini(&entry->edges);
    free(entry->modules);
}

static bool entry_init(struct entry *entry, const struct ft_scopes *scopes,
                       const struct ft_scopes *last)
{
    *entry = (struct entry){.scopes = scopes, .last = last};
    entry->modules = ft_map_modules(last, scopes);
    const bool done = ft_block_index_init(&entry->index, scopes) &&
                      ft_block_edges_init(&entry->edges, scopes) && entry->modules;
    if (!done)
        entry_fini(entry);
    return done;
}

/* The block that holds an instruction of the last entry's code, or NULL. */
static const struct ft_block *find(const struct entry *entry, uint32_t module, uint64_t offset)
{
    const bool has = module != FT_NO_MODULE;
    if (has && entry->modules[module] == FT_NO_MODULE)
        return NULL;
    return ft_block_index_find(&entry->index, has ? entry->modules[module] : module, offset);
}

static double block_count(const struct entry *entry, const struct ft_block *block)
{
    const struct ft_block *found = find(entry, block->module, block->offset);
    return found ? (double)found->execution_count : 0;
}

/* How often the edge between two blocks of the entry was taken. */
static double count_between(const struct entry *entry, const struct ft_block *from,
                            const struct ft_block *to)
{
    const struct ft_scopes *scopes = entry->scopes;
    const uint32_t first = (uint32_t)(from - scopes->blocks);
    const uint32_t second = (uint32_t)(to - scopes->blocks);
    const size_t at = ft_block_edges_find(&entry->edges, first, second);
    if (at == scopes->edge_count)
        return 0;
    const struct ft_block_edge *edge = &scopes->edges[entry->edges.order[at]];
    return edge->from == first && edge->to == second ? (double)edge->count : 0;
}

static double edge_count(const struct entry *entry, const struct ft_block_edge *edge)
{
    const struct ft_block *from = &entry->last->blocks[edge->from];
    const struct ft_block *to = &entry->last->blocks[edge->to];
    const uint64_t end = from->offset + from->code_bytes;
    const struct ft_block *found_from = find(entry, from->module, end - 1);
    const struct ft_block *found_to = find(entry, to->module, to->offset);
    if (!found_from || !found_to)
        return 0;
    const bool is_whole = found_from->offset + found_from->code_bytes == end;
    if (found_from == found_to && !is_whole)
        return to->offset == end ? (double)found_from->execution_count : 0;
    return is_whole && found_to->offset == to->offset ? count_between(entry, found_from, found_to)
                                                      : 0;
}

/* Counts of blocks, then of edges. */
struct rows {
    double *counts; /* [row][entry] */
    size_t count, width;
};

static int compare_counts(const double *a, const double *b, size_t width)
{
    for (size_t k = 0; k < width; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct rows *rows = context;
    return compare_counts(rows->counts + *(const uint32_t *)left * rows->width,
                          rows->counts + *(const uint32_t *)right * rows->width, rows->width);
}

static int count_rows(const struct ft_match *match, const struct ft_histograms *const *entries,
                      struct rows *rows, struct ft_diag *diag)
{
    const struct ft_scopes *last = &entries[match->entry_count - 1]->scopes;
    *rows =
        (struct rows){.count = last->block_count + last->edge_count, .width = match->entry_count};
    rows->counts = calloc(rows->count * rows->width + 1, sizeof *rows->counts);
    for (size_t k = 0; k < rows->width; k++) {
        struct entry entry = {0};
        if (!rows->counts || !entry_init(&entry, &entries[k]->scopes, last))
            return ft_fail_memory(diag, "the executions of blocks");
        double *row = rows->counts + k;
        for (size_t i = 0; i < last->block_count; i++, row += rows->width)
            *row = block_count(&entry, &last->blocks[i]);
        for (size_t i = 0; i < last->edge_count; i++, row += rows->width)
            *row = edge_count(&entry, &last->edges[i]);
        entry_fini(&entry);
    }
    return FT_OK;
}

/* Rows that are the same become one; row_of[i] is what row i has become. */
static int join_rows(struct rows *rows, uint32_t *row_of, struct ft_diag *diag)
{
    uint32_t *order = calloc(rows->count + 1, sizeof *order);
    double *joined = calloc(rows->count * rows->width + 1, sizeof *joined);
    size_t kept = 0;
    if (!order || !joined) {
        free(order);
        free(joined);
        return ft_fail_memory(diag, "the executions of blocks");
    }
    for (uint32_t i = 0; i < rows->count; i++)
        order[i] = i;
    qsort_r(order, rows->count, sizeof *order, compare_rows, rows);
    for (size_t i = 0; i < rows->count; i++) {
        const double *row = rows->counts + order[i] * rows->width;
        if (i == 0 || compare_counts(joined + (kept - 1) * rows->width, row, rows->width) != 0)
            memcpy(joined + kept++ * rows->width, row, rows->width * sizeof *row);
        row_of[order[i]] = (uint32_t)(kept - 1);
    }
    free(order);
    free(rows->counts);
    rows->counts = joined;
    rows->count = kept;
    return FT_OK;
}

int ft_executions_gather(const struct ft_match *match, const struct ft_histograms *const *entries,
                         struct ft_model_executions *ret_executions, double **ret_counts,
                         struct ft_diag *diag)
{
    const struct ft_scopes *last = &entries[match->entry_count - 1]->scopes;
    const size_t blocks = last->block_count, edges = last->edge_count;
    struct ft_model_executions executions = {0};
    struct rows rows = {0};
    *ret_executions = executions;
    *ret_counts = NULL;
    if (match->build_count > 1 || blocks == 0)
        return FT_OK;
    uint32_t *row_of = calloc(blocks + edges + 1, sizeof *row_of);
    int status = count_rows(match, entries, &rows, diag);
    if (status == FT_OK)
        status = row_of ? join_rows(&rows, row_of, diag)
                        : ft_fail_memory(diag, "the executions of blocks");
    if (status == FT_OK) {
        executions.count = rows.count;
        executions.blocks = calloc(blocks + 1, sizeof *executions.blocks);
        executions.edges = calloc(edges + 1, sizeof *executions.edges);
        executions.functions = calloc(rows.count + 1, sizeof *executions.functions);
        if (!executions.blocks || !executions.edges || !executions.functions)
            status = ft_fail_memory(diag, "the executions of blocks");
    }
    if (status == FT_OK) {
        memcpy(executions.blocks, row_of, blocks * sizeof *row_of);
        memcpy(executions.edges, row_of + blocks, edges * sizeof *row_of);
        *ret_executions = executions;
        *ret_counts = rows.counts;
    } else {
        ft_executions_fini(&executions);
        free(rows.counts);
    }
    free(row_of);
    return status;
}
