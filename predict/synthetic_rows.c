#include "predict/synthetic_rows.h"

#include <stdlib.h>

#include "engine/simulate/simulate_trace.h"
#include "fit/skeletons/synthetic_misses.h"
#include "predict/store_conflicts.h"

static int simulate(const struct ft_synthetic_request *request,
                    const struct ft_synthesis *synthesis, struct ft_synthetic_rows *rows,
                    struct ft_diag *diag)
{
    struct ft_simulated_trace simulated = {.scopes = synthesis->sized->largest.scopes};
    struct ft_simulation simulation;
    FT_TRY(
        ft_synthesis_simulate(synthesis, request->machine, request->progress, &simulation, diag));
    int status = ft_simulated_trace_sum(&simulation, request->machine, &simulated, diag);
    rows->own = simulated.own;
    free(simulated.blocks);
    free(simulated.references);
    ft_simulation_fini(&simulation);
    return status;
}

static int find_store_conflicts(const struct ft_synthetic_request *request,
                                const struct ft_synthesis *synthesis,
                                struct ft_synthetic_rows *rows, struct ft_diag *diag)
{
    rows->store_conflicts = calloc(rows->exposure.scope_count + 1, sizeof *rows->store_conflicts);
    if (!rows->store_conflicts)
        return ft_fail_memory(diag, "stores that conflict");
    ft_store_conflicts_find(request, &rows->exposure, synthesis->sized->largest.references,
                            rows->store_conflicts);
    return FT_OK;
}

int ft_synthetic_rows_make(const struct ft_synthetic_request *request,
                           struct ft_synthetic_rows *ret_rows, struct ft_diag *diag)
{
    struct ft_synthetic_rows rows = {.missing = ft_synthetic_missing(request),
                                     .width = 1 + 2 * request->machine->level_count};
    if (rows.missing) {
        *ret_rows = rows;
        return FT_OK;
    }
    struct ft_synthesis synthesis;
    FT_TRY(ft_synthetic_start(request, &synthesis, diag));
    int status = simulate(request, &synthesis, &rows, diag);
    if (status == FT_OK)
        status =
            ft_synthetic_gaps_find(request, &synthesis, rows.own, rows.width, &rows.gaps, diag);
    if (status == FT_OK)
        status = ft_synthetic_exposure_make(&synthesis, &rows.exposure, diag);
    if (status == FT_OK)
        status = find_store_conflicts(request, &synthesis, &rows, diag);
    ft_synthesis_fini(&synthesis);
    if (status == FT_OK) {
        *ret_rows = rows;
        return FT_OK;
    }
    ft_synthetic_rows_fini(&rows);
    *ret_rows = (struct ft_synthetic_rows){.missing = ft_synthetic_end(request)};
    return status == FT_ERROR_UNSUPPORTED ? FT_OK : status;
}

void ft_synthetic_rows_fini(struct ft_synthetic_rows *rows)
{
    free(rows->own);
    free(rows->store_conflicts);
    ft_synthetic_gaps_fini(&rows->gaps);
    ft_synthetic_exposure_fini(&rows->exposure);
    *rows = (struct ft_synthetic_rows){0};
}
