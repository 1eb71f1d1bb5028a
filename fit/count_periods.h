/*
 * Looks for periods in what a program counts (fit/functions/period_search.h) and adds their
 * quotients to the default terms of work->model, before its functions are fitted: accesses of
 * groups, entries and iterations of scopes. What depends on the same loops is then exact too.
 */
#ifndef FT_FIT_COUNT_PERIODS_H
#define FT_FIT_COUNT_PERIODS_H

#include "fit/fit_work.h"

/* work has its axis, match and scope_counts; the axis is made again where terms were added. Before
 * groups are joined that scatter: what has a period does not. */
int ft_count_periods_add(struct ft_fit_work *work, struct ft_diag *diag);

#endif
