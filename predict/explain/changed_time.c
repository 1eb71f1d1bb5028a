#include "predict/explain/changed_time.h"

#include <stdlib.h>
#include <string.h>

#include "predict/metrics/cycles.h"

static double seconds_of(const struct ft_explanation *explanation,
                         const struct ft_scope_time *times)
{
    const struct ft_prediction *prediction = explanation->prediction;
    const struct ft_scopes *scopes = &prediction->model->scopes;
    double cycles = 0;
    for (uint32_t i = 0; i < scopes->scope_count; i++)
        if (ft_scope_is_inside(scopes, i, explanation->changed_scope))
            cycles += times[i].cycles;
    return ft_machine_seconds(prediction->machine, cycles);
}

static int find_times(const struct ft_prediction *prediction, const double *rows,
                      struct ft_scope_time *ret_times, struct ft_diag *diag)
{
    const struct ft_metrics metrics = {.model = prediction->model,
                                       .machine = prediction->machine,
                                       .at = prediction->at,
                                       .dirty_memory = prediction->dirty_memory};
    struct ft_time_rows time_rows = ft_prediction_time_rows(prediction);
    const size_t scopes = prediction->model->scopes.scope_count;
    time_rows.exclusive = rows;
    double *waits = calloc(scopes * prediction->machine->level_count + 1, sizeof *waits);
    if (!waits)
        return ft_fail_memory(diag, "the time of a changed program");
    int status = ft_scope_times_find(&metrics, &time_rows, prediction->schedules,
                                     &prediction->threads, ret_times, waits, diag);
    free(waits);
    return status;
}

int ft_changed_time(const struct ft_explanation *explanation, const double *exclusive,
                    struct ft_change *change, struct ft_diag *diag)
{
    const struct ft_prediction *prediction = explanation->prediction;
    const size_t scopes = prediction->model->scopes.scope_count;
    const size_t levels = prediction->machine->level_count, width = prediction->width;
    if (!prediction->times)
        return FT_OK;
    double *rows = malloc((scopes * width + 1) * sizeof *rows);
    struct ft_scope_time *times = calloc(scopes + 1, sizeof *times);
    int status = rows && times ? FT_OK : ft_fail_memory(diag, "the time of a changed program");
    if (!status) {
        memcpy(rows, prediction->exclusive, scopes * width * sizeof *rows);
        for (size_t i = 0; i < scopes * levels; i++)
            rows[i / levels * width + ft_set_assoc_column(i % levels)] = exclusive[i];
        status = find_times(prediction, rows, times, diag);
    }
    if (!status) {
        change->seconds_before = seconds_of(explanation, prediction->times);
        change->seconds_after = seconds_of(explanation, times);
    }
    free(rows);
    free(times);
    return status;
}
