#include "predict/query/answer_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RESOLUTION 0.05 /* of the curves, relative; finer where sizes within less are asked for */
#define FINEST     0.005

int ft_answer_curve(const struct ft_answer *answer, const struct ft_size_line *line, bool reuse,
                    struct ft_miss_curve *curve, struct ft_diag *diag)
{
    ft_miss_curve_init(curve, line, &answer->query->caches,
                       fmax(fmin(RESOLUTION, answer->query->within / 2), FINEST));
    curve->reuse = reuse;
    curve->in_sets = answer->query->in_sets;
    return ft_miss_curve_sample(curve, diag);
}

void ft_answer_curves_free(const struct ft_model *model, struct ft_miss_curve *curves)
{
    for (size_t i = 0; curves && i < model->replica_count; i++)
        ft_miss_curve_fini(&curves[i]);
    free(curves);
}

int ft_answer_replica_curves(const struct ft_answer *answer, const struct ft_model *model,
                             bool reuse, struct ft_miss_curve **ret_curves, struct ft_diag *diag)
{
    struct ft_miss_curve *curves = calloc(model->replica_count + 1, sizeof *curves);
    int status = curves ? FT_OK : ft_fail_memory(diag, "miss curves");
    struct ft_size_line line;
    if (status == FT_OK)
        status = ft_query_line(answer->query, model, &line, diag);
    for (size_t i = 0; i < model->replica_count && status == FT_OK; i++) {
        line.model = &model->replicas[i];
        status = ft_answer_curve(answer, &line, reuse, &curves[i], diag);
    }
    if (status == FT_OK)
        *ret_curves = curves;
    else
        ft_answer_curves_free(model, curves);
    return status;
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
