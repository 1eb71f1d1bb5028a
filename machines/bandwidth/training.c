#include "machines/bandwidth/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ranges of parameters. Bandwidths at equilibrium lie around the measured ones; latencies are
 * relative to the first level's. */
#define CYCLES_MIN    0.1
#define CYCLES_MAX    1e4
#define BANDWIDTH_FAR 4.0
#define OFFSET_MIN    1e-4
#define OFFSET_MAX    10.0

/* ---- genes ---- */

/* In order: c_2 ..., b_1 ..., then f and x of each penalty; f on a linear scale, others on
 * logarithmic ones. */
static void set_ranges(struct ft_training *training, double slowest, double fastest)
{
    size_t gene = 0;
    for (uint32_t i = 1; i < training->level_count; i++, gene++) {
        training->low[gene] = log(CYCLES_MIN);
        training->high[gene] = log(CYCLES_MAX);
    }
    for (uint32_t i = 0; i < training->level_count; i++, gene++) {
        training->low[gene] = log(slowest / BANDWIDTH_FAR);
        training->high[gene] = log(fastest * BANDWIDTH_FAR);
    }
    const uint32_t penalties = training->penalty == FT_PENALTY_NONE
                                   ? 0
                                   : ft_bandwidth_penalty_count(training->level_count);
    for (uint32_t i = 0; i < penalties; i++, gene += 2) {
        training->high[gene] = ft_penalty_factor_max(training->penalty);
        training->low[gene] = -training->high[gene];
        training->low[gene + 1] = log(OFFSET_MIN);
        training->high[gene + 1] = log(OFFSET_MAX);
    }
    training->gene_count = gene;
}

void ft_training_function(const struct ft_training *training, const double *genes,
                          struct ft_bandwidth_function *ret_function)
{
    double values[FT_BANDWIDTH_PARAMETERS_MAX] = {0};
    struct ft_bandwidth_function function = {
        .level_count = training->level_count,
        .penalty = training->penalty,
        .cycles = {1},
        .offsets = {1, 1},
    };
    for (size_t i = 0; i < training->gene_count; i++)
        values[i] = training->low[i] + genes[i] * (training->high[i] - training->low[i]);
    const double *value = values;
    for (uint32_t i = 1; i < training->level_count; i++)
        function.cycles[i] = exp(*value++);
    for (uint32_t i = 0; i < training->level_count; i++)
        function.gb_per_s[i] = exp(*value++);
    for (uint32_t i = 0; value < values + training->gene_count; i++) {
        function.factors[i] = *value++;
        function.offsets[i] = exp(*value++);
    }
    *ret_function = function;
}

/* ---- fitness ---- */

double ft_training_fitness(const struct ft_training *training, const double *genes)
{
    struct ft_bandwidth_function function;
    const size_t caches = training->level_count - 1;
    double sum = 0;
    ft_training_function(training, genes, &function);
    for (size_t t = 0; t < training->tuple_count; t++) {
        const double modelled = ft_bandwidth_at(&function, training->hit_rates + t * caches);
        for (size_t i = training->first[t]; i < training->first[t + 1]; i++)
            sum += fabs(modelled - training->measured[i]) / training->measured[i];
    }
    return sum;
}

void ft_training_residuals(const struct ft_training *training, const double *genes,
                           double *ret_residuals, size_t step)
{
    struct ft_bandwidth_function function;
    const size_t caches = training->level_count - 1;
    ft_training_function(training, genes, &function);
    for (size_t t = 0; t < training->tuple_count; t++) {
        const double modelled = ft_bandwidth_at(&function, training->hit_rates + t * caches);
        for (size_t i = training->first[t]; i < training->first[t + 1]; i++)
            ret_residuals[i * step] = modelled / training->measured[i] - 1;
    }
}

/* The sum of relative errors of one value for several is least at one of them. */
double ft_training_error_min(const struct ft_training *training)
{
    double all = 0;
    for (size_t t = 0; t < training->tuple_count; t++) {
        double least = INFINITY;
        for (size_t i = training->first[t]; i < training->first[t + 1]; i++) {
            double sum = 0;
            for (size_t k = training->first[t]; k < training->first[t + 1]; k++)
                sum += fabs(training->measured[i] / training->measured[k] - 1);
            least = fmin(least, sum);
        }
        all += least;
    }
    return all / (double)training->point_count;
}

struct ft_bandwidth_error ft_bandwidth_error_of(const struct ft_bandwidth_function *function,
                                                const struct ft_bandwidth_points *points,
                                                uint64_t stride_bytes)
{
    struct ft_bandwidth_error error = {0};
    double squares = 0;
    for (size_t i = 0; i < points->count; i++) {
        const struct ft_bandwidth_point *point = &points->items[i];
        if (stride_bytes != UINT64_MAX && point->stride_bytes != stride_bytes)
            continue;
        const double relative =
            fabs(ft_bandwidth_at(function, point->hit_rates) / point->gb_per_s - 1);
        error.mean += relative;
        squares += relative * relative;
        error.points++;
    }
    if (error.points == 0)
        return error;
    error.mean /= (double)error.points;
    error.deviation = sqrt(fmax(0, squares / (double)error.points - error.mean * error.mean));
    return error;
}

/* ---- points ---- */

static int compare_hit_rates(const void *a, const void *b)
{
    const struct ft_bandwidth_point *left = *(const struct ft_bandwidth_point *const *)a,
                                    *right = *(const struct ft_bandwidth_point *const *)b;
    for (uint32_t i = 0; i < left->hit_rate_count; i++)
        if (left->hit_rates[i] != right->hit_rates[i])
            return left->hit_rates[i] < right->hit_rates[i] ? -1 : 1;
    return left < right ? -1 : left > right;
}

static bool same_hit_rates(const struct ft_bandwidth_point *a, const struct ft_bandwidth_point *b)
{
    for (uint32_t i = 0; i < a->hit_rate_count; i++)
        if (a->hit_rates[i] != b->hit_rates[i])
            return false;
    return true;
}

/* sorted: by hit rates. */
static void group_points(struct ft_training *training,
                         const struct ft_bandwidth_point *const *sorted)
{
    const size_t caches = training->level_count - 1;
    for (size_t i = 0; i < training->point_count; i++) {
        if (i == 0 || !same_hit_rates(sorted[i], sorted[i - 1])) {
            memcpy(training->hit_rates + training->tuple_count * caches, sorted[i]->hit_rates,
                   caches * sizeof *training->hit_rates);
            training->first[training->tuple_count++] = i;
        }
        training->measured[i] = sorted[i]->gb_per_s;
    }
    training->first[training->tuple_count] = training->point_count;
}

static int allocate(struct ft_training *training, const struct ft_bandwidth_points *points,
                    struct ft_diag *diag)
{
    const struct ft_bandwidth_point **sorted = calloc(points->count + 1, sizeof *sorted);
    training->hit_rates =
        calloc(points->count * training->level_count + 1, sizeof *training->hit_rates);
    training->first = calloc(points->count + 1, sizeof *training->first);
    training->measured = calloc(points->count + 1, sizeof *training->measured);
    const bool enough = sorted && training->hit_rates && training->first && training->measured;
    if (enough) {
        for (size_t i = 0; i < points->count; i++)
            sorted[i] = &points->items[i];
        qsort(sorted, points->count, sizeof *sorted, compare_hit_rates);
        group_points(training, sorted);
    }
    free((void *)sorted);
    return enough ? FT_OK : ft_fail_memory(diag, "points");
}

static int check_points(const struct ft_bandwidth_points *points, uint32_t level_count,
                        struct ft_diag *diag)
{
    if (level_count < 2 || level_count > FT_BANDWIDTH_LEVELS_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED, "bandwidths are modelled for 1 to %d caches",
                       FT_BANDWIDTH_LEVELS_MAX - 1);
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].hit_rate_count != level_count - 1)
            return ft_fail(
                diag, FT_ERROR_DATA,
                "the point of %llu bytes at a stride of %llu has hit rates of %u caches; "
                "the machine has %u",
                (unsigned long long)points->items[i].size_bytes,
                (unsigned long long)points->items[i].stride_bytes, points->items[i].hit_rate_count,
                level_count - 1);
    return FT_OK;
}

int ft_training_init(const struct ft_bandwidth_points *points, uint32_t level_count,
                     enum ft_penalty penalty, struct ft_training *ret_training,
                     struct ft_diag *diag)
{
    struct ft_training training = {.level_count = level_count, .penalty = (uint8_t)penalty};
    double slowest = INFINITY, fastest = 0;
    FT_TRY(check_points(points, level_count, diag));
    for (size_t i = 0; i < points->count; i++) {
        slowest = fmin(slowest, points->items[i].gb_per_s);
        fastest = fmax(fastest, points->items[i].gb_per_s);
    }
    set_ranges(&training, slowest, fastest);
    if (points->count < training.gene_count)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%zu points are too few: the function has %zu parameters", points->count,
                       training.gene_count);
    training.point_count = points->count;
    int status = allocate(&training, points, diag);
    if (status == FT_OK && training.tuple_count < level_count)
        status =
            ft_fail(diag, FT_ERROR_DATA,
                    "the points have only %zu different hit rates: their sizes must reach from "
                    "the first cache to memory",
                    training.tuple_count);
    if (status == FT_OK)
        *ret_training = training;
    else
        ft_training_fini(&training);
    return status;
}

void ft_training_fini(struct ft_training *training)
{
    free(training->hit_rates);
    free(training->first);
    free(training->measured);
    *training = (struct ft_training){0};
}
