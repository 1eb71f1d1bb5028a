#include "predict/hierarchy_check.h"

#include <stdlib.h>
#include <string.h>

#include "engine/simulate/hierarchy/hierarchy_of_trace.h"
#include "predict/moved_rows.h"

static int fill(const struct ft_hierarchy_run *run, const struct ft_scopes *scopes,
                const struct ft_hierarchy_forecast *forecast, struct ft_hierarchy_check *check,
                struct ft_diag *diag)
{
    double *own = NULL;
    check->totals = calloc(ft_total_width(forecast->machine.level_count), sizeof *check->totals);
    if (!check->totals)
        return ft_fail_memory(diag, "a check");
    ft_hierarchy_totals_of(run, check->totals);
    FT_TRY(ft_hierarchy_rows_of(run, scopes, &own, diag));
    const struct ft_scope_rows rows = {scopes, own, forecast->width};
    int status = ft_move_rows(&rows, &forecast->model->scopes, &check->inclusive,
                              &check->matched_share, diag);
    free(own);
    return status;
}

int ft_hierarchy_check(struct ft_trace *trace, const struct ft_hierarchy_forecast *forecast,
                       struct ft_progress *progress, struct ft_hierarchy_check *ret_check,
                       struct ft_diag *diag)
{
    const struct ft_hierarchy_task task = {.machines = &forecast->machine,
                                           .machine_count = 1,
                                           .seed = forecast->seed,
                                           .causes = forecast->causes,
                                           .thread_count = ft_trace_thread_count(trace)};
    struct ft_hierarchy_run run;
    struct ft_scopes scopes = {0};
    FT_TRY(ft_hierarchy_of_trace(trace, &task, FT_RUN_ACCESSES, progress, &run, &scopes, diag));
    struct ft_hierarchy_check check = {.trace_hash = strdup(ft_trace_content_hash(trace))};
    int status = check.trace_hash ? fill(&run, &scopes, forecast, &check, diag)
                                  : ft_fail_memory(diag, "a check");
    ft_hierarchy_run_fini(&run);
    ft_scopes_fini(&scopes);
    if (status != FT_OK) {
        ft_hierarchy_check_fini(&check);
        return status;
    }
    *ret_check = check;
    return FT_OK;
}

void ft_hierarchy_check_fini(struct ft_hierarchy_check *check)
{
    free(check->trace_hash);
    free(check->inclusive);
    free(check->totals);
    *check = (struct ft_hierarchy_check){0};
}
