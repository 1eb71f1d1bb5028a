/*
 * Hit rates of the points of a bandwidth probe on a machine, which need not exist: of the accesses
 * that the probe makes, passes over an array or runs
 * from random starts, each level by itself (engine/simulate/simulate.h),
 * once a pass before has filled the caches (Tikir et al., SC 2007, section 1).
 */
#ifndef FT_ENGINE_SIMULATE_HIT_RATES_POINT_HIT_RATES_H
#define FT_ENGINE_SIMULATE_HIT_RATES_POINT_HIT_RATES_H

#include "formats/base/progress.h"
#include "machines/bandwidth/bandwidth_points.h"
#include "machines/machine.h"

/* The caches of a machine without its TLBs: a view, not to be given to ft_machine_fini. */
struct ft_machine ft_machine_caches(const struct ft_machine *machine);

/* Of the points that have none, cumulative. progress may be NULL; OpenMP over points. */
int ft_point_hit_rates_find(const struct ft_machine *machine, struct ft_bandwidth_points *points,
                            struct ft_progress *progress, struct ft_diag *diag);

#endif
