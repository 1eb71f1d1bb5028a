/*
 * The memory penalty and the time of Marin & Mellor-Crummey 2004, section 3.2, from the figures of
 * any machine: over all levels, misses x what a miss costs x the share of it that is exposed. Pure
 * functions.
 */
#ifndef FT_PREDICT_TIME_H
#define FT_PREDICT_TIME_H

#include "machines/machine.h"

/* misses[level]. dirty_memory: every line that memory replaces is written back first, where the
 * machine knows what that costs. */
double ft_memory_cycles(const struct ft_machine *machine, const double *misses, bool dirty_memory);

double ft_machine_seconds(const struct ft_machine *machine, double cycles);

#endif
