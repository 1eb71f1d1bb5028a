/*
 * The instructions of a rank between two of its calls, over its blocks and the size of the run: an
 * exact law where there is one, else the function of fit/functions that is nearest. May differ
 * between rank 0, which often reads input and prints, and the others.
 */
#ifndef FT_PREDICT_RANKS_LAWS_WORK_LAW_H
#define FT_PREDICT_RANKS_LAWS_WORK_LAW_H

#include "formats/model/basis.h"
#include "predict/ranks/laws/value_rule.h"

struct ft_work_choice {
    unsigned variables[FT_PARAMETERS_MAX], count;
    bool multiplies; /* functions are of their product */
};
struct ft_work_fit {
    bool is_exact;
    struct ft_exact_law law;      /* where it is */
    struct ft_work_choice choice; /* of no variables: the constant alone */
    double constant;
    struct ft_basis basis;
    struct ft_function function;
    double error; /* relative, root of the mean square */
};
struct ft_work_law {
    bool by_root; /* fits[1] is that of rank 0 */
    struct ft_work_fit fits[2];
};

/* samples: instructions. FT_ERROR_MEMORY alone. */
int ft_work_law_find(const struct ft_value_task *task, const struct ft_value_samples *samples,
                     struct ft_work_law *ret_law, struct ft_diag *diag);
double ft_work_law_at(const struct ft_work_law *law, uint32_t rank,
                      const struct ft_law_point *point);

#endif
