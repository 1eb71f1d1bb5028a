/*
 * Capacities are so close together (STEPS an octave) that bars between them show the histogram.
 * Those of all machines are among them, so that what the page says of these is exact.
 */
#include "predict/commands/report/reuse_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/commands/page/page.h"

#define STEPS       4    /* capacities an octave */
#define MISSES_KEPT 1e-6 /* of all touches: scopes with fewer are left out */

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void add(struct ft_page_capacities *capacities, double blocks)
{
    if (capacities->count < FT_PAGE_CAPACITIES_MAX)
        capacities->blocks[capacities->count++] = blocks;
}

void ft_page_capacities_make(double distinct_blocks, struct ft_page_capacities *ret_capacities)
{
    ret_capacities->count = 0;
    for (int i = 0; i == 0 || exp2((double)(i - 1) / STEPS) < distinct_blocks; i++)
        add(ret_capacities, rint(exp2((double)i / STEPS)));
}

void ft_page_capacities_add(struct ft_page_capacities *capacities, const struct ft_machine *machine,
                            uint64_t block_bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < machine->level_count; i++)
        if (machine->levels[i].block_bytes == block_bytes)
            add(capacities, (double)machine->levels[i].blocks);
    qsort(capacities->blocks, capacities->count, sizeof *capacities->blocks, compare);
    for (size_t i = 0; i < capacities->count; i++)
        if (kept == 0 || capacities->blocks[i] > capacities->blocks[kept - 1])
            capacities->blocks[kept++] = capacities->blocks[i];
    capacities->count = kept;
}

void ft_page_reuse_add(struct ft_page_reuse_rows *rows, uint32_t scope,
                       const struct ft_forecast *forecast,
                       const struct ft_page_capacities *capacities)
{
    double *row = rows->items + scope * rows->width;
    row[0] += forecast->touches;
    row[1] += forecast->cold;
    for (size_t k = 0; k < capacities->count; k++)
        row[2 + k] += ft_forecast_misses(forecast, capacities->blocks[k]);
    for (size_t j = 0; j < forecast->bin_count; j++) {
        const double distance = forecast->bins[j].distance_blocks;
        size_t k = capacities->count;
        while (k > 0 && distance < capacities->blocks[k - 1])
            k--;
        if (k > 0)
            row[2 + capacities->count + k - 1] += distance * forecast->bins[j].touches;
    }
}

/* Scopes that no forecast shows count to the nearest one around them that is shown. */
static void fold(const struct ft_scopes *scopes, const bool *is_shown,
                 struct ft_page_reuse_rows *rows)
{
    for (size_t i = scopes->scope_count; i-- > 1;) {
        if (is_shown[i])
            continue;
        for (size_t k = 0; k < rows->width; k++)
            rows->items[scopes->scopes[i].parent * rows->width + k] +=
                rows->items[i * rows->width + k];
        memset(rows->items + i * rows->width, 0, rows->width * sizeof *rows->items);
    }
}

json_t *ft_page_misses(const double *misses, size_t count)
{
    json_t *list = json_array();
    while (count > 1 && misses[count - 1] == misses[count - 2])
        count--;
    for (size_t k = 0; k < count; k++)
        ft_json_append(&list, ft_page_number(misses[k]));
    return list;
}

/* Four digits are enough for a chance. */
static json_t *mean_json(double sum, double touches)
{
    char text[32];
    if (touches <= 0)
        return json_integer(0);
    snprintf(text, sizeof text, "%.4g", sum / touches);
    return ft_page_number(strtod(text, NULL));
}

/* Mean distances of touches that miss in a capacity, but not in the next one, or, beyond the last
 * one, are not cold; 0 where none do. */
static json_t *means_json(const double *row, size_t count)
{
    const double cold = row[1], *misses = row + 2, *sums = misses + count;
    size_t shown = count;
    json_t *list = json_array();
    while (shown > 0 && sums[shown - 1] == 0)
        shown--;
    for (size_t k = 0; k < shown; k++)
        ft_json_append(&list,
                       mean_json(sums[k], misses[k] - (k + 1 < count ? misses[k + 1] : cold)));
    return list;
}

static json_t *scopes_json(const struct ft_scopes *scopes, const struct ft_page_reuse_rows *rows)
{
    double all = 0;
    json_t *list = json_array();
    for (size_t i = 0; i < scopes->scope_count; i++)
        all += rows->items[i * rows->width];
    for (size_t i = 0; i < scopes->scope_count; i++) {
        const double *row = rows->items + i * rows->width;
        if (row[0] > MISSES_KEPT * all)
            ft_json_append(&list,
                           json_pack("{s:I, s:o, s:o, s:o, s:o}", "scope", (json_int_t)i, "touches",
                                     ft_page_number(row[0]), "cold", ft_page_number(row[1]),
                                     "misses", ft_page_misses(row + 2, rows->capacity_count),
                                     "means", means_json(row, rows->capacity_count)));
    }
    return list;
}

int ft_page_reuse_rows_init(struct ft_page_reuse_rows *rows, const struct ft_scopes *scopes,
                            const struct ft_page_capacities *capacities, struct ft_diag *diag)
{
    rows->capacity_count = capacities->count;
    rows->width = 2 + 2 * capacities->count;
    rows->items = calloc((scopes->scope_count + 1) * rows->width, sizeof *rows->items);
    return rows->items ? FT_OK : ft_fail_memory(diag, "a report");
}

json_t *ft_page_reuse_json(struct ft_page_reuse_rows *rows, const struct ft_scopes *scopes,
                           const bool *is_shown, uint64_t block_bytes,
                           const struct ft_page_capacities *capacities)
{
    json_t *blocks = json_array();
    for (size_t i = 0; i < capacities->count; i++)
        ft_json_append(&blocks, ft_page_number(capacities->blocks[i]));
    fold(scopes, is_shown, rows);
    return json_pack("{s:I, s:o, s:o}", "block_bytes", (json_int_t)block_bytes, "capacity_blocks",
                     blocks, "scopes", scopes_json(scopes, rows));
}
