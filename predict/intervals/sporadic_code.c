#include "predict/intervals/sporadic_code.h"

#include <math.h>
#include <stdlib.h>

/* Accesses of a scope at a training size. */
struct counted {
    double all, missing, present;
};

enum { FIELDS = sizeof(struct counted) / sizeof(double) };

/* How often it changes from one training size to the next whether a group runs at all. */
static size_t changes_of(const uint64_t *accesses, size_t size_count)
{
    size_t changes = 0;
    for (size_t size = 1; size < size_count; size++)
        changes += (accesses[size - 1] > 0) != (accesses[size] > 0);
    return changes;
}

static void add_group(const struct ft_model *model, size_t group, struct counted *counts)
{
    const size_t last = model->training_count - 1;
    const struct ft_model_group *from = &model->groups[group];
    const uint64_t *accesses = &model->training_accesses[group * model->training_count];
    const bool sporadic = changes_of(accesses, model->training_count) >= 2 &&
                          !(from->accesses.exact && from->accesses.left_out == 0);
    for (size_t size = 0; size <= last; size++) {
        struct counted *into = &counts[from->scope * model->training_count + size];
        into->all += (double)accesses[size];
        if (sporadic)
            *(accesses[last] > 0 ? &into->present : &into->missing) += (double)accesses[size];
    }
}

static struct ft_sporadic_shares shares_of(const struct counted *counts, size_t size_count)
{
    struct ft_sporadic_shares shares = {0};
    for (size_t size = 0; size < size_count; size++) {
        const struct counted *at = &counts[size];
        if (at->all > at->missing)
            shares.missing = fmax(shares.missing, at->missing / (at->all - at->missing));
        if (at->all > 0)
            shares.present = fmax(shares.present, at->present / at->all);
    }
    return shares;
}

int ft_sporadic_shares_find(const struct ft_model *model, struct ft_sporadic_shares *shares,
                            struct ft_diag *diag)
{
    const size_t scopes = model->scopes.scope_count, sizes = model->training_count;
    for (size_t scope = 0; scope < scopes; scope++)
        shares[scope] = (struct ft_sporadic_shares){0};
    if (!model->training_accesses || model->basis.parameter_count > 1)
        return FT_OK;
    struct counted *counts = calloc(scopes * sizes + 1, sizeof *counts);
    if (!counts)
        return ft_fail_memory(diag, "intervals");
    for (size_t group = 0; group < model->group_count; group++)
        add_group(model, group, counts);
    ft_scopes_add_nested(&model->scopes, (double *)counts, sizes * FIELDS);
    for (size_t scope = 0; scope < scopes; scope++)
        shares[scope] = shares_of(&counts[scope * sizes], sizes);
    free(counts);
    return FT_OK;
}
