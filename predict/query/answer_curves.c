#include "predict/query/answer_curves.h"

#include <math.h>

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

bool ft_answer_knows_sample(const struct ft_miss_curve *curve, size_t cache, const double *sample)
{
    return ft_answer_knows(curve->line.model, &curve->caches->levels[cache], sample[FT_SAMPLE_SIZE],
                           sample[FT_SAMPLE_MISSES + 2 * cache]);
}
