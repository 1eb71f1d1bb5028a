#include "predict/intervals/string_calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/skeletons/string_templates.h"
#include "formats/x86/unit.h"

/* Some calls are longer than the mean. */
#define MEAN_BYTES (FT_STRING_LONG_BYTES / 2.0)

/* What a routine stores by vectors. */
struct stores {
    double bytes, bytes_before; /* at the point, and at the largest training size */
};

/* The vectors that a group consists of. */
struct vectors {
    uint32_t bytes;     /* of one; 0: these are none */
    double store_share; /* of them, those that are stored */
};

/* In a loop, all vectors move alike: one group loads and stores. Elsewhere it has a line of its
 * own. */
static struct vectors vectors_of(const struct ft_scopes *scopes, const struct ft_model_group *group)
{
    const bool is_loop = scopes->scopes[group->scope].kind == FT_SCOPE_LOOP;
    struct vectors vectors = {0};
    double count = 0, stores = 0;
    for (size_t i = 0; i < scopes->reference_count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[i];
        const bool is_at_line = reference->line == group->line;
        if (reference->scope != group->scope || reference->size_bytes < FT_STRING_VECTOR_BYTES)
            continue;
        if (vectors.bytes == 0 && (group->rest || is_at_line))
            vectors.bytes = reference->size_bytes;
        if (group->rest || is_at_line || is_loop) {
            count++;
            stores += reference->kind != FT_LOAD;
        }
    }
    vectors.store_share = count > 0 ? stores / count : 0;
    return vectors;
}

static void add_stores(const struct ft_model *model, const struct ft_point *at,
                       struct stores *stores)
{
    const struct ft_point largest = ft_model_largest(model);
    for (size_t i = 0; i < model->group_count; i++) {
        const struct ft_model_group *group = &model->groups[i];
        const uint32_t routine = ft_scope_routine(&model->scopes, group->scope);
        if (!ft_scope_is_string_routine(&model->scopes, group->scope))
            continue;
        const struct vectors vectors = vectors_of(&model->scopes, group);
        const double stored = vectors.store_share * vectors.bytes;
        stores[routine].bytes += ft_function_at(&group->accesses, at) * stored;
        stores[routine].bytes_before += ft_function_at(&group->accesses, &largest) * stored;
    }
}

/* Routines whose calls are long at the point, and were shorter, as bools for the caller to free. */
static int find_long(const struct ft_model *model, const struct ft_point *at, bool **ret_is_long,
                     struct ft_diag *diag)
{
    const struct ft_point largest = ft_model_largest(model);
    struct stores *stores = calloc(model->scopes.scope_count + 1, sizeof *stores);
    bool *is_long = calloc(model->scopes.scope_count + 1, sizeof *is_long);
    if (!stores || !is_long) {
        free(stores);
        free(is_long);
        return ft_fail_memory(diag, "intervals");
    }
    add_stores(model, at, stores);
    for (size_t i = 0; i < model->counts_count; i++) {
        const struct ft_model_scope_counts *counts = &model->counts[i];
        const double calls = ft_function_at(&counts->entries, at);
        const double before = ft_function_at(&counts->entries, &largest);
        const struct stores *stored = &stores[counts->scope];
        is_long[counts->scope] = stored->bytes > 0 && stored->bytes >= MEAN_BYTES * calls &&
                                 stored->bytes_before < FT_STRING_LONG_BYTES * before &&
                                 stored->bytes * before > stored->bytes_before * calls;
    }
    free(stores);
    *ret_is_long = is_long;
    return FT_OK;
}

static uint32_t first_long(const struct ft_model *model, const bool *is_long)
{
    for (uint32_t i = 0; i < model->scopes.scope_count; i++)
        if (is_long[i])
            return i;
    return FT_NO_STRING_CALLS;
}

int ft_string_calls_long(const struct ft_model *model, const struct ft_point *at,
                         uint32_t *ret_routine, struct ft_diag *diag)
{
    bool *is_long;
    int status = find_long(model, at, &is_long, diag);
    if (status != FT_OK)
        return status;
    *ret_routine = first_long(model, is_long);
    free(is_long);
    return FT_OK;
}

/* Granules for a vector of a routine whose calls are long, as few as there may be. */
static double granules_per_vector(const struct ft_model *model, const struct ft_point *at,
                                  const struct ft_model_group *group, uint32_t vector_bytes)
{
    const struct ft_model_scope_counts *counts =
        ft_model_counts_of(model, ft_scope_routine(&model->scopes, group->scope));
    const double vectors = ft_function_at(&group->accesses, at);
    const double overlapping =
        counts ? FT_OVERLAPPING_VECTORS * ft_function_at(&counts->entries, at) : 0;
    const double share = vectors > 0 ? fmin(overlapping / vectors, 0.5) : 0;
    return (1 - share) * vector_bytes / FT_STRING_GRANULE_BYTES;
}

static void count_granules(const struct ft_model *model, const struct ft_point *at,
                           const bool *is_long, struct ft_perturbed_model *perturbed)
{
    for (size_t i = 0; i < model->group_count; i++) {
        struct ft_model_group *group = &perturbed->model.groups[i];
        if (!is_long[ft_scope_routine(&model->scopes, group->scope)])
            continue;
        const struct vectors vectors = vectors_of(&model->scopes, group);
        if (vectors.bytes == 0)
            continue;
        const double scale = granules_per_vector(model, at, &model->groups[i], vectors.bytes);
        for (size_t term = 0; term < FT_BASIS_MAX; term++)
            group->accesses.coefficients[term] *= scale;
    }
}

int ft_string_calls(const struct ft_model *model, const struct ft_point *at,
                    struct ft_perturbed_model *ret_perturbed, bool *ret_differs,
                    struct ft_diag *diag)
{
    bool *is_long;
    int status = find_long(model, at, &is_long, diag);
    if (status != FT_OK)
        return status;
    *ret_differs = first_long(model, is_long) != FT_NO_STRING_CALLS;
    if (*ret_differs)
        status = ft_perturbed_copy(model, ret_perturbed, diag);
    if (*ret_differs && status == FT_OK)
        count_granules(model, at, is_long, ret_perturbed);
    free(is_long);
    return status;
}
