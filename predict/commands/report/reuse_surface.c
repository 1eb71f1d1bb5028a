/*
 * The surface of miss ratios over size and capacity, as `query` without a size or a cache gives it
 * (Zhong et al. 2007): of the whole program, fully associative, on a grid of sizes in equal ratios
 * and capacities in half octaves; and likewise in sets of some ways, as sampled or by chance.
 *
 * Each point in sets evaluates all bins of a histogram, of which a program has many thousand at
 * distances that are nearly the same: those within a hundredth are one, at their mean.
 */
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

#include "predict/commands/report/document.h"
#include "predict/metrics/misses.h"
#include "predict/query/surface.h"

#define SIZES 40U
#define STEPS 2U /* capacities an octave */

static double capacity_at(size_t index)
{
    return FT_CAPACITY_MIN * exp2((double)index / STEPS);
}

static json_t *ratios_json(const struct ft_surface_cut *cut, size_t block_size, size_t count,
                           bool reuse)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        ft_json_append(&list,
                       ft_page_number(ft_surface_ratio(cut, block_size, capacity_at(i), reuse)));
    return list;
}

/* ---- in sets ---- */

#define NEAR 1.01 /* distances that are one */

static const uint64_t ways[] = {1, 2, 4, 8, 16};
#define WAYS_COUNT (sizeof ways / sizeof *ways)

/* bins: room for as many as the forecast has. */
static struct ft_forecast coarse_forecast(const struct ft_forecast *all,
                                          struct ft_forecast_bin *bins)
{
    struct ft_forecast coarse = *all;
    coarse.bins = bins;
    coarse.bin_count = 0;
    double from = 0, sum = 0;
    for (size_t i = 0; i < all->bin_count; i++) {
        const struct ft_forecast_bin *bin = &all->bins[i];
        if (coarse.bin_count == 0 || bin->distance_blocks > NEAR * from) {
            from = bin->distance_blocks;
            sum = 0;
            bins[coarse.bin_count++] = (struct ft_forecast_bin){0};
        }
        struct ft_forecast_bin *into = &bins[coarse.bin_count - 1];
        into->touches += bin->touches;
        sum += bin->touches * bin->distance_blocks;
        into->distance_blocks = into->touches > 0 ? sum / into->touches : from;
    }
    return coarse;
}

/* chances: those of two sets or more. Of blocks for one set alone, the cache is fully associative.
 */
static double set_ratio(const struct ft_forecast *forecast, double blocks, double footprint,
                        struct ft_set_chances *chances)
{
    const uint64_t whole = blocks >= 1 ? (uint64_t)blocks : 1;
    const double sets = floor((double)whole / chances->ways);
    const struct ft_set_chances of_one_set = ft_random_chances(whole, whole, 1);
    if (sets > 1)
        ft_set_chances_move(chances, sets, footprint);
    const double misses =
        ft_count_misses(forecast, sets > 1 ? chances : &of_one_set).set_associative;
    return forecast->accesses > 0 ? misses / forecast->accesses : 0;
}

/* Miss ratios over capacities, in sets of so many ways. */
static int sets_list(const struct ft_surface_cut *cut, size_t block_size, size_t count,
                     const struct ft_forecast *forecast, uint64_t of_ways, json_t **ret_list,
                     struct ft_diag *diag)
{
    const struct ft_model *model = cut->line.model;
    const struct ft_point at = ft_size_line_at(&cut->line, cut->n);
    const double footprint = ft_function_at(&model->distinct_blocks[block_size], &at);
    const struct ft_level two_sets = {
        .block_bytes = model->block_bytes[block_size], .blocks = 2 * of_ways, .ways = of_ways};
    struct ft_set_chances chances;
    FT_TRY(ft_set_chances_init(&chances, model, &two_sets, 1, &at, diag));
    *ret_list = json_array();
    for (size_t i = 0; i < count; i++)
        ft_json_append(ret_list, ft_page_number(set_ratio(
                                     forecast, capacity_at(i) / (double)two_sets.block_bytes,
                                     footprint, &chances)));
    ft_set_chances_fini(&chances);
    return FT_OK;
}

/* A list for each number of ways, appended to its rows. */
static int append_sets(const struct ft_surface_cut *cut, size_t block_size, size_t count,
                       json_t *const *rows, struct ft_diag *diag)
{
    const struct ft_forecast *all = &cut->wholes[block_size].all;
    struct ft_forecast_bin *bins = calloc(all->bin_count + 1, sizeof *bins);
    int status = bins ? FT_OK : ft_fail_memory(diag, "a surface");
    if (!status) {
        const struct ft_forecast coarse = coarse_forecast(all, bins);
        for (size_t k = 0; k < WAYS_COUNT && !status; k++) {
            json_t *list = NULL;
            status = sets_list(cut, block_size, count, &coarse, ways[k], &list, diag);
            json_array_append_new(rows[k], list);
        }
    }
    free(bins);
    return status;
}

/* ---- all of it ---- */

/* Of a block size, over the sizes. */
struct grid {
    json_t *sizes, *cold, *ratios, *reuse;
    json_t *sets[WAYS_COUNT];
};

static int append_cut(const struct ft_surface_cut *cut, size_t block_size, size_t count,
                      struct grid *grid, struct ft_diag *diag)
{
    const struct ft_forecast *all = &cut->wholes[block_size].all;
    ft_json_append(&grid->sizes, ft_page_number(cut->n));
    ft_json_append(&grid->cold, ft_page_number(all->accesses > 0 ? all->cold / all->accesses : 0));
    ft_json_append(&grid->ratios, ratios_json(cut, block_size, count, false));
    ft_json_append(&grid->reuse, ratios_json(cut, block_size, count, true));
    return append_sets(cut, block_size, count, grid->sets, diag);
}

static int fill_grid(const struct ft_page_task *task, size_t block_size, size_t count,
                     struct grid *grid, struct ft_diag *diag)
{
    const double asked = ft_page_prediction(task, 0)->n;
    const struct ft_size_line line = ft_page_sizes(task);
    struct ft_surface_cut cut;
    double last = 0;
    FT_TRY(ft_surface_cut_init(&cut, &line, diag));
    int status = FT_OK;
    for (size_t step = 0; step <= SIZES && status == FT_OK;) {
        double n = ft_size_step(&line, step, SIZES);
        if (last < asked && asked < n)
            n = asked; /* between two steps */
        else
            step++;
        if (n <= last)
            continue;
        last = n;
        status = ft_surface_cut_at(&cut, n, diag);
        if (status == FT_OK)
            status = append_cut(&cut, block_size, count, grid, diag);
    }
    ft_surface_cut_fini(&cut);
    return status;
}

static json_t *sets_json(const struct grid *grid)
{
    json_t *list = json_array();
    for (size_t k = 0; k < WAYS_COUNT; k++)
        ft_json_append(&list, json_pack("{s:I, s:o}", "ways", (json_int_t)ways[k], "miss_ratios",
                                        grid->sets[k]));
    return list;
}

int ft_page_surface(const struct ft_page_task *task, size_t block_size, json_t **ret_surface,
                    struct ft_diag *diag)
{
    const struct ft_model *model = ft_page_model(task);
    const size_t count = STEPS * ft_surface_capacities(model, ft_page_sizes(task).to) + 1;
    struct grid grid = {json_array(), json_array(), json_array(), json_array(), {NULL}};
    json_t *capacities = json_array();
    gsl_set_error_handler_off(); /* the default one aborts the program */
    for (size_t k = 0; k < WAYS_COUNT; k++)
        grid.sets[k] = json_array();
    int status = fill_grid(task, block_size, count, &grid, diag);
    for (size_t i = 0; i < count; i++)
        ft_json_append(&capacities, ft_page_number(capacity_at(i)));
    json_t *surface =
        json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "block_bytes",
                  (json_int_t)model->block_bytes[block_size], "sizes", grid.sizes, "capacity_bytes",
                  capacities, "cold_ratios", grid.cold, "miss_ratios", grid.ratios,
                  "reuse_miss_ratios", grid.reuse, "sets", sets_json(&grid));
    if (status == FT_OK)
        *ret_surface = surface;
    else
        json_decref(surface);
    return status;
}
