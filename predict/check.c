#include "predict/check.h"

#include <stdlib.h>
#include <string.h>

#include "engine/match/scope_places.h"
#include "engine/simulate/simulate_trace.h"
#include "fit/thread_counts.h"

bool ft_check_parameter(const struct ft_trace *trace, const char *name, double *ret_value)
{
    const struct ft_metadata *metadata = ft_trace_metadata(trace);
    for (size_t i = 0; i < metadata->parameter_count; i++)
        if (strcmp(metadata->parameters[i].name, name) == 0) {
            *ret_value = metadata->parameters[i].value;
            return true;
        }
    if (strcmp(name, FT_THREADS) != 0)
        return false;
    *ret_value = ft_trace_thread_count(trace);
    return true;
}

/* Moves the trace's rows into those of the model's scopes. Gives the share that is in the same
 * ones. */
static double move_rows(const struct ft_simulated_trace *simulated, const uint32_t *places,
                        const bool *is_same, struct ft_check *check)
{
    double matched = 0, total = 0;
    for (uint32_t i = 0; i < simulated->scopes.scope_count; i++) {
        const double *from = simulated->own + i * simulated->width;
        total += from[0];
        matched += is_same[i] ? from[0] : 0;
        double *to = check->inclusive + places[i] * check->width;
        for (size_t j = 0; j < check->width; j++)
            to[j] += from[j];
    }
    return total > 0 ? matched / total : 1;
}

int ft_check_trace(struct ft_trace *trace, const struct ft_prediction *prediction,
                   struct ft_progress *progress, struct ft_check *ret_check, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &prediction->model->scopes;
    struct ft_simulated_trace simulated;
    int status = ft_simulate_trace(trace, prediction->machine, progress, &simulated, diag);
    if (status != FT_OK)
        return status;
    struct ft_check check = {
        .trace_hash = strdup(simulated.content_hash),
        .width = simulated.width,
        .inclusive = calloc(scopes->scope_count * simulated.width, sizeof *check.inclusive),
    };
    uint32_t *places = calloc(simulated.scopes.scope_count, sizeof *places);
    bool *is_same = calloc(simulated.scopes.scope_count, sizeof *is_same);
    status = check.trace_hash && check.inclusive && places && is_same
                 ? ft_scope_places(&simulated.scopes, scopes, places, is_same, diag)
                 : ft_fail_memory(diag, "a check");
    if (status == FT_OK) {
        check.matched_share = move_rows(&simulated, places, is_same, &check);
        ft_scopes_add_nested(scopes, check.inclusive, check.width);
        *ret_check = check;
    } else {
        ft_check_fini(&check);
    }
    free(places);
    free(is_same);
    ft_simulated_trace_fini(&simulated);
    return status;
}

void ft_check_fini(struct ft_check *check)
{
    free(check->trace_hash);
    free(check->inclusive);
    *check = (struct ft_check){0};
}
