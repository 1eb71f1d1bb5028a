#include "fit/footprints.h"

#include <math.h>
#include <stdlib.h>

#define FEW_BLOCKS 32.0  /* that grow over the training sizes: too few to tell a law from */
#define ROUNDING   1.0   /* blocks: regions begin and end anywhere in one */
#define ROUNDINGS  3.0   /* blocks, likewise, of several regions in large ones */
#define FEW_PAGES  320.0 /* as FEW_BLOCKS, of blocks that hold many of the next smaller ones */
#define MANY       4U    /* blocks in one */
#define REGIONS    0.05  /* as ROUNDING, of many regions, as a share of the growth */

/* The law that follows from the blocks of a smaller size; false where these do not fill the large
 * ones alike at all sizes. */
static bool follow(const struct ft_axis *axis, const double *blocks, const double *smaller,
                   double rounding, struct ft_footprint *footprint, const struct ft_footprint *from)
{
    double min = INFINITY, max = -INFINITY, sum = 0, square = 0;
    for (size_t k = 0; k < axis->count; k++) {
        double unexplained = blocks[k] - footprint->share * smaller[k];
        min = fmin(min, unexplained);
        max = fmax(max, unexplained);
        sum += unexplained;
    }
    if (max - min > rounding)
        return false;
    footprint->blocks = (struct ft_function){.coefficients = {sum / (double)axis->count}};
    footprint->blocks = ft_function_add(&footprint->blocks, &from->blocks, footprint->share);
    footprint->blocks.exact = false;
    for (size_t k = 0; k < axis->count; k++) {
        double value = ft_function_at(&footprint->blocks, &axis->points[k]);
        square += pow((value - blocks[k]) / (blocks[k] + ROUNDING), 2);
    }
    footprint->blocks.rms_relative_error = sqrt(square / (double)axis->count);
    return true;
}

void ft_footprint_fit(struct ft_fitter *fitter, const double *blocks, const uint64_t *block_bytes,
                      size_t size, struct ft_footprint *footprints)
{
    const struct ft_axis *axis = ft_fitter_axis(fitter);
    const double *here = blocks + size * axis->count;
    struct ft_footprint *footprint = &footprints[size];
    *footprint = (struct ft_footprint){.follows = FT_OWN_LAW};
    if (size > 0) {
        const double growth = fabs(here[axis->count - 1] - here[0]);
        const bool holds_many = block_bytes[size] >= MANY * block_bytes[size - 1];
        const double rounding = holds_many ? fmax(ROUNDINGS, REGIONS * growth) : ROUNDING;
        footprint->share = (double)block_bytes[size - 1] / (double)block_bytes[size];
        if (growth < (holds_many ? FEW_PAGES : FEW_BLOCKS) &&
            follow(axis, here, here - axis->count, rounding, footprint, &footprints[size - 1])) {
            footprint->follows = size - 1;
            return;
        }
    }
    struct ft_expectation nothing = ft_expect_nothing(axis);
    ft_fit_function(fitter, here, 0, &nothing, &footprint->blocks);
}

struct ft_function ft_cold_unexplained(const struct ft_footprint *footprint, const double *cold,
                                       const double *smaller_cold, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += cold[k] - footprint->share * smaller_cold[k];
    return (struct ft_function){.coefficients = {sum / (double)count}};
}

static double signed_value_at(const struct ft_function *function, const struct ft_point *at)
{
    double value = 0;
    for (size_t term = 0; term < at->term_count; term++)
        value += function->coefficients[term] * at->terms[term];
    return value;
}

/* The uncertainty of a function. */
static double uncertainty(const struct ft_function *function, const struct ft_point *at)
{
    return function->exact ? 0 : function->rms_relative_error * ft_function_at(function, at);
}

/* Whether a group's cold touches with a share of the difference would be negative, or more than all
 * of its touches, where these are known. */
static bool impossible(const struct ft_model_histogram *histogram,
                       const struct ft_function *missing, double share,
                       const struct ft_point *beyond)
{
    double before = ft_function_at(&histogram->cold, beyond);
    double more = share * signed_value_at(missing, beyond);
    return before + more < 0 || (histogram->touches.exact && more > 0 &&
                                 before + more > ft_function_at(&histogram->touches, beyond));
}

/* Shares of the difference at one block size, in proportion to the uncertainty of the cold touches;
 * a group whose share would be impossible gets none. False where no group can take any. */
static bool share_out(const struct ft_model *model, size_t size, const struct ft_axis *axis,
                      const struct ft_function *missing, double *shares)
{
    const struct ft_point *largest = &axis->points[axis->count - 1];
    double uncertain;
    bool again = true;
    for (size_t i = 0; i < model->group_count; i++)
        shares[i] = uncertainty(&model->groups[i].histograms[size].cold, largest);
    while (again) {
        again = false;
        uncertain = 0;
        for (size_t i = 0; i < model->group_count; i++)
            uncertain += shares[i];
        for (size_t i = 0; i < model->group_count && uncertain > 0; i++) {
            const struct ft_model_histogram *histogram = &model->groups[i].histograms[size];
            if (shares[i] > 0 &&
                impossible(histogram, missing, shares[i] / uncertain, &axis->beyond)) {
                shares[i] = 0;
                again = true;
            }
        }
    }
    for (size_t i = 0; i < model->group_count && uncertain > 0; i++)
        shares[i] /= uncertain;
    return uncertain > 0;
}

static void settle(struct ft_model *model, size_t size, const struct ft_axis *axis, double *shares)
{
    struct ft_function missing = model->distinct_blocks[size];
    for (size_t i = 0; i < model->group_count; i++)
        missing = ft_function_add(&missing, &model->groups[i].histograms[size].cold, -1);
    if (!share_out(model, size, axis, &missing, shares))
        return;
    for (size_t i = 0; i < model->group_count; i++) {
        struct ft_function *cold = &model->groups[i].histograms[size].cold;
        if (shares[i] > 0)
            *cold = ft_function_add(cold, &missing, shares[i]);
    }
}

int ft_footprints_resolve(struct ft_model *model, const struct ft_footprint *footprints,
                          const struct ft_axis *axis, struct ft_diag *diag)
{
    double *shares = calloc(model->group_count + 1, sizeof *shares);
    if (!shares)
        return ft_fail_memory(diag, "the cold touches of groups");
    for (size_t size = 0; size < model->size_count; size++) {
        size_t follows = footprints[size].follows;
        if (follows == FT_OWN_LAW)
            settle(model, size, axis, shares);
        for (size_t i = 0; i < model->group_count && follows != FT_OWN_LAW; i++) {
            struct ft_model_histogram *histograms = model->groups[i].histograms;
            histograms[size].cold = ft_function_add(
                &histograms[size].cold, &histograms[follows].cold, footprints[size].share);
        }
    }
    free(shares);
    return FT_OK;
}
