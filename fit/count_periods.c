#include "fit/count_periods.h"

#include <stdlib.h>
#include <string.h>

#include "fit/functions/period_search.h"
#include "fit/scope_counts.h"

/* Accesses of groups; of those that are not known at all counted sizes, none. */
static void list_groups(const struct ft_fit_work *work, double *counts)
{
    const size_t sizes = work->counted.count;
    if (work->counted.alone > 0) {
        for (size_t group = 0; group < work->match.group_count; group++)
            if (work->group_counts.known[group])
                memcpy(counts + group * sizes, work->group_counts.counts + group * sizes,
                       sizes * sizeof *counts);
        return;
    }
    for (size_t e = 0; e < sizes; e++)
        for (size_t i = 0; i < work->entries[e]->scopes.reference_count; i++)
            if (work->match.group_of[e][i] != FT_NO_GROUP)
                counts[work->match.group_of[e][i] * sizes + e] +=
                    (double)work->entries[e]->reference_accesses[i];
}

/* [count][counted size], of groups first. */
static double *list_counts(const struct ft_fit_work *work, size_t scope_count, size_t *ret_count)
{
    const size_t sizes = work->counted.count, groups = work->match.group_count;
    double *counts = calloc((groups + 2 * scope_count) * sizes + 1, sizeof *counts);
    if (!counts)
        return NULL;
    list_groups(work, counts);
    for (size_t scope = 0; scope < scope_count; scope++) {
        const double *from = work->scope_counts + scope * FT_QUANTITY_COUNT * sizes;
        double *into = counts + (groups + 2 * scope) * sizes;
        memcpy(into, from + FT_QUANTITY_ENTRIES * sizes, sizes * sizeof *into);
        memcpy(into + sizes, from + FT_QUANTITY_ITERATIONS * sizes, sizes * sizeof *into);
    }
    *ret_count = groups + 2 * scope_count;
    return counts;
}

/* An axis of the same sizes, with the terms that were added. */
static int rebuild(struct ft_axis *axis, const struct ft_basis *basis, struct ft_diag *diag)
{
    double sizes[FT_TRAINING_MAX];
    const size_t count = axis->count;
    memcpy(sizes, axis->n, count * sizeof *sizes);
    ft_axis_fini(axis);
    return ft_axis_init(axis, basis, sizes, count, diag);
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
    const struct ft_axis *axis = ft_fit_counted_axis(work);
    int status = ft_period_search_extend(basis, axis->n, axis->count, counts, count, diag);
    free(counts);
    if (status < 0 || basis->term_count == before)
        return status;
    FT_TRY(rebuild(&work->axis, basis, diag));
    return work->counted.alone > 0 ? rebuild(&work->counted.axis, basis, diag) : FT_OK;
}
