#include "predict/check.h"

#include <stdlib.h>
#include <string.h>

#include "engine/simulate/simulate_trace.h"
#include "fit/thread_counts.h"
#include "predict/moved_rows.h"

bool ft_check_parameter(const struct ft_trace *trace, const char *name, double *ret_value)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    const struct ft_parameter *parameter = ft_metadata_parameter(metadata, name);
    if (!parameter && strcmp(name, FT_THREADS) != 0)
        return false;
    *ret_value = parameter ? parameter->value : ft_trace_thread_count(trace);
    return true;
}

int ft_check_trace(struct ft_trace *trace, const struct ft_prediction *prediction,
                   struct ft_progress *progress, struct ft_check *ret_check, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    struct ft_simulated_trace simulated;
    int status = ft_simulate_trace(trace, prediction->machine, progress, &simulated, diag);
    if (status != FT_OK)
        return status;
    struct ft_check check = {.trace_hash = strdup(simulated.content_hash),
                             .width = simulated.width};
    const struct ft_scope_rows rows = {&simulated.scopes, simulated.own, simulated.width};
    status = check.trace_hash
                 ? ft_move_rows(&rows, scopes, &check.inclusive, &check.matched_share, diag)
                 : ft_fail_memory(diag, "a check");
    if (status == FT_OK)
        *ret_check = check;
    else
        ft_check_fini(&check);
    ft_simulated_trace_fini(&simulated);
    return status;
}

void ft_check_fini(struct ft_check *check)
{
    free(check->trace_hash);
    free(check->inclusive);
    *check = (struct ft_check){0};
}
