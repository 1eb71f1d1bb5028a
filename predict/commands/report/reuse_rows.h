/*
 * Histograms of reuse distances in documents: how many touches of each scope miss, over capacities.
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_REUSE_ROWS_H
#define FT_PREDICT_COMMANDS_REPORT_REUSE_ROWS_H

#include "fit/evaluate/evaluate.h"
#include "formats/cli/json.h"
#include "formats/scopes/scopes.h"
#include "machines/machine.h"

/* Capacities in blocks, ascending. */
#define FT_PAGE_CAPACITIES_MAX 512U
struct ft_page_capacities {
    double blocks[FT_PAGE_CAPACITIES_MAX];
    size_t count;
};
/* Up to the first that holds all blocks; then those of a machine's levels of that block size. */
void ft_page_capacities_make(double distinct_blocks, struct ft_page_capacities *ret_capacities);
void ft_page_capacities_add(struct ft_page_capacities *capacities, const struct ft_machine *machine,
                            uint64_t block_bytes);
/* A list of misses, one a capacity; those at the end that are as many as the last are left out. */
json_t *ft_page_misses(const double *misses, size_t count);

/* A row of each scope: touches, cold ones, then the misses of each capacity, then the sums of the
 * distances of those that miss in it, but not in the next one. A forecast may have some beyond the
 * last one: its footprint and its distances are fitted by themselves. */
struct ft_page_reuse_rows {
    double *items; /* the caller frees them */
    size_t width, capacity_count;
};
int ft_page_reuse_rows_init(struct ft_page_reuse_rows *rows, const struct ft_scopes *scopes,
                            const struct ft_page_capacities *capacities, struct ft_diag *diag);
void ft_page_reuse_add(struct ft_page_reuse_rows *rows, uint32_t scope,
                       const struct ft_forecast *forecast,
                       const struct ft_page_capacities *capacities);
/* is_shown: [scope]; others are added to the nearest one around them that is. */
json_t *ft_page_reuse_json(struct ft_page_reuse_rows *rows, const struct ft_scopes *scopes,
                           const bool *is_shown, uint64_t block_bytes,
                           const struct ft_page_capacities *capacities);

#endif
