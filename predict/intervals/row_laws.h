/*
 * Laws of a number that was computed at several sizes: sums of a few terms with coefficients that
 * are not negative, fitted by least squares of the relative errors. Of all sets of terms the one is
 * chosen that forecasts the largest size best from the smaller half; the smallest sizes are left
 * out where the others follow a law that these do not. Rivals, sums with differences, must be much
 * better; where they meet the sizes well and do not grow faster they are possible, too. Each number
 * is given for several caches at once, of which the first one is in question: in a single one a law
 * may hold by chance.
 *
 * A workspace serves one thread. Needs gsl_set_error_handler_off() once before.
 */
#ifndef FT_PREDICT_INTERVALS_ROW_LAWS_H
#define FT_PREDICT_INTERVALS_ROW_LAWS_H

#include <stddef.h>
#include <stdint.h>

#include "fit/functions/axis.h"
#include "formats/base/status.h"

#define FT_LAW_TERMS     24U /* that sets are made of */
#define FT_LAW_SET_TERMS 3U  /* in one set */
#define FT_LAW_SETS      80U
#define FT_LAW_RIVALS    32U
#define FT_LAW_CACHES    5U
#define FT_LAW_SIZES_MIN 3U /* one term from two sizes, and one held out */

/* What laws are sums of. */
struct ft_law_terms {
    size_t first, size_count; /* sizes to use: at least FT_LAW_SIZES_MIN, of FT_TRAINING_MAX */
    double sizes[FT_TRAINING_MAX], target; /* ascending; the target is larger */
    double at_sizes[FT_LAW_TERMS][FT_TRAINING_MAX], at_target[FT_LAW_TERMS];
    uint32_t sets[FT_LAW_SETS]; /* masks of terms; where sets are as good, the earlier one counts */
    size_t set_count;
    struct {
        uint32_t set;    /* its fastest term is added, others may be subtracted */
        uint32_t faster; /* terms that grow at least as fast as its fastest one */
    } rivals[FT_LAW_RIVALS];
    size_t rival_count;
};

/* In the cache in question, in two that are as much smaller and larger as its capacity is
 * uncertain, and in two that differ much. */
struct ft_law_values {
    double in_cache[FT_LAW_CACHES][FT_TRAINING_MAX]; /* [cache][size] */
    double error; /* of the values themselves, relative, root mean square: 0 where counted */
};

struct ft_row_law {
    uint32_t set;     /* 0: no set has such coefficients */
    double value;     /* at the target */
    double low, high; /* what the sets say that forecast nearly as well, and rivals; and the chosen
                         one in the other caches that are within the uncertainty of the capacity */
    double error;     /* logarithm of a factor that 95 % lie within: of the fit, and of the
                         forecast of the largest size, farther if the target is */
};

struct ft_law_workspace *ft_law_workspace_create(struct ft_diag *diag);
void ft_law_workspace_destroy(struct ft_law_workspace *workspace);

struct ft_row_law ft_row_law_choose(struct ft_law_workspace *workspace,
                                    const struct ft_law_terms *terms,
                                    const struct ft_law_values *values);

#endif
