/*
 * Planes of the surface of capacity, size and miss ratio (Marin & Mellor-Crummey 2004, section 2.4;
 * Zhong et al. 2007, section 4.1): ratios over capacities at one size, least caches over sizes for
 * one hit ratio, and ratios over both. Capacities are powers of two, from CAPACITY_LEAST to the
 * first that holds all data.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/query/answer.h"
#include "predict/query/whole_histogram.h"

#define CAPACITY_LEAST 1024.0
#define STEPS_PEOPLE   12U
#define STEPS_PROGRAMS 48U

static double ratio_of(const struct ft_whole_histogram *whole, double blocks, bool reuse)
{
    double cold = reuse ? whole->all.cold : 0, accesses = whole->all.accesses - cold;
    return accesses > 0 ? fmax(ft_whole_misses(whole, blocks) - cold, 0) / accesses : 0;
}

/* The first power of two that holds the data of all sizes up to the largest one. */
static double capacity_for(const struct ft_model *model, const struct ft_size_line *line, double n)
{
    const struct ft_point at = ft_size_line_at(line, n);
    double most = CAPACITY_LEAST;
    for (size_t size = 0; size < model->size_count; size++)
        while (most < (double)model->block_bytes[size] *
                          ft_function_at(&model->distinct_blocks[size], &at))
            most *= 2;
    return most;
}

/* ---- capacities at a size ---- */

static int capacity_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, "capacities", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "capacity", "capacity_bytes", true);
    ft_table_column(table, "misses", "misses", true);
    ft_table_column(table, "miss ratio", "miss_ratio", true);
    ft_table_column(table, "reuse miss ratio", "reuse_miss_ratio", true);
    return FT_OK;
}

static int capacity_rows(struct ft_answer *answer, const struct ft_model *model,
                         struct ft_diag *diag)
{
    struct ft_size_line line = ft_size_line_of(model, 1);
    struct ft_whole_histogram whole = {0};
    double n;
    int status = ft_query_value(model, "at", answer->query->at, &n, diag);
    if (status != FT_OK)
        return status;
    const struct ft_point at = ft_size_line_at(&line, n);
    const double most = capacity_for(model, &line, n);
    for (size_t size = 0; size < model->size_count && status == FT_OK; size++) {
        const double block = (double)model->block_bytes[size];
        status = ft_whole_evaluate(model, size, &at, &whole, diag);
        for (double bytes = fmax(CAPACITY_LEAST, block); bytes <= most && status == FT_OK;
             bytes *= 2) {
            struct ft_table *table = ft_answer_row(answer, 0, model);
            ft_table_bytes(table, block);
            ft_table_bytes(table, bytes);
            ft_table_count(table, ft_whole_misses(&whole, bytes / block));
            ft_table_share(table, ratio_of(&whole, bytes / block, false));
            ft_table_share(table, ratio_of(&whole, bytes / block, true));
        }
    }
    ft_whole_fini(&whole);
    return status;
}

const struct ft_answer_maker ft_capacity_answers = {capacity_columns, capacity_rows, "capacities"};

/* ---- least caches over sizes ---- */

static int least_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, "least_caches", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "size", "size", true);
    ft_table_column(table, "beyond training", "extrapolation", true);
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "least cache", "capacity_bytes", true);
    ft_table_column(table, "at most", "largest_hit_ratio", true);
    return FT_OK;
}

static void least_row(struct ft_answer *answer, const struct ft_model *model, double n, size_t size,
                      const struct ft_whole_histogram *whole)
{
    struct ft_table *table = ft_answer_row(answer, 0, model);
    const bool reuse = answer->query->reuse;
    const double cold = reuse ? whole->all.cold : 0, accesses = whole->all.accesses - cold;
    double blocks;
    ft_answer_size(table, n);
    ft_answer_extrapolation(table, model, n);
    ft_table_bytes(table, (double)model->block_bytes[size]);
    if (ft_whole_least_blocks(whole, cold + answer->query->miss_ratio * accesses, &blocks))
        ft_table_bytes(table, blocks * (double)model->block_bytes[size]);
    else
        ft_table_empty(table);
    ft_table_share(table, 1 - ratio_of(whole, INFINITY, reuse));
}

static size_t steps_of(const struct ft_answer *answer)
{
    return answer->people ? STEPS_PEOPLE : STEPS_PROGRAMS;
}

/* Calls for every size of the line, from small to large. */
typedef int visit_size(struct ft_answer *answer, const struct ft_size_line *line, double n,
                       struct ft_whole_histogram *whole, struct ft_diag *diag);

static int visit_sizes(struct ft_answer *answer, const struct ft_model *model, visit_size *visit,
                       struct ft_diag *diag)
{
    struct ft_size_line line;
    struct ft_whole_histogram whole = {0};
    int status = ft_query_line(answer->query, model, &line, diag);
    double last = 0;
    for (size_t step = 0; step <= steps_of(answer) && status == FT_OK; step++) {
        double n = ft_size_step(&line, step, steps_of(answer));
        if (n > last)
            status = visit(answer, &line, n, &whole, diag);
        last = n;
    }
    ft_whole_fini(&whole);
    return status;
}

static int visit_least(struct ft_answer *answer, const struct ft_size_line *line, double n,
                       struct ft_whole_histogram *whole, struct ft_diag *diag)
{
    const struct ft_point at = ft_size_line_at(line, n);
    int status = FT_OK;
    for (size_t size = 0; size < line->model->size_count && status == FT_OK; size++) {
        status = ft_whole_evaluate(line->model, size, &at, whole, diag);
        if (status == FT_OK)
            least_row(answer, line->model, n, size, whole);
    }
    return status;
}

static int least_rows(struct ft_answer *answer, const struct ft_model *model, struct ft_diag *diag)
{
    return visit_sizes(answer, model, visit_least, diag);
}

const struct ft_answer_maker ft_least_caches_answers = {least_columns, least_rows, "least_caches"};

/* ---- the surface ---- */

static int surface_columns(struct ft_answer *answer, struct ft_diag *diag)
{
    struct ft_table *table = ft_answer_table(answer, 0, "surface", NULL, diag);
    if (!table)
        return FT_ERROR_MEMORY;
    ft_table_column(table, "size", "size", true);
    ft_table_column(table, "beyond training", "extrapolation", true);
    ft_table_column(table, "block", "block_bytes", true);
    ft_table_column(table, "capacity", "capacity_bytes", true);
    ft_table_column(table, "miss ratio", "miss_ratio", true);
    ft_table_column(table, "reuse miss ratio", "reuse_miss_ratio", true);
    return FT_OK;
}

static int visit_surface(struct ft_answer *answer, const struct ft_size_line *line, double n,
                         struct ft_whole_histogram *whole, struct ft_diag *diag)
{
    const struct ft_model *model = line->model;
    const struct ft_point at = ft_size_line_at(line, n);
    const double most = capacity_for(model, line, line->to);
    int status = FT_OK;
    for (size_t size = 0; size < model->size_count && status == FT_OK; size++) {
        const double block = (double)model->block_bytes[size];
        status = ft_whole_evaluate(model, size, &at, whole, diag);
        for (double bytes = fmax(CAPACITY_LEAST, block); bytes <= most && status == FT_OK;
             bytes *= 2) {
            struct ft_table *table = ft_answer_row(answer, 0, model);
            ft_answer_size(table, n);
            ft_answer_extrapolation(table, model, n);
            ft_table_bytes(table, block);
            ft_table_bytes(table, bytes);
            ft_table_share(table, ratio_of(whole, bytes / block, false));
            ft_table_share(table, ratio_of(whole, bytes / block, true));
        }
    }
    return status;
}

static int surface_rows(struct ft_answer *answer, const struct ft_model *model,
                        struct ft_diag *diag)
{
    return visit_sizes(answer, model, visit_surface, diag);
}

const struct ft_answer_maker ft_surface_answers = {surface_columns, surface_rows, "surface"};
