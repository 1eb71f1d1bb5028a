#include "predict/time/penalty_time.h"

#include <math.h>
#include <stdlib.h>

#include "predict/metrics/cycles.h"

int ft_penalty_schedules_find(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                              const struct ft_scope_time *times,
                              struct ft_path_schedules *schedules, double *ret_cycles,
                              struct ft_diag *diag)
{
    const size_t scopes = metrics->model->scopes.scope_count;
    const size_t width = ft_metrics_width(metrics->machine);
    for (size_t i = 0; i < scopes; i++)
        ret_cycles[i] =
            times ? times[i].core.cycles : rows->exclusive[i * width + FT_METRIC_SCHEDULE_CYCLES];
    if (times || !schedules)
        return FT_OK;
    struct ft_core_time *cores = calloc(scopes + 1, sizeof *cores);
    if (!cores)
        return ft_fail_memory(diag, "the times of scopes");
    const int status = ft_core_times_find(metrics->model, schedules, &metrics->at, cores, diag);
    for (size_t i = 0; status == FT_OK && i < scopes; i++)
        ret_cycles[i] = cores[i].cycles;
    free(cores);
    return status;
}

void ft_penalty_times_find(const struct ft_metrics *metrics, const struct ft_time_rows *rows,
                           double *cycles, struct ft_penalty_time *ret_times)
{
    const struct ft_machine *machine = metrics->machine;
    const size_t width = ft_metrics_width(machine);
    ft_scopes_add_nested(&metrics->model->scopes, cycles, 1);
    for (size_t i = 0; i < metrics->model->scopes.scope_count; i++) {
        const size_t column = i * width + FT_METRIC_MEMORY_CYCLES;
        const struct ft_interval *interval = &rows->intervals[column];
        struct ft_penalty_time *time = &ret_times[i];
        time->schedule_seconds = ft_machine_seconds(machine, cycles[i]);
        time->penalty_seconds = ft_machine_seconds(machine, rows->inclusive[column]);
        time->seconds = time->schedule_seconds + time->penalty_seconds;
        time->low = time->schedule_seconds + ft_machine_seconds(machine, fmax(interval->low, 0));
        time->high = time->schedule_seconds + ft_machine_seconds(machine, interval->high);
        if (isnan(interval->low))
            time->low = time->high = NAN;
        time->known = isnan(interval->low) ||
                      ft_interval_is_informative(time->seconds, time->low, time->high, 0);
    }
}

double ft_penalty_level_seconds(const struct ft_machine *machine, const double *row, size_t level,
                                bool dirty_memory)
{
    return ft_machine_seconds(machine, row[ft_set_assoc_column(level)] *
                                           ft_machine_miss_cycles(machine, level, dirty_memory) *
                                           machine->levels[level].exposed_share);
}
