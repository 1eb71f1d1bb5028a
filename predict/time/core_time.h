/*
 * The cycles that each scope of a model keeps a core busy at a point, if all accesses hit in the
 * first cache: the schedule of each path through it (engine/schedule, predict/time/scope_paths.h),
 * times how often it is taken there; and how long it goes on in the wrong direction
 * (mispredictions.h) until that is known. Exclusive of nested scopes.
 */
#ifndef FT_PREDICT_TIME_CORE_TIME_H
#define FT_PREDICT_TIME_CORE_TIME_H

#include "engine/schedule/path_schedules.h"
#include "formats/model/model.h"

struct ft_core_time {
    double cycles;
    double front_end_cycles;     /* of them what the front end takes: the rest waits for results and
                                    ports */
    double mispredictions;       /* how many */
    double resolve_cycles;       /* of all of them: from a branch's dispatch until it is known */
    double unknown_instructions; /* executed ones that the core does not know */
    struct ft_schedule heaviest; /* of the path that takes most */
};

/* Whether a model has what it takes: code, and how often blocks and edges run. */
bool ft_core_time_is_known(const struct ft_model *model);

/* ret_times: [scope]. */
int ft_core_times_find(const struct ft_model *model, struct ft_path_schedules *schedules,
                       const struct ft_point *at, struct ft_core_time *ret_times,
                       struct ft_diag *diag);

#endif
