/*
 * Pairs of references between which blocks are reused, at the block size that is shown where one
 * stands for all: those with most misses in the first machine's smallest level of it, fully
 * associative, and sums of all of them by what carries the reuse.
 */
#include <stdlib.h>

#include "predict/commands/page/page.h"
#include "predict/commands/report/measured.h"
#include "predict/metrics/misses.h"

#define PAIRS_SHOWN 300U
#define MISSES_MAX  16U /* levels of one block size */

/* Levels of a machine with blocks of one size. */
struct levels {
    const struct ft_level *items[MISSES_MAX];
    size_t count;
};

static struct levels levels_of(const struct ft_machine *machine, uint64_t block_bytes)
{
    struct levels levels = {.count = 0};
    for (size_t i = 0; i < machine->level_count && levels.count < MISSES_MAX; i++)
        if (machine->levels[i].block_bytes == block_bytes)
            levels.items[levels.count++] = &machine->levels[i];
    return levels;
}

struct counted {
    double touches, distance_sum;
    double misses[MISSES_MAX];
    size_t pair;
};

static struct counted count_pair(const struct ft_reuse_pairs *pairs, size_t index,
                                 const struct levels *levels)
{
    const struct ft_histogram *histogram = &pairs->histograms[index];
    struct ft_forecast_bin bins[FT_BIN_COUNT];
    struct ft_forecast forecast = {.bins = bins};
    struct counted counted = {.touches = (double)histogram->touches, .pair = index};
    ft_forecast_of_histogram(histogram, &forecast);
    for (size_t i = 0; i < histogram->bin_count; i++)
        counted.distance_sum += (double)histogram->bins[i].distance_sum;
    for (size_t i = 0; i < levels->count; i++)
        counted.misses[i] = ft_forecast_misses(&forecast, (double)levels->items[i]->blocks);
    return counted;
}

static int heavier(const void *left, const void *right)
{
    const struct counted *a = left, *b = right;
    if (a->misses[0] != b->misses[0])
        return a->misses[0] > b->misses[0] ? -1 : 1;
    if (a->distance_sum != b->distance_sum)
        return a->distance_sum > b->distance_sum ? -1 : 1;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

/* ---- as JSON ---- */

static json_t *misses_json(const struct counted *counted, const struct levels *levels)
{
    json_t *list = json_array();
    for (size_t i = 0; i < levels->count; i++)
        ft_json_append(&list, ft_page_number(counted->misses[i]));
    return list;
}

static json_t *reference_json(const struct ft_measurement *measured, uint32_t reference)
{
    const struct ft_scoped_reference *at = &ft_measurement_scopes(measured)->references[reference];
    return json_pack("{s:I, s:I, s:s}", "scope",
                     (json_int_t)ft_measurement_shown(measured, at->scope), "line",
                     (json_int_t)at->line, "kind", at->kind == FT_STORE ? "store" : "load");
}

/* The scope that carries the reuse; "thread" between threads; null where it is not known. */
static json_t *carrier_json(const struct ft_measurement *measured, const struct ft_reuse_pair *pair)
{
    return pair->scope == FT_NO_SCOPE ? json_null()
           : pair->scope == FT_OTHER_THREAD
               ? json_string("thread")
               : json_integer(ft_measurement_shown(measured, pair->scope));
}

static json_t *pair_json(const struct ft_measurement *measured, const struct ft_reuse_pair *pair,
                         const struct counted *counted, const struct levels *levels)
{
    return json_pack(
        "{s:o, s:o, s:o, s:b, s:o, s:o, s:o}", "sink", reference_json(measured, pair->sink),
        "source", reference_json(measured, pair->source), "carrier", carrier_json(measured, pair),
        "is_carried", pair->is_carried, "touches", ft_page_number(counted->touches),
        "mean_distance_blocks", ft_page_number(counted->distance_sum / counted->touches), "misses",
        misses_json(counted, levels));
}

/* By the scope that carries, what all pairs add up to; those of no scope are not among them. */
static json_t *carriers_json(const struct ft_measurement *measured,
                             const struct ft_reuse_pairs *pairs, const struct counted *counted,
                             const struct levels *levels)
{
    const size_t scope_count = ft_measurement_scopes(measured)->scope_count;
    struct counted *sums = calloc(scope_count + 1, sizeof *sums);
    json_t *list = json_array();
    for (size_t i = 0; sums && i < pairs->count; i++) {
        const struct ft_reuse_pair *pair = &pairs->pairs[counted[i].pair];
        if (pair->scope >= scope_count)
            continue;
        struct counted *sum = &sums[ft_measurement_shown(measured, pair->scope)];
        sum->touches += counted[i].touches;
        for (size_t k = 0; k < levels->count; k++)
            sum->misses[k] += counted[i].misses[k];
    }
    for (size_t i = 0; sums && i < scope_count; i++)
        if (sums[i].touches > 0)
            ft_json_append(&list, json_pack("{s:I, s:o, s:o}", "scope", (json_int_t)i, "touches",
                                            ft_page_number(sums[i].touches), "misses",
                                            misses_json(&sums[i], levels)));
    free(sums);
    return list;
}

static json_t *names_json(const struct levels *levels)
{
    json_t *list = json_array();
    for (size_t i = 0; i < levels->count; i++)
        ft_json_append(&list, ft_json_text(levels->items[i]->name));
    return list;
}

int ft_measurement_pairs(const struct ft_measurement *measured, json_t **ret_pairs,
                         struct ft_diag *diag)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    if (!entry->pairs) {
        *ret_pairs = json_null();
        return FT_OK;
    }
    const size_t size = ft_histograms_shown_size(entry);
    const struct ft_reuse_pairs *pairs = &entry->pairs[size];
    const struct levels levels = levels_of(&measured->sources[0].machine, entry->block_bytes[size]);
    struct counted *counted = calloc(pairs->count + 1, sizeof *counted);
    json_t *list = json_array();
    if (!counted) {
        json_decref(list);
        return ft_fail_memory(diag, "a report");
    }
    for (size_t i = 0; i < pairs->count; i++)
        counted[i] = count_pair(pairs, i, &levels);
    qsort(counted, pairs->count, sizeof *counted, heavier);
    for (size_t i = 0, shown = 0; i < pairs->count && shown < PAIRS_SHOWN; i++) {
        if (pairs->pairs[counted[i].pair].source == FT_NO_SOURCE)
            continue; /* nobody's data are reused */
        shown++;
        ft_json_append(&list,
                       pair_json(measured, &pairs->pairs[counted[i].pair], &counted[i], &levels));
    }
    *ret_pairs =
        json_pack("{s:I, s:o, s:I, s:o, s:o}", "block_bytes", (json_int_t)entry->block_bytes[size],
                  "levels", names_json(&levels), "count", (json_int_t)pairs->count, "pairs", list,
                  "carriers", carriers_json(measured, pairs, counted, &levels));
    free(counted);
    return FT_OK;
}
