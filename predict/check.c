#include "predict/check.h"

#include <stdlib.h>
#include <string.h>

#include "engine/match/scopes.h"
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

/* found[scope of `from`]: the scope of `in` that is the same, or FT_NO_MATCH. */
static int match_scopes(const struct ft_scopes *from, const struct ft_scopes *in, uint32_t *found,
                        struct ft_diag *diag)
{
    struct ft_scope_locations locations[2] = {0};
    struct ft_matching matching = {0};
    int status = ft_scope_locations_make(from, &locations[0], diag);
    if (!status)
        status = ft_scope_locations_make(in, &locations[1], diag);
    if (!status)
        status = ft_scopes_match(locations, &matching, diag);
    for (uint32_t i = 0; !status && i < from->scope_count; i++)
        found[i] = matching.of[0][i].kind == FT_MATCH_NONE ? FT_NO_MATCH : matching.of[0][i].item;
    ft_matching_fini(&matching);
    for (unsigned side = 0; side < 2; side++)
        ft_scope_locations_fini(&locations[side]);
    return status;
}

/* Moves the trace's rows into those of the model's scopes; gives the share that matched. */
static double move_rows(const struct ft_simulated_trace *simulated, uint32_t *found,
                        struct ft_check *check)
{
    double matched = 0, total = 0;
    for (uint32_t i = 0; i < simulated->scopes.scope_count; i++) {
        const double *from = simulated->own + i * simulated->width;
        total += from[0];
        if (found[i] == FT_NO_MATCH)
            found[i] = found[simulated->scopes.scopes[i].parent];
        else
            matched += from[0];
        double *to = check->inclusive + found[i] * check->width;
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
    uint32_t *found = calloc(simulated.scopes.scope_count, sizeof *found);
    if (check.trace_hash && check.inclusive && found) {
        status = match_scopes(&simulated.scopes, scopes, found, diag);
    } else {
        status = ft_fail_memory(diag, "a check");
    }
    if (status == FT_OK) {
        check.matched_share = move_rows(&simulated, found, &check);
        ft_scopes_add_nested(scopes, check.inclusive, check.width);
        *ret_check = check;
    } else {
        ft_check_fini(&check);
    }
    free(found);
    ft_simulated_trace_fini(&simulated);
    return status;
}

void ft_check_fini(struct ft_check *check)
{
    free(check->trace_hash);
    free(check->inclusive);
    *check = (struct ft_check){0};
}
