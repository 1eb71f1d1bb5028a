#include "fit/count_periods.h"

#include <stdlib.h>
#include <string.h>

#include "fit/functions/period_search.h"
#include "fit/scope_counts.h"

/* [count][size], of groups first. */
static double *list_counts(const struct ft_fit_work *work, size_t scope_count, size_t *ret_count)
{
    const size_t sizes = work->count, groups = work->match.group_count;
    double *counts = calloc((groups + 2 * scope_count) * sizes + 1, sizeof *counts);
    if (!counts)
        return NULL;
    for (size_t e = 0; e < sizes; e++)
        for (size_t i = 0; i < work->entries[e]->scopes.reference_count; i++)
            if (work->match.group_of[e][i] != FT_NO_GROUP)
                counts[work->match.group_of[e][i] * sizes + e] +=
                    (double)work->entries[e]->reference_accesses[i];
    for (size_t scope = 0; scope < scope_count; scope++) {
        const double *from = work->scope_counts + scope * FT_QUANTITY_COUNT * sizes;
        double *into = counts + (groups + 2 * scope) * sizes;
        memcpy(into, from + FT_QUANTITY_ENTRIES * sizes, sizes * sizeof *into);
        memcpy(into + sizes, from + FT_QUANTITY_ITERATIONS * sizes, sizes * sizeof *into);
    }
    *ret_count = groups + 2 * scope_count;
    return counts;
}

int ft_count_periods_add(struct ft_fit_work *work, struct ft_diag *diag)
{
    struct ft_basis *basis = &work->model->basis;
    const size_t scopes = work->entries[work->count - 1]->scopes.scope_count;
    const size_t before = basis->term_count;
    size_t count = 0;
    if (work->axis.chosen || work->model->over_data_size || basis->parameter_count > 1)
        return FT_OK;
    double *counts = list_counts(work, scopes, &count);
    if (!counts)
        return ft_fail_memory(diag, "the counts of scopes");
    int status = ft_period_search_extend(basis, work->axis.n, work->count, counts, count, diag);
    free(counts);
    if (status < 0 || basis->term_count == before)
        return status;
    double sizes[FT_TRAINING_MAX];
    memcpy(sizes, work->axis.n, work->count * sizeof *sizes);
    ft_axis_fini(&work->axis);
    return ft_axis_init(&work->axis, basis, sizes, work->count, diag);
}
