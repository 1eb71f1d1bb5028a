/*
 * The surface of miss ratios over size and capacity, as `query` without a size or a cache gives it
 * (Zhong et al. 2007): of the whole program, fully associative, on a grid of sizes in equal ratios
 * and capacities in half octaves.
 */
#include <math.h>

#include "predict/commands/report/document.h"
#include "predict/query/surface.h"

#define SIZES 40U
#define STEPS 2U /* capacities an octave */

static double capacity_at(size_t index)
{
    return FT_CAPACITY_MIN * exp2((double)index / STEPS);
}

static json_t *ratios_json(const struct ft_surface_cut *cut, size_t block_size, size_t count,
                           bool reuse)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        ft_json_append(&list,
                       ft_page_number(ft_surface_ratio(cut, block_size, capacity_at(i), reuse)));
    return list;
}

int ft_page_surface(const struct ft_page_task *task, size_t block_size, json_t **ret_surface,
                    struct ft_diag *diag)
{
    const struct ft_model *model = ft_page_model(task);
    const double asked = ft_page_prediction(task, 0)->n;
    const struct ft_size_line line = ft_page_sizes(task);
    const size_t count = STEPS * ft_surface_capacities(model, line.to) + 1;
    json_t *sizes = json_array(), *capacities = json_array(), *ratios = json_array(),
           *reuse = json_array();
    struct ft_surface_cut cut;
    double last = 0;
    FT_TRY(ft_surface_cut_init(&cut, &line, diag));
    int status = FT_OK;
    for (size_t step = 0; step <= SIZES && status == FT_OK;) {
        double n = ft_size_step(&line, step, SIZES);
        if (last < asked && asked < n)
            n = asked; /* between two steps */
        else
            step++;
        if (n <= last)
            continue;
        last = n;
        status = ft_surface_cut_at(&cut, n, diag);
        ft_json_append(&sizes, ft_page_number(n));
        ft_json_append(&ratios, ratios_json(&cut, block_size, count, false));
        ft_json_append(&reuse, ratios_json(&cut, block_size, count, true));
    }
    for (size_t i = 0; i < count; i++)
        ft_json_append(&capacities, ft_page_number(capacity_at(i)));
    ft_surface_cut_fini(&cut);
    json_t *surface =
        json_pack("{s:I, s:o, s:o, s:o, s:o}", "block_bytes",
                  (json_int_t)model->block_bytes[block_size], "sizes", sizes, "capacity_bytes",
                  capacities, "miss_ratios", ratios, "reuse_miss_ratios", reuse);
    if (status == FT_OK)
        *ret_surface = surface;
    else
        json_decref(surface);
    return status;
}
