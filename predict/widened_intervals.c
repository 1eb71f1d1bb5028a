#include "predict/widened_intervals.h"

#include <math.h>
#include <stdlib.h>

#include "predict/intervals/footprint_gaps.h"
#include "predict/intervals/malloc_paths.h"
#include "predict/intervals/sporadic_code.h"

struct ft_interval ft_widen_set_interval(struct ft_interval sets, double value,
                                         struct ft_interval full, double full_value)
{
    const double ratio = value / full_value;
    const bool needs_conflicts = sets.low > full_value;
    sets.low = fmin(sets.low, (needs_conflicts ? ratio : fmin(ratio, 1)) * full.low);
    sets.high = fmax(sets.high, ratio * full.high);
    return sets;
}

static void match_sets(const struct ft_widened_rows *rows)
{
    const struct ft_machine *machine = rows->metrics->machine;
    const size_t width = ft_metrics_width(machine);
    for (size_t scope = 0; scope < rows->metrics->model->scopes.scope_count; scope++) {
        const double *row = rows->inclusive + scope * width;
        struct ft_interval *intervals = rows->intervals + scope * width;
        for (size_t i = 0; i < machine->level_count; i++) {
            const size_t full_column = ft_fully_assoc_column(i), column = ft_set_assoc_column(i);
            const struct ft_interval *full = &intervals[full_column];
            struct ft_interval *sets = &intervals[column];
            if (full->known && sets->known && row[full_column] > 0)
                *sets = ft_widen_set_interval(*sets, row[column], *full, row[full_column]);
        }
    }
}

/* Where code ran at some sizes only, all that follows from how often code runs may be otherwise. */
static int reach_sporadic(const struct ft_widened_rows *rows, struct ft_diag *diag)
{
    const size_t scopes = rows->metrics->model->scopes.scope_count;
    const size_t width = ft_metrics_width(rows->metrics->machine);
    struct ft_sporadic_shares *shares = calloc(scopes + 1, sizeof *shares);
    int status = shares ? ft_sporadic_shares_find(rows->metrics->model, shares, diag)
                        : ft_fail_memory(diag, "intervals");
    for (size_t i = 0; i < scopes * width && status == FT_OK; i++) {
        struct ft_interval *interval = &rows->intervals[i];
        const struct ft_sporadic_shares *share = &shares[i / width];
        if (!interval->known || (share->missing == 0 && share->present == 0))
            continue;
        interval->low *= 1 - share->present;
        interval->high *= 1 + share->missing;
        interval->exact = false;
        interval->known =
            ft_interval_is_informative(rows->inclusive[i], interval->low, interval->high, 1);
    }
    free(shares);
    return status;
}

/* What other block sizes say that the program touches more misses more, at most once each. */
static int reach_footprints(const struct ft_widened_rows *rows, struct ft_diag *diag)
{
    const struct ft_model *model = rows->metrics->model;
    const struct ft_machine *machine = rows->metrics->machine;
    double *gaps = calloc(model->size_count + 1, sizeof *gaps);
    if (!gaps)
        return ft_fail_memory(diag, "intervals");
    if (rows->metrics->at.parameters[0] > ft_model_largest(model).parameters[0])
        ft_footprint_gaps(model, &rows->metrics->at, gaps);
    for (size_t i = 0; i < machine->level_count; i++) {
        const size_t size = ft_model_block_size(model, machine->levels[i].block_bytes);
        struct ft_interval *full = &rows->intervals[ft_fully_assoc_column(i)];
        struct ft_interval *sets = &rows->intervals[ft_set_assoc_column(i)];
        full->exact = full->exact && gaps[size] == 0;
        sets->exact = sets->exact && gaps[size] == 0;
        full->high += gaps[size];
        sets->high += gaps[size];
    }
    free(gaps);
    return FT_OK;
}

/* Accesses of a scope, and so of all around it, may be fewer and more. */
static void widen_accesses(const struct ft_widened_rows *rows, uint32_t scope, double fewer,
                           double more)
{
    const struct ft_scopes *scopes = &rows->metrics->model->scopes;
    const size_t width = ft_metrics_width(rows->metrics->machine);
    for (uint32_t around = 0; around <= scope; around++)
        if (ft_scope_is_inside(scopes, scope, around)) {
            struct ft_interval *interval = &rows->intervals[around * width + FT_METRIC_ACCESSES];
            interval->low = fmax(interval->low - fewer, 0);
            interval->high += more;
            interval->exact = false;
        }
}

/* Calls of malloc may take other paths: those there are, and others that are known to do so. */
static void reach_malloc_paths(const struct ft_widened_rows *rows)
{
    const struct ft_model *model = rows->metrics->model;
    const size_t width = ft_metrics_width(rows->metrics->machine);
    const struct ft_malloc_paths paths = ft_malloc_paths_find(model, &rows->metrics->at);
    for (uint32_t scope = paths.first; paths.are_other && scope < model->scopes.scope_count;
         scope++) {
        const double accesses = rows->inclusive[scope * width + FT_METRIC_ACCESSES];
        if (model->scopes.scopes[scope].kind == FT_SCOPE_ROUTINE &&
            ft_scope_is_malloc(&model->scopes, scope) && accesses > FT_STARTUP_ACCESSES)
            widen_accesses(rows, scope, accesses, accesses);
    }
    if (paths.more > 0)
        widen_accesses(rows, paths.first, 0, paths.more);
}

int ft_widen_intervals(const struct ft_widened_rows *rows, struct ft_diag *diag)
{
    match_sets(rows);
    reach_malloc_paths(rows);
    FT_TRY(reach_sporadic(rows, diag));
    return reach_footprints(rows, diag);
}
