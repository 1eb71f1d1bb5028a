#include "predict/synthetic_errors.h"

#include <math.h>

#include "predict/intervals/growing_data.h"
#include "predict/intervals/interval.h"

/* The octaves of capacities that a level at the size may be like, from `low` to `high`: as the data
 * grow, without what is there at any size. */
struct octaves {
    double low, high;
};

static struct octaves octaves_of(const struct ft_model *model, const struct ft_level *level,
                                 size_t block_size, double size)
{
    const struct ft_point at = ft_point_at(&model->basis, &size);
    const struct ft_point largest = ft_model_largest(model);
    const double then = ft_growing_blocks(&model->distinct_blocks[block_size], &largest);
    const double now = ft_growing_blocks(&model->distinct_blocks[block_size], &at);
    const double octave = log2((double)level->blocks);
    const double growth = then > 0 && now > 0 ? log2(now / then) : 0;
    return (struct octaves){floor(octave - fmax(growth, 0)), ceil(octave - fmin(growth, 0))};
}

static double reach_of(const struct ft_sized_skeleton *sized, double size)
{
    const double *sizes = sized->sizes + sized->size_count - 2;
    return ft_forecast_reach(size, sizes[1], sizes[0]);
}

void ft_synthetic_access_errors(const struct ft_model *model, double size, double *ret_errors)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    for (size_t s = 0; s < model->scopes.scope_count; s++)
        ret_errors[s] = sized->is_held_out ? 0 : INFINITY;
    for (size_t e = 0; e < sized->error_count; e++)
        if (sized->errors[e].octave == FT_HELD_OUT_ACCESSES)
            ret_errors[sized->errors[e].scope] = reach_of(sized, size) * sized->errors[e].error;
}

void ft_synthetic_errors(const struct ft_model *model, const struct ft_machine *machine,
                         double size, double *ret_errors)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    const double reach = reach_of(sized, size);
    for (size_t i = 0; i < model->scopes.scope_count * machine->level_count; i++)
        ret_errors[i] = sized->is_held_out ? 0 : INFINITY;
    for (size_t l = 0; l < machine->level_count; l++) {
        const struct ft_level *level = &machine->levels[l];
        const size_t block_size = ft_model_block_size(model, level->block_bytes);
        const struct octaves octaves = octaves_of(model, level, block_size, size);
        for (size_t e = 0; e < sized->error_count; e++) {
            const struct ft_held_out_error *error = &sized->errors[e];
            double *worst = &ret_errors[error->scope * machine->level_count + l];
            if (error->block_size == block_size && error->octave != FT_HELD_OUT_ACCESSES &&
                error->octave >= octaves.low && error->octave <= octaves.high)
                *worst = fmax(*worst, reach * error->error);
        }
    }
}
