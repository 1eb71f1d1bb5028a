/*
 * With the others fixed, a term is a number times a term of the first parameter; terms that become
 * equal are added up. Training values of the first parameter are kept once each, with what was
 * counted there, where each ran with the values of the others.
 */
#include "formats/model/model_restriction.h"

#include <stdlib.h>
#include <string.h>

#include "formats/model/model_functions.h"

/* Where each term goes, and times what. */
struct restriction {
    struct ft_basis basis;
    size_t term_count; /* before */
    size_t positions[FT_BASIS_MAX];
    double factors[FT_BASIS_MAX];
};

static struct restriction make_restriction(const struct ft_basis *from, const double *values)
{
    struct restriction restriction = {.basis = ft_basis_of(from->parameters, 1),
                                      .term_count = from->term_count};
    double others[FT_PARAMETERS_MAX] = {1};
    memcpy(others + 1, values + 1, (from->parameter_count - 1) * sizeof *others);
    for (size_t term = 0; term < from->term_count; term++) {
        const struct ft_term kept = {{from->terms[term].exponents[0]},
                                     {from->terms[term].logarithms[0]},
                                     from->terms[term].modulus,
                                     from->terms[term].quotient};
        ft_basis_insert(&restriction.basis, &kept);
    }
    for (size_t term = 0; term < from->term_count; term++) {
        const struct ft_term kept = {{from->terms[term].exponents[0]},
                                     {from->terms[term].logarithms[0]},
                                     from->terms[term].modulus,
                                     from->terms[term].quotient};
        struct ft_basis other = *from;
        other.term_count = 1;
        other.terms[0] = from->terms[term];
        other.terms[0].logarithms[0] = 0;
        other.terms[0].modulus = 0;
        other.terms[0].quotient = (struct ft_quotient){0};
        restriction.positions[term] = ft_basis_find(&restriction.basis, &kept);
        restriction.factors[term] = ft_point_at(&other, others).terms[0];
    }
    return restriction;
}

static void restrict_function(void *context, struct ft_function *function)
{
    const struct restriction *restriction = context;
    double coefficients[FT_BASIS_MAX] = {0};
    for (size_t term = 0; term < restriction->term_count; term++)
        coefficients[restriction->positions[term]] +=
            function->coefficients[term] * restriction->factors[term];
    memcpy(function->coefficients, coefficients, sizeof coefficients);
    function->left_out = 0; /* of all combinations: they are no sizes of the first parameter */
}

/* ---- what is known of training sizes ---- */

/* Of each training value of the first parameter a row: that with the values of the others, or the
 * first. */
struct chosen_rows {
    size_t *rows, count; /* [count] */
    size_t *values;      /* [row before]: its value's number */
    bool all_have_values;
};

static bool has_values(const struct ft_model *model, size_t row, const double *values)
{
    const double *training = ft_model_training(model, row);
    for (size_t i = 1; i < model->basis.parameter_count; i++)
        if (training[i] != values[i])
            return false;
    return true;
}

static int choose_rows(const struct ft_model *model, const double *values,
                       struct chosen_rows *ret_chosen, struct ft_diag *diag)
{
    struct chosen_rows chosen = {.rows = calloc(2 * model->training_count + 1, sizeof(size_t)),
                                 .all_have_values = true};
    if (!chosen.rows)
        return ft_fail_memory(diag, "a model");
    chosen.values = chosen.rows + model->training_count;
    for (size_t i = 0; i < model->training_count; i++) {
        if (i == 0 || ft_model_training(model, i)[0] != ft_model_training(model, i - 1)[0])
            chosen.rows[chosen.count++] = i;
        else if (has_values(model, i, values))
            chosen.rows[chosen.count - 1] = i;
        chosen.values[i] = chosen.count - 1;
    }
    for (size_t i = 0; i < chosen.count; i++)
        chosen.all_have_values =
            chosen.all_have_values && has_values(model, chosen.rows[i], values);
    *ret_chosen = chosen;
    return FT_OK;
}

/* Values of the first parameter, by which sizes are ordered, and the trace of one of each. */
static void restrict_training(struct ft_model *model, const struct chosen_rows *chosen)
{
    const size_t width = model->basis.parameter_count;
    for (size_t row = 0; row < model->training_count; row++)
        if (chosen->rows[chosen->values[row]] != row)
            free(model->trace_hashes[row]);
    for (size_t i = 0; i < chosen->count; i++) {
        model->training[i] = model->training[chosen->rows[i] * width];
        model->trace_hashes[i] = model->trace_hashes[chosen->rows[i]];
    }
    model->training_count = chosen->count;
}

/* Those values of the first parameter remain. */
static void restrict_counted(struct ft_model *model)
{
    for (size_t i = 0; i < model->counted.count; i++)
        model->counted.values[i] = ft_model_counted_size(model, i)[0];
}

/* counts: [item * row_count + row]. Where a size did not run with the values, what was counted at
 * others says nothing. */
static void restrict_counts(uint64_t **counts, size_t item_count, size_t row_count,
                            const struct chosen_rows *chosen)
{
    if (!chosen->all_have_values) {
        free(*counts);
        *counts = NULL;
    }
    for (size_t item = 0; *counts && item < item_count; item++)
        for (size_t i = 0; i < chosen->count; i++)
            (*counts)[item * chosen->count + i] = (*counts)[item * row_count + chosen->rows[i]];
}

/* All are kept, each with its own footprint: chances are relative to that. */
static void restrict_sets(struct ft_model *model, const struct chosen_rows *chosen)
{
    for (size_t i = 0; i < model->set_distance_count; i++)
        model->set_distances[i].training = chosen->values[model->set_distances[i].training];
}

static void fix_parameters(struct ft_model *model, const double *values)
{
    for (size_t i = 1; i < model->basis.parameter_count; i++) {
        struct ft_model_fixed *fixed = &model->fixed[model->fixed_count++];
        fixed->name = model->basis.parameters[i];
        fixed->value = values[i];
        ft_model_range(model, i, &fixed->least, &fixed->largest);
    }
}

/* Of the training values of the first parameter that there will be, those of which a replica has no
 * size. */
static uint64_t restrict_left_out(const struct ft_model *model, const struct ft_model *replica)
{
    uint64_t left_out = 0, kept = 0;
    for (size_t i = 0, size = 0; i < model->training_count && i < FT_LEFT_OUT_MAX; i++) {
        size += i > 0 && ft_model_training(model, i)[0] != ft_model_training(model, i - 1)[0];
        *(replica->left_out >> i & 1 ? &left_out : &kept) |= (uint64_t)1 << size;
    }
    return left_out & ~kept;
}

int ft_model_restrict(struct ft_model *model, const double *values, struct ft_diag *diag)
{
    const size_t row_count = model->training_count;
    struct restriction restriction = make_restriction(&model->basis, values);
    struct chosen_rows chosen = {0};
    FT_TRY(choose_rows(model, values, &chosen, diag));
    for (size_t i = 0; i < model->replica_count; i++)
        model->replicas[i].left_out = restrict_left_out(model, &model->replicas[i]);
    fix_parameters(model, values);
    restrict_training(model, &chosen);
    restrict_counted(model);
    restrict_counts(&model->training_accesses, model->group_count, row_count, &chosen);
    restrict_counts(&model->training_blocks, model->size_count, row_count, &chosen);
    restrict_counts(&model->training_remapped, 1, row_count, &chosen);
    restrict_sets(model, &chosen);
    free(chosen.rows);
    model->basis = restriction.basis;
    int status = ft_model_change_functions(model, restrict_function, &restriction, diag);
    for (size_t i = 0; i < model->replica_count && !status; i++) {
        struct ft_model *replica = &model->replicas[i];
        status = ft_model_change_functions(replica, restrict_function, &restriction, diag);
        replica->basis = model->basis;
        replica->training_count = model->training_count;
        replica->training_accesses = model->training_accesses;
        replica->training_blocks = model->training_blocks;
        replica->training_remapped = model->training_remapped;
    }
    for (size_t i = 0; i < model->threads.shared_count && !status; i++)
        status = ft_model_restrict(model->threads.shared[i].model, values, diag);
    return status;
}

int ft_model_restrict_by_text(struct ft_model *model, const char *text, struct ft_diag *diag)
{
    struct ft_query_values asked = {0};
    const double *values = asked.values;
    const char *const *names = model->basis.parameters;
    struct ft_diag inner = {0};
    int status = FT_OK;
    if (text && model->basis.parameter_count == 1)
        status = ft_fail(diag, FT_ERROR_USAGE,
                         "--fix %s: the model %s runs over %s alone, so there is nothing to fix",
                         text, model->name, names[0]);
    else if (text && ft_query_point_read(model, text, &asked, &inner) < 0)
        status = ft_fail(diag, FT_ERROR_USAGE, "--fix %s", inner.message);
    if (!status && ft_query_point_has_other(&asked))
        status = ft_fail(diag, FT_ERROR_USAGE, "--fix %s: this is no parameter of the model %s",
                         text, model->name);
    for (size_t i = 1; !status && i < model->basis.parameter_count; i++)
        if (values[i] == 0)
            status = ft_fail(diag, FT_ERROR_USAGE,
                             "the model %s runs over %zu parameters: a value of %s is needed "
                             "(--fix %s=VALUE)",
                             model->name, model->basis.parameter_count, names[i], names[i]);
    if (!status && model->basis.parameter_count > 1)
        status = ft_model_restrict(model, values, diag);
    return status;
}

int ft_model_restrict_to(struct ft_model *model, const struct ft_query_values *asked,
                         struct ft_query_point *ret_point, struct ft_diag *diag)
{
    const char *missing = ft_query_point_missing(model, asked);
    if (missing)
        return ft_fail(diag, FT_ERROR_USAGE, "%s=VALUE is needed too", missing);
    if (model->basis.parameter_count > 1)
        FT_TRY(ft_model_restrict(model, asked->values, diag));
    return ft_query_point_resolve(model, asked, ret_point, diag);
}
