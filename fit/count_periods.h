/*
 * Looks for periods in a program's counts (fit/functions/period_search.h) and adds their quotients
 * to the default terms of work->model, before its functions are fitted: accesses of groups, entries
 * and iterations of scopes. What depends on the same loops is then exact, too.
 */
#ifndef FT_FIT_COUNT_PERIODS_H
#define FT_FIT_COUNT_PERIODS_H

#include "fit/fit_work.h"

/* work has its axes, match, scope_counts and, where there are some, group_counts; axes are
 * rebuilt where terms were added. Call it
 * before scattering groups are joined: a group may have a period where the joined one has none. */
int ft_count_periods_add(struct ft_fit_work *work, struct ft_diag *diag);

#endif
