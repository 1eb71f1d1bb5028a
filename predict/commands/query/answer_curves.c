#include "predict/commands/query/answer_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "predict/intervals/spread.h"

#define RESOLUTION 0.05 /* of the curves, relative; finer where sizes within less are asked for */
#define FINEST     0.005

static void begin_curve(const struct ft_answer *answer, const struct ft_size_line *line, bool reuse,
                        struct ft_miss_curve *curve)
{
    ft_miss_curve_init(curve, line, &answer->query->caches,
                       fmax(fmin(RESOLUTION, answer->query->within / 2), FINEST));
    curve->reuse = reuse;
    curve->in_sets = answer->query->in_sets;
}

int ft_answer_curve(const struct ft_answer *answer, const struct ft_size_line *line, bool reuse,
                    struct ft_miss_curve *curve, struct ft_diag *diag)
{
    begin_curve(answer, line, reuse, curve);
    return ft_miss_curve_sample(curve, diag);
}

void ft_variant_curves_fini(struct ft_variant_curves *variants)
{
    for (size_t i = 0; i < variants->count; i++)
        ft_miss_curve_fini(&variants->curves[i]);
    for (size_t i = 0; i < variants->alone_count; i++)
        ft_perturbed_fini(&variants->alone[i]);
    free(variants->curves);
    free(variants->alone);
    free(variants->scales);
    *variants = (struct ft_variant_curves){0};
}

/* Starts a curve of a variant, to be sampled. */
static struct ft_miss_curve *begin_variant(const struct ft_answer *answer,
                                           const struct ft_size_line *line,
                                           const struct ft_model *model, bool reuse,
                                           struct ft_variant_curves *variants)
{
    struct ft_size_line of_variant = *line;
    struct ft_miss_curve *curve = &variants->curves[variants->count++];
    of_variant.model = model;
    begin_curve(answer, &of_variant, reuse, curve);
    return curve;
}

/* Capacities smaller and larger. */
static int add_capacities(const struct ft_answer *answer, const struct ft_size_line *line,
                          bool reuse, struct ft_variant_curves *variants, struct ft_diag *diag)
{
    const size_t levels = answer->query->caches.level_count;
    int status = FT_OK;
    for (size_t i = 0; i < 2 && status == FT_OK; i++) {
        double *scales = variants->scales + i * levels;
        for (size_t k = 0; k < levels; k++)
            scales[k] = i == 0 ? 1 - FT_CAPACITY_SPREAD : 1 + FT_CAPACITY_SPREAD;
        struct ft_miss_curve *curve = begin_variant(answer, line, line->model, reuse, variants);
        curve->capacity_scales = scales;
        status = ft_miss_curve_sample(curve, diag);
    }
    return status;
}

static int add_methods(const struct ft_answer *answer, const struct ft_size_line *line, bool reuse,
                       struct ft_variant_curves *variants, struct ft_diag *diag)
{
    const struct ft_model *model = line->model;
    int status = FT_OK;
    for (uint32_t i = 0; model->method_count > 1 && i < model->method_count && !status; i++) {
        struct ft_perturbed_model *alone = &variants->alone[i];
        status = ft_perturbed_by_method(model, i, alone, diag);
        if (status != FT_OK)
            break;
        variants->alone_count++;
        status =
            ft_miss_curve_sample(begin_variant(answer, line, &alone->model, reuse, variants), diag);
    }
    return status;
}

int ft_variant_curves(const struct ft_answer *answer, const struct ft_size_line *line, bool reuse,
                      struct ft_variant_curves *variants, struct ft_diag *diag)
{
    const struct ft_model *model = line->model;
    const size_t replicas = model->replica_count, methods = model->method_count;
    *variants = (struct ft_variant_curves){.replica_count = replicas};
    if (replicas == 0)
        return FT_OK;
    variants->curves = calloc(replicas + 2 + methods, sizeof *variants->curves);
    variants->alone = calloc(methods + 1, sizeof *variants->alone);
    variants->scales = calloc(2 * answer->query->caches.level_count + 1, sizeof *variants->scales);
    if (!variants->curves || !variants->alone || !variants->scales)
        return ft_fail_memory(diag, "miss curves");
    int status = FT_OK;
    for (size_t i = 0; i < replicas && status == FT_OK; i++)
        status = ft_miss_curve_sample(
            begin_variant(answer, line, &model->replicas[i], reuse, variants), diag);
    if (status == FT_OK)
        status = add_capacities(answer, line, reuse, variants, diag);
    return status == FT_OK ? add_methods(answer, line, reuse, variants, diag) : status;
}

bool ft_answer_knows_sample(const struct ft_miss_curve *curve, size_t cache, const double *sample)
{
    return ft_answer_knows(curve->line.model, &curve->caches->levels[cache], sample[FT_SAMPLE_SIZE],
                           sample[FT_SAMPLE_MISSES + 2 * cache]);
}

void ft_answer_limit(struct ft_table *table, const struct ft_miss_curve *curve, double n)
{
    char text[FT_NUMBER_TEXT];
    snprintf(text, sizeof text, "%s%.10g", n >= curve->line.to ? ">= " : "", n);
    ft_table_labelled(table, text, n);
}

double ft_nearer_size(double estimate, double a, double b)
{
    return isnan(a) || fabs(log(b / estimate)) < fabs(log(a / estimate)) ? b : a;
}
