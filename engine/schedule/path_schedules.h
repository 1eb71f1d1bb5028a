/*
 * The core of a machine, and the schedules that its paths were found to have: what is asked for
 * again, at another size or after a change of misses, is not scheduled again. A schedule depends on
 * the core and the path's code alone, so it does not matter who asked first. Any number of threads
 * may use one.
 */
#ifndef FT_ENGINE_SCHEDULE_PATH_SCHEDULES_H
#define FT_ENGINE_SCHEDULE_PATH_SCHEDULES_H

#include "engine/schedule/schedule.h"

struct ft_path_schedules;

/* The machine is needed for the call alone. */
int ft_path_schedules_create(const struct ft_machine *machine,
                             struct ft_path_schedules **ret_schedules, struct ft_diag *diag);
/* NULL: nothing happens. */
void ft_path_schedules_destroy(struct ft_path_schedules *schedules);

const struct ft_core *ft_path_schedules_core(const struct ft_path_schedules *schedules);

/* As ft_schedule_find has it of the body that ft_body_make makes of the path. */
int ft_path_schedule_find(struct ft_path_schedules *schedules, const struct ft_body_path *path,
                          struct ft_schedule *ret_schedule, struct ft_diag *diag);

#endif
