/*
 * Histograms of references are summed by scope, and by group: references of a scope that move alike
 * (docs/glossary.md). Sums are of integers; misses are counted as those of forecasts.
 */
#include <stdlib.h>

#include "predict/commands/page/page.h"
#include "predict/commands/report/measured.h"
#include "predict/commands/report/reuse_rows.h"
#include "predict/metrics/misses.h"

#define GROUPS_SHOWN 400U

static void find_capacities(const struct ft_measurement *measured, size_t size,
                            struct ft_page_capacities *ret_capacities)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    ft_page_capacities_make((double)entry->distinct_blocks[size], ret_capacities);
    for (size_t i = 0; i < measured->count; i++)
        ft_page_capacities_add(ret_capacities, &measured->sources[i].machine,
                               entry->block_bytes[size]);
}

static bool is_access(const struct ft_histograms *entry, size_t reference)
{
    return entry->scopes.references[reference].kind != FT_FETCH;
}

int ft_measurement_reuse(const struct ft_measurement *measured, size_t size, json_t **ret_reuse,
                         struct ft_diag *diag)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    struct ft_forecast_bin bins[FT_BIN_COUNT];
    struct ft_page_capacities capacities;
    struct ft_page_reuse_rows rows;
    find_capacities(measured, size, &capacities);
    FT_TRY(ft_page_reuse_rows_init(&rows, &entry->scopes, &capacities, diag));
    for (size_t j = 0; j < entry->reference_count; j++) {
        struct ft_forecast forecast = {.bins = bins};
        if (!is_access(entry, j))
            continue;
        ft_forecast_of_histogram(&entry->histograms[j * entry->size_count + size], &forecast);
        ft_page_reuse_add(&rows, entry->scopes.references[j].scope, &forecast, &capacities);
    }
    *ret_reuse = ft_page_reuse_json(&rows, &entry->scopes, measured->is_shown,
                                    entry->block_bytes[size], &capacities);
    free(rows.items);
    return FT_OK;
}

/* ---- groups of references ---- */

/* Which references are a group: `first` stands for it. */
struct group {
    uint32_t first, count;
    double accesses;
    struct ft_histogram *sums; /* [size] */
};

static int heavier(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->accesses != b->accesses)
        return a->accesses > b->accesses ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static int add_reference(const struct ft_histograms *entry, size_t reference, struct group *group,
                         struct ft_diag *diag)
{
    if (group->count++ == 0)
        group->first = (uint32_t)reference;
    group->accesses += (double)entry->reference_accesses[reference];
    for (size_t size = 0; size < entry->size_count; size++)
        FT_TRY(ft_histogram_add(&group->sums[size],
                                &entry->histograms[reference * entry->size_count + size], diag));
    return FT_OK;
}

static int make_groups(const struct ft_histograms *entry, struct group *groups,
                       struct ft_diag *diag)
{
    for (size_t j = 0; j < entry->reference_count; j++)
        if (is_access(entry, j))
            FT_TRY(add_reference(entry, j, &groups[entry->scopes.references[j].group], diag));
    qsort(groups, entry->scopes.group_count, sizeof *groups, heavier);
    return FT_OK;
}

static json_t *misses_json(const struct ft_measurement *measured, const struct group *group)
{
    json_t *list = json_array();
    for (size_t i = 0; i < measured->sources[0].machine.level_count; i++)
        ft_json_append(&list,
                       ft_page_number(ft_measurement_misses(
                           measured, i, &group->sums[ft_measurement_block_size(measured, i)])));
    return list;
}

static json_t *histogram_json(const struct group *group,
                              const struct ft_page_capacities *capacities)
{
    struct ft_forecast_bin bins[FT_BIN_COUNT];
    struct ft_forecast forecast = {.bins = bins};
    double misses[FT_PAGE_CAPACITIES_MAX];
    ft_forecast_of_histogram(&group->sums[0], &forecast);
    for (size_t k = 0; k < capacities->count; k++)
        misses[k] = ft_forecast_misses(&forecast, capacities->blocks[k]);
    return json_pack("{s:o, s:o, s:o}", "touches", ft_page_number(forecast.touches), "cold",
                     ft_page_number(forecast.cold), "misses",
                     ft_page_misses(misses, capacities->count));
}

static json_t *group_json(const struct ft_measurement *measured, const struct group *group,
                          const struct ft_page_capacities *capacities)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    const struct ft_scoped_reference *reference = &entry->scopes.references[group->first];
    const int64_t stride = entry->reference_strides[group->first];
    return json_pack("{s:I, s:I, s:b, s:I, s:o, s:[], s:o, s:o, s:o}", "scope",
                     (json_int_t)ft_measurement_shown(measured, reference->scope), "line",
                     (json_int_t)reference->line, "rest", false, "references",
                     (json_int_t)group->count, "stride",
                     stride == FT_STRIDE_NONE || stride == FT_STRIDE_MIXED ? json_null()
                                                                           : json_integer(stride),
                     "strides", "accesses", ft_page_number(group->accesses), "misses",
                     misses_json(measured, group), "histogram", histogram_json(group, capacities));
}

static void free_groups(struct group *groups, size_t count, size_t size_count)
{
    for (size_t i = 0; groups && i < count; i++)
        if (groups[i].sums)
            ft_histogram_array_free(groups[i].sums, size_count);
    free(groups);
}

int ft_measurement_references(const struct ft_measurement *measured, json_t **ret_references,
                              struct ft_diag *diag)
{
    const struct ft_histograms *entry = ft_measurement_entry(measured);
    const size_t count = entry->scopes.group_count;
    struct ft_page_capacities capacities;
    struct group *groups = calloc(count + 1, sizeof *groups);
    int status = groups ? FT_OK : ft_fail_memory(diag, "a report");
    for (size_t i = 0; i < count && status == FT_OK; i++) {
        groups[i].sums = calloc(entry->size_count, sizeof *groups[i].sums);
        status = groups[i].sums ? FT_OK : ft_fail_memory(diag, "a report");
    }
    if (status == FT_OK)
        status = make_groups(entry, groups, diag);
    find_capacities(measured, 0, &capacities);
    json_t *list = json_array();
    for (size_t i = 0; status == FT_OK && i < count && i < GROUPS_SHOWN && groups[i].count > 0; i++)
        ft_json_append(&list, group_json(measured, &groups[i], &capacities));
    free_groups(groups, count, entry->size_count);
    if (status == FT_OK)
        *ret_references = list;
    else
        json_decref(list);
    return status;
}
