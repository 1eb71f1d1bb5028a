/*
 * A lower bound of the cycles that instructions take when every access hits in the nearest cache:
 * the larger of instructions / issue width and, for each group of functional units, the operations
 * that only run there / the rate at which they start (Marin & Mellor-Crummey 2004, section 2.4,
 * without dependences). Pure function.
 */
#ifndef FT_PREDICT_SCHEDULE_H
#define FT_PREDICT_SCHEDULE_H

#include "machines/machine.h"

/* ret_limit, where not NULL: what sets the bound, "issue width" or the name of a group of units. */
double ft_schedule_cycles(const struct ft_machine *machine, double instructions,
                          const double mix[FT_MIX_COUNT], const char **ret_limit);

#endif
