#include "predict/query/surface.h"

#include <math.h>
#include <stdlib.h>

#define CAPACITIES_MAX 52U /* the last one is 2^61 bytes */

int ft_surface_cut_init(struct ft_surface_cut *cut, const struct ft_size_line *line,
                        struct ft_diag *diag)
{
    *cut = (struct ft_surface_cut){.line = *line};
    cut->wholes = calloc(line->model->size_count, sizeof *cut->wholes);
    return cut->wholes ? FT_OK : ft_fail_memory(diag, "a surface");
}

int ft_surface_cut_at(struct ft_surface_cut *cut, double n, struct ft_diag *diag)
{
    const struct ft_model *model = cut->line.model;
    const struct ft_point at = ft_size_line_at(&cut->line, n);
    int status = FT_OK;
    cut->n = n;
    for (size_t size = 0; size < model->size_count && status == FT_OK; size++)
        status = ft_whole_evaluate(model, size, &at, &cut->wholes[size], diag);
    return status;
}

void ft_surface_cut_fini(struct ft_surface_cut *cut)
{
    for (size_t size = 0; cut->wholes && size < cut->line.model->size_count; size++)
        ft_whole_fini(&cut->wholes[size]);
    free(cut->wholes);
    *cut = (struct ft_surface_cut){0};
}

double ft_surface_ratio(const struct ft_surface_cut *cut, size_t block_size, double bytes,
                        bool reuse)
{
    const struct ft_whole_histogram *whole = &cut->wholes[block_size];
    double cold = reuse ? whole->all.cold : 0, accesses = whole->all.accesses - cold;
    double blocks = bytes / (double)cut->line.model->block_bytes[block_size];
    return accesses > 0 ? fmax(ft_whole_misses(whole, blocks) - cold, 0) / accesses : 0;
}

bool ft_surface_min_cache(const struct ft_surface_cut *cut, size_t block_size, double miss_ratio,
                          bool reuse, double *ret_bytes)
{
    const struct ft_whole_histogram *whole = &cut->wholes[block_size];
    double blocks;
    if (!ft_whole_min_cache(whole, miss_ratio, reuse, &blocks))
        return false;
    *ret_bytes = blocks * (double)cut->line.model->block_bytes[block_size];
    return true;
}

double ft_surface_capacity(size_t index)
{
    return ldexp(FT_CAPACITY_MIN, (int)index);
}

size_t ft_surface_capacities(const struct ft_model *model, double n)
{
    const struct ft_point at = ft_point_at(&model->basis, &n);
    double bytes_max = FT_CAPACITY_MIN;
    size_t count = 1;
    for (size_t size = 0; size < model->size_count; size++)
        bytes_max = fmax(bytes_max, (double)model->block_bytes[size] *
                                        ft_function_at(&model->distinct_blocks[size], &at));
    while (count < CAPACITIES_MAX && ft_surface_capacity(count - 1) < bytes_max)
        count++;
    return count;
}
