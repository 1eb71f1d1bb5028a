/*
 * Options of `diff` that are of a side: given once they are of both, given twice of the first and
 * the second.
 */
#ifndef FT_PREDICT_COMMANDS_DIFF_OPTION_SIDES_H
#define FT_PREDICT_COMMANDS_DIFF_OPTION_SIDES_H

#include "formats/cli/options.h"

/* NULL: not given. */
static inline const char *ft_option_of_side(const struct ft_arguments *arguments, const char *name,
                                            unsigned side)
{
    const size_t count = ft_option_count(arguments, name);
    return count == 0 ? NULL : ft_option_at(arguments, name, count > 1 ? side : 0);
}

#endif
