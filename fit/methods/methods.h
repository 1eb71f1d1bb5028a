/*
 * The table of fitting methods, by which `fit --method NAME` finds them.
 */
#ifndef FT_FIT_METHODS_METHODS_H
#define FT_FIT_METHODS_METHODS_H

#include "fit/methods/method.h"

extern const struct ft_fit_method *const ft_fit_methods[]; /* the default first, then NULL */
const struct ft_fit_method *ft_fit_method_find(const char *name);
/* The method itself, or those that the ensemble weighs (fit/methods/ensemble.h), the best guess
 * first; ends with NULL. */
#define FT_METHODS_MAX 8U
void ft_fit_methods_of(const struct ft_fit_method *method,
                       const struct ft_fit_method *ret_methods[FT_METHODS_MAX]);

#endif
