#include "fit/growth.h"

#include <math.h>
#include <stdlib.h>

#include "fit/functions/counts.h"
#include "fit/model_terms.h"
#include "fit/training_sizes.h"

/* The traces by what they recorded. */
struct growth_sizes {
    const char *names[FT_PARAMETERS_MAX];
    size_t width;
    const struct ft_histograms *order[FT_TRAINING_MAX];
    double values[FT_TRAINING_MAX * FT_PARAMETERS_MAX];
    double blocks[FT_TRAINING_MAX];
    size_t count;
};

static int describe(const struct growth_sizes *sizes, struct ft_data_growth *growth,
                    struct ft_diag *diag)
{
    for (size_t i = 0; i < sizes->width; i++) {
        double smallest = INFINITY, largest = 0;
        for (size_t e = 0; e < sizes->count; e++) {
            smallest = fmin(smallest, sizes->values[e * sizes->width + i]);
            largest = fmax(largest, sizes->values[e * sizes->width + i]);
        }
        if (!ft_data_growth_add(growth, sizes->names[i], smallest, largest))
            return ft_fail_memory(diag, "a model");
    }
    return ft_default_terms(&growth->basis, sizes->values, sizes->count, diag);
}

/* Blocks are whole, so that exact laws are found; the function is in bytes. */
static int fit(const struct ft_axis *axis, const double *blocks, uint64_t block_bytes,
               struct ft_function *ret_bytes, struct ft_diag *diag)
{
    struct ft_fitter *fitter;
    const struct ft_expectation nothing = ft_expect_nothing(axis);
    int status = ft_fitter_create(axis, &fitter, diag);
    if (status < 0)
        return status;
    ft_fit_function(fitter, blocks, 0, &nothing, ret_bytes);
    for (size_t term = 0; term < axis->basis.term_count; term++)
        ret_bytes->coefficients[term] *= (double)block_bytes;
    ft_fitter_destroy(fitter);
    return FT_OK;
}

/* Of a trace, in the order of the model's sizes. */
static size_t position_of(const struct ft_histograms *const *sorted,
                          const struct ft_histograms *trace)
{
    size_t position = 0;
    while (sorted[position] != trace)
        position++;
    return position;
}

/* Without the traces that a replica of the model is fitted without. */
static int fit_fewer(const struct growth_sizes *sizes, const struct ft_axis *axis,
                     const struct ft_histograms *const *sorted, uint64_t without,
                     struct ft_function *ret_bytes, struct ft_diag *diag)
{
    struct ft_axis fewer = {0};
    double blocks[FT_TRAINING_MAX];
    uint64_t left_out = 0;
    size_t kept = 0;
    for (size_t e = 0; e < sizes->count; e++)
        if (without >> position_of(sorted, sizes->order[e]) & 1)
            left_out |= (uint64_t)1 << e;
        else
            blocks[kept++] = sizes->blocks[e];
    int status = ft_axis_leave_out(axis, left_out, &fewer, diag);
    if (status == FT_OK)
        status = fit(&fewer, blocks, sorted[0]->block_bytes[0], ret_bytes, diag);
    ft_axis_fini(&fewer);
    return status;
}

static int fit_all(const struct growth_sizes *sizes, const struct ft_histograms *const *sorted,
                   struct ft_model *model, struct ft_diag *diag)
{
    struct ft_axis axis = {0};
    struct ft_data_growth *growth = &model->growth;
    growth->bytes = calloc(1 + model->replica_count, sizeof *growth->bytes);
    if (!growth->bytes)
        return ft_fail_memory(diag, "a model");
    growth->replica_count = model->replica_count;
    int status = ft_axis_init(&axis, &growth->basis, sizes->values, sizes->count, diag);
    if (status == FT_OK)
        status = fit(&axis, sizes->blocks, model->block_bytes[0], &growth->bytes[0], diag);
    for (size_t i = 0; i < model->replica_count && status == FT_OK; i++)
        status = fit_fewer(sizes, &axis, sorted, model->replicas[i].left_out, &growth->bytes[1 + i],
                           diag);
    ft_axis_fini(&axis);
    return status;
}

/* On failure the growth is half made. */
static int find_growth(const struct ft_histograms *entries,
                       const struct ft_histograms *const *sorted, struct growth_sizes *sizes,
                       struct ft_model *model, struct ft_diag *diag)
{
    FT_TRY(ft_training_parameters(entries, sizes->count, FT_SIZES_MIN, NULL, 0, sizes->names,
                                  &sizes->width, diag));
    FT_TRY(ft_training_order(entries, sizes->count, sizes->names, sizes->width, sizes->order,
                             sizes->values, diag));
    FT_TRY(describe(sizes, &model->growth, diag));
    for (size_t e = 0; e < sizes->count; e++)
        sizes->blocks[e] = (double)sizes->order[e]->distinct_blocks[0];
    return fit_all(sizes, sorted, model, diag);
}

int ft_growth_fit(const struct ft_histograms *entries, size_t count,
                  const struct ft_histograms *const *sorted, struct ft_model *model,
                  struct ft_diag *diag)
{
    struct growth_sizes sizes = {.count = count};
    struct ft_diag inner = {0};
    const int status = find_growth(entries, sorted, &sizes, model, &inner);
    if (status < 0)
        ft_data_growth_fini(&model->growth);
    return status == FT_OK || status == FT_ERROR_USAGE ? FT_OK
                                                       : ft_fail(diag, status, "%s", inner.message);
}
