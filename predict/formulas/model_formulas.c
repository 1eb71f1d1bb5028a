#include "predict/formulas/model_formulas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/base/number_text.h"
#include "predict/formulas/block_formulas.h"
#include "predict/formulas/heaviest.h"
#include "predict/formulas/level_formulas.h"
#include "predict/machine_blocks.h"
#include "predict/prediction.h"

/* number 0: `what` has none behind it. */
static int add(struct ft_model_formulas *formulas, size_t group, uint64_t block_bytes,
               const struct ft_function *function, const char *what, size_t number,
               struct ft_diag *diag)
{
    struct ft_model_formula formula = {.group = group,
                                       .block_bytes = block_bytes,
                                       .function = *function,
                                       .error = function->rms_relative_error,
                                       .ahead = NAN};
    if (number > 0)
        snprintf(formula.what, sizeof formula.what, "%s %zu", what, number);
    else
        snprintf(formula.what, sizeof formula.what, "%s", what);
    return ft_model_formulas_append(formulas, &formula, diag);
}

/* The last formula is forecast for the largest size by the same function of the model without it.
 */
static void set_ahead(struct ft_model_formulas *formulas, const struct ft_model *model,
                      const struct ft_function *held_out)
{
    const struct ft_point largest = ft_model_largest(model);
    struct ft_model_formula *formula = &formulas->items[formulas->count - 1];
    const double there = ft_function_at(&formula->function, &largest);
    if (held_out)
        formula->ahead = fabs(ft_function_at(held_out, &largest) - there) / fmax(there, 1);
}

/* ---- of the program ---- */

/* Errors of parts add up, each by its share at the largest training size. */
struct sum {
    struct ft_function function;
    double off;
};

static void add_part(struct sum *sum, const struct ft_function *part,
                     const struct ft_point *largest)
{
    sum->function = ft_function_add(&sum->function, part, 1);
    sum->off += part->rms_relative_error * ft_function_at(part, largest);
    sum->function.rms_relative_error = sum->off / fmax(ft_function_at(&sum->function, largest), 1);
}

struct totals {
    struct sum accesses, instructions;
};

static struct totals totals_of(const struct ft_model *model)
{
    const struct ft_point largest = ft_model_largest(model);
    struct totals totals = {0};
    for (size_t i = 0; i < model->group_count; i++)
        add_part(&totals.accesses, &model->groups[i].accesses, &largest);
    for (size_t i = 0; i < model->counts_count; i++)
        add_part(&totals.instructions, &model->counts[i].instructions, &largest);
    return totals;
}

static int add_totals(struct ft_model_formulas *formulas, const struct ft_model *model,
                      const struct ft_model *held_out, struct ft_diag *diag)
{
    const struct totals totals = totals_of(model);
    const struct totals fewer = held_out ? totals_of(held_out) : totals;
    FT_TRY(add(formulas, FT_NO_GROUP_SHOWN, 0, &totals.accesses.function, "accesses", 0, diag));
    set_ahead(formulas, model, held_out ? &fewer.accesses.function : NULL);
    FT_TRY(add(formulas, FT_NO_GROUP_SHOWN, 0, &totals.instructions.function, "instructions", 0,
               diag));
    set_ahead(formulas, model, held_out ? &fewer.instructions.function : NULL);
    for (size_t i = 0; i < model->size_count; i++) {
        FT_TRY(add(formulas, FT_NO_GROUP_SHOWN, model->block_bytes[i], &model->distinct_blocks[i],
                   "distinct blocks", 0, diag));
        set_ahead(formulas, model, held_out ? &held_out->distinct_blocks[i] : NULL);
    }
    return FT_OK;
}

/* Of a level at a point. */
static int misses_at(const struct ft_model *model, size_t block_size, const struct ft_level *level,
                     const struct ft_point *at, double *ret_misses, struct ft_diag *diag)
{
    struct ft_forecast forecast = {0};
    int status = FT_OK;
    *ret_misses = 0;
    for (size_t i = 0; i < model->group_count && status == FT_OK; i++) {
        status = ft_forecast_evaluate(model, i, block_size, at, &forecast, diag);
        if (status == FT_OK)
            *ret_misses += ft_forecast_misses(&forecast, (double)level->blocks);
    }
    ft_forecast_fini(&forecast);
    return status;
}

static int level_ahead(const struct ft_model *model, const struct ft_model *held_out,
                       size_t block_size, const struct ft_level *level, double *ret_ahead,
                       struct ft_diag *diag)
{
    const struct ft_point largest = ft_model_largest(model);
    double there = 0, forecast = 0;
    *ret_ahead = NAN;
    if (!held_out)
        return FT_OK;
    int status = misses_at(model, block_size, level, &largest, &there, diag);
    if (status == FT_OK)
        status = misses_at(held_out, block_size, level, &largest, &forecast, diag);
    if (status == FT_OK)
        *ret_ahead = fabs(forecast - there) / fmax(there, 1);
    return status;
}

static int add_level(struct ft_model_formulas *formulas, const struct ft_model *model,
                     const struct ft_model *held_out, const struct ft_level *level, double reach,
                     struct ft_diag *diag)
{
    double ahead = NAN;
    struct ft_formula_range *ranges = NULL;
    const size_t size = ft_model_block_size(model, level->block_bytes);
    size_t count = 0;
    char bytes[FT_NUMBER_TEXT];
    int status =
        ft_level_formulas(model, size, (double)level->blocks, reach, &ranges, &count, diag);
    if (status == FT_OK)
        status = level_ahead(model, held_out, size, level, &ahead, diag);
    ft_text_bytes(bytes, (double)ft_level_capacity_bytes(level));
    for (size_t i = 0; status == FT_OK && i < count; i++) {
        struct ft_model_formula formula = {.group = FT_NO_GROUP_SHOWN,
                                           .block_bytes = level->block_bytes,
                                           .from = ranges[i].from,
                                           .to = ranges[i].to,
                                           .transition = ranges[i].transition,
                                           .value_from = ranges[i].misses_from,
                                           .value_to = ranges[i].misses_to,
                                           .function = ranges[i].misses,
                                           .error = ranges[i].error,
                                           .ahead = ahead};
        snprintf(formula.what, sizeof formula.what, "misses in %.40s, %s", level->name, bytes);
        status = ft_model_formulas_append(formulas, &formula, diag);
    }
    free(ranges);
    return status;
}

/* ---- of groups ---- */

static int add_group(struct ft_model_formulas *formulas, const struct ft_model *model, size_t i,
                     struct ft_diag *diag)
{
    const struct ft_model_group *group = &model->groups[i];
    int status = add(formulas, i, 0, &group->accesses, "accesses", 0, diag);
    for (size_t size = 0; status == FT_OK && size < model->size_count; size++) {
        const struct ft_model_histogram *histogram = &group->histograms[size];
        const struct ft_model_member *heaviest = histogram->members;
        uint64_t block_bytes = model->block_bytes[size];
        status = add(formulas, i, block_bytes, &histogram->touches, "touches", 0, diag);
        if (status == FT_OK)
            status = add(formulas, i, block_bytes, &histogram->cold, "first touches", 0, diag);
        const size_t bins = ft_member_bins_count(heaviest->bins);
        for (size_t bin = 0; status == FT_OK && bin < bins; bin++) {
            const struct ft_model_bin functions = ft_member_bin(heaviest->bins, bin);
            status = add(formulas, i, block_bytes, &functions.distance_blocks, FT_FORMULA_DISTANCE,
                         bin + 1, diag);
            if (status == FT_OK && heaviest->over_data)
                formulas->items[formulas->count - 1].basis = &model->data_basis;
            if (status == FT_OK)
                status =
                    add(formulas, i, block_bytes, &functions.tail, FT_FORMULA_TAIL, bin + 1, diag);
        }
    }
    return status;
}

static int add_groups(struct ft_model_formulas *formulas, const struct ft_model *model,
                      size_t limit, struct ft_diag *diag)
{
    double *accesses = calloc(model->group_count + 1, sizeof *accesses);
    for (size_t i = 0; accesses && i < model->group_count; i++)
        accesses[i] = (double)model->groups[i].accesses_at_largest;
    uint32_t *order = accesses ? ft_heaviest_first(accesses, model->group_count) : NULL;
    int status = order ? FT_OK : ft_fail_memory(diag, "formulas");
    for (size_t i = 0; status == FT_OK && i < limit && i < model->group_count; i++)
        status = add_group(formulas, model, order[i], diag);
    free(accesses);
    free(order);
    return status;
}

int ft_model_formulas_init(struct ft_model_formulas *formulas, const struct ft_model *model,
                           const struct ft_machine *machine, double reach,
                           struct ft_formula_limits limits, struct ft_diag *diag)
{
    const struct ft_model *held_out = ft_model_replica_without(model, model->training_count - 1);
    *formulas = (struct ft_model_formulas){0};
    int status = machine ? ft_predict_check_sizes(model, machine, diag) : FT_OK;
    if (status == FT_OK)
        status = add_totals(formulas, model, held_out, diag);
    for (size_t i = 0; status == FT_OK && machine && i < machine->level_count; i++)
        status = add_level(formulas, model, held_out, &machine->levels[i], reach, diag);
    if (status == FT_OK)
        status = add_groups(formulas, model, limits.groups, diag);
    if (status == FT_OK)
        status = ft_block_formulas_add(formulas, model, limits.blocks, diag);
    for (size_t i = 0; i < formulas->count; i++)
        if (!formulas->items[i].basis)
            formulas->items[i].basis = &model->basis;
    if (status < 0)
        ft_model_formulas_fini(formulas);
    return status;
}
