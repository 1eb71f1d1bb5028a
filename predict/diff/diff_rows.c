/*
 * Questions to the rows of a diff: which one a text names, what is in it, which metric and which
 * rows change most.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/diff/diff.h"
#include "predict/query/scope_choice.h"

#define SAME 1e-9 /* relative: rounding alone */

/* ---- by name ---- */

/* Of each scope of a side, with what is nested; NULL: out of memory. The caller frees them. */
static double *accesses_of(const struct ft_diff *diff, unsigned side)
{
    const struct ft_diff_side *of = &diff->sides[side];
    const size_t column = ft_diff_metric_of(diff->metrics, FT_SHOW_ACCESSES);
    double *accesses = calloc(of->scopes->scope_count + 1, sizeof *accesses);
    for (size_t i = 0; accesses && i < of->scopes->scope_count; i++)
        accesses[i] = of->inclusive[i * diff->metrics->count + column].value;
    return accesses;
}

static int find(const struct ft_diff *diff, const char *text, double *const accesses[2],
                uint32_t *ret_row, struct ft_diag *diag)
{
    char names[FT_BUSIEST_ROUTINES_TEXT];
    for (unsigned k = 0; k < 2; k++) {
        const unsigned side = 1 - k;
        const uint32_t found = ft_scopes_find(diff->sides[side].scopes, accesses[side], text);
        if (!found)
            continue;
        *ret_row = diff->row_of[side][found];
        return FT_OK;
    }
    ft_busiest_routines_text(names, diff->sides[1].scopes, accesses[1]);
    return ft_fail(diag, FT_ERROR_USAGE,
                   "%s: neither side has such a routine, or a loop there (FILE:LINE); routines "
                   "with most accesses are: %s",
                   text, *names ? names : "none");
}

int ft_diff_find(const struct ft_diff *diff, const char *text, uint32_t *ret_row,
                 struct ft_diag *diag)
{
    double *const accesses[2] = {accesses_of(diff, 0), accesses_of(diff, 1)};
    int status = accesses[0] && accesses[1] ? find(diff, text, accesses, ret_row, diag)
                                            : ft_fail_memory(diag, "a diff");
    free(accesses[0]);
    free(accesses[1]);
    return status;
}

bool ft_diff_is_inside(const struct ft_diff *diff, uint32_t row, uint32_t outer)
{
    if (outer == FT_NO_ROW || row == outer)
        return true;
    for (unsigned side = 0; side < 2; side++) {
        uint32_t scope = diff->rows[row].scopes[side];
        while (scope != FT_NO_MATCH && scope > 0) {
            if (diff->row_of[side][scope] == outer)
                return true;
            scope = diff->sides[side].scopes->scopes[scope].parent;
        }
    }
    return false;
}

uint32_t ft_diff_place(const struct ft_diff *diff, uint32_t row)
{
    while (diff->rows[row].counts[0] == 0 || diff->rows[row].counts[1] == 0) {
        const unsigned side = diff->rows[row].counts[1] > 0;
        const uint32_t scope = diff->rows[row].scopes[side];
        const uint32_t around = diff->sides[side].scopes->scopes[scope].parent;
        if (diff->row_of[side][around] == FT_NO_ROW)
            break;
        row = diff->row_of[side][around];
    }
    return row;
}

/* ---- values ---- */

void ft_diff_inclusive(const struct ft_diff *diff, uint32_t row, size_t metric,
                       struct ft_compared_value ret_values[2])
{
    for (unsigned side = 0; side < 2; side++)
        ret_values[side] = row == FT_NO_ROW
                               ? diff->sides[side].inclusive[metric]
                               : diff->inclusive[ft_diff_value_at(diff, row, side, metric)];
}

double ft_diff_exclusive_change(const struct ft_diff *diff, uint32_t row, size_t metric)
{
    return ft_diff_exclusive(diff, row, 1, metric) - ft_diff_exclusive(diff, row, 0, metric);
}

/* ---- what changes most ---- */

/* What the change of a metric costs, in cycles on a machine; 0 of a metric that is not asked. */
static double cost_of(const struct ft_diff *diff, uint32_t within, size_t metric,
                      const struct ft_machine *machine)
{
    const struct ft_shown_metric *of = &diff->metrics->items[metric];
    struct ft_compared_value values[2];
    ft_diff_inclusive(diff, within, metric, values);
    const double change = fabs(values[1].value - values[0].value);
    if (isnan(change) || change <= SAME * values[0].value)
        return 0;
    if (of->kind == FT_SHOW_INSTRUCTIONS)
        return machine->issue_width > 0 ? change / machine->issue_width : 0;
    const size_t level = of->level ? ft_machine_find_level(machine, of->level) : 0;
    if (of->kind != FT_SHOW_MISSES || level == machine->level_count)
        return 0;
    return change * ft_machine_miss_cycles(machine, level, false);
}

static bool changes(const struct ft_diff *diff, uint32_t within, size_t metric)
{
    struct ft_compared_value values[2];
    if (metric == diff->metrics->count)
        return false;
    ft_diff_inclusive(diff, within, metric, values);
    return fabs(values[1].value - values[0].value) > SAME * values[0].value;
}

size_t ft_diff_main_metric(const struct ft_diff *diff, uint32_t within,
                           const struct ft_machine *machine)
{
    const size_t time = ft_diff_metric_of(diff->metrics, FT_SHOW_TIME);
    const size_t accesses = ft_diff_metric_of(diff->metrics, FT_SHOW_ACCESSES);
    const size_t instructions = ft_diff_metric_of(diff->metrics, FT_SHOW_INSTRUCTIONS);
    if (changes(diff, within, time))
        return time;
    size_t most = changes(diff, within, accesses) || !changes(diff, within, instructions)
                      ? accesses
                      : instructions;
    double cost_max = 0;
    for (size_t i = 0; machine && i < diff->metrics->count; i++) {
        const double cost = cost_of(diff, within, i, machine);
        if (cost > cost_max) {
            cost_max = cost;
            most = i;
        }
    }
    return most;
}

struct weighed {
    double weight, second; /* by the metric; by accesses and instructions where that is the same */
    uint32_t row;
};

static int compare(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->second != b->second)
        return a->second > b->second ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Whether any metric of a row changes by itself. */
static bool row_changes(const struct ft_diff *diff, uint32_t row)
{
    for (size_t i = 0; i < diff->metrics->count; i++) {
        const double before = ft_diff_exclusive(diff, row, 0, i);
        if (fabs(ft_diff_exclusive_change(diff, row, i)) > SAME * before)
            return true;
    }
    return diff->rows[row].counts[0] == 0 || diff->rows[row].counts[1] == 0;
}

int ft_diff_sort(const struct ft_diff *diff, uint32_t within, size_t metric, uint32_t **ret_rows,
                 size_t *ret_count, struct ft_diag *diag)
{
    const size_t accesses = ft_diff_metric_of(diff->metrics, FT_SHOW_ACCESSES);
    const size_t instructions = ft_diff_metric_of(diff->metrics, FT_SHOW_INSTRUCTIONS);
    struct weighed *all = calloc((size_t)diff->row_count + 1, sizeof *all);
    uint32_t *rows = calloc((size_t)diff->row_count + 1, sizeof *rows);
    if (!all || !rows) {
        free(all);
        free(rows);
        return ft_fail_memory(diag, "a diff");
    }
    size_t count = 0;
    for (uint32_t i = 0; i < diff->row_count; i++) {
        if (!ft_diff_is_inside(diff, i, within) || !row_changes(diff, i))
            continue;
        const double weight = fabs(ft_diff_exclusive_change(diff, i, metric));
        const double second = fabs(ft_diff_exclusive_change(diff, i, accesses)) +
                              fabs(ft_diff_exclusive_change(diff, i, instructions));
        all[count++] = (struct weighed){isnan(weight) ? 0 : weight, isnan(second) ? 0 : second, i};
    }
    qsort(all, count, sizeof *all, compare);
    for (size_t i = 0; i < count; i++)
        rows[i] = all[i].row;
    free(all);
    *ret_rows = rows;
    *ret_count = count;
    return FT_OK;
}
