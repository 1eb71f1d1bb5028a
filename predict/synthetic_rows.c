#include "predict/synthetic_rows.h"

#include <math.h>
#include <stdlib.h>

#include "engine/simulate/simulate_trace.h"
#include "fit/skeletons/synthetic_misses.h"
#include "predict/scope_rows.h"

#define STRANGE_MAX  0.02   /* share of a scope's accesses */
#define UNPLACED_MAX 4096.0 /* bytes of blocks whose addresses may be others */

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a synthesis");
}

/* ---- what is made ---- */

struct making {
    const struct ft_synthetic_request *request;
    const struct ft_synthesis *synthesis;
    uint32_t *places; /* [scope of the skeleton]: of the model */
    struct ft_synthetic_rows *rows;
};

/* Accesses of each scope that are explained, against those of the model. */
static void compare(struct making *making, const struct ft_synthetic_share *made,
                    const struct ft_synthetic_share *recorded)
{
    struct ft_synthetic_rows *rows = making->rows;
    const struct ft_synthetic_request *request = making->request;
    const size_t count = request->model->scopes.scope_count;
    for (size_t s = 0; s < count; s++)
        rows->is_lawful[s] = true;
    for (size_t s = 0; s < making->synthesis->sized->largest.scopes.scope_count; s++) {
        const size_t place = making->places[s];
        rows->strange[place] += made[s].sized + made[s].single;
        rows->is_lawful[place] = rows->is_lawful[place] && recorded[s].single == 0 &&
                                 recorded[s].recorded == 0 && recorded[s].irregular == 0;
        rows->accesses += made[s].accesses;
    }
    for (size_t s = 0; s < count; s++)
        rows->strange[s] =
            rows->is_lawful[s] ? 0 : fabs(rows->strange[s] - request->accesses[s * request->width]);
}

static int count_strange(struct making *making, struct ft_diag *diag)
{
    const size_t count = making->synthesis->sized->largest.scopes.scope_count;
    struct ft_synthetic_share *made = calloc(count + 1, sizeof *made);
    struct ft_synthetic_share *recorded = calloc(count + 1, sizeof *recorded);
    int status =
        made && recorded ? ft_synthesis_shares(making->synthesis, made, diag) : no_memory(diag);
    if (!status)
        status = ft_synthetic_shares(making->synthesis->sized, recorded, diag);
    if (!status)
        compare(making, made, recorded);
    free(made);
    free(recorded);
    return status;
}

/* Heap blocks that the model of the allocator does not explain, in bytes. */
static double unplaced_bytes(const struct ft_sized_skeleton *sized)
{
    double bytes = 0;
    for (size_t e = 0; e < sized->largest.blocks.event_count; e++) {
        const struct ft_block_event *event = &sized->largest.blocks.events[e];
        if (!event->is_freed && !sized->blocks.is_confirmed[event->block])
            bytes += (double)event->bytes;
    }
    return bytes;
}

static int simulate(struct making *making, struct ft_diag *diag)
{
    const struct ft_sized_skeleton *sized = making->synthesis->sized;
    struct ft_simulated_trace simulated = {.scopes = sized->largest.scopes};
    struct ft_simulation simulation;
    FT_TRY(ft_synthesis_simulate(making->synthesis, making->request->machine,
                                 making->request->progress, &simulation, diag));
    int status = ft_simulated_trace_sum(&simulation, making->request->machine, &simulated, diag);
    if (status == FT_OK)
        ft_scope_rows_add(simulated.own, sized->largest.scopes.scope_count, simulated.width,
                          making->places, making->rows->own);
    free(simulated.own);
    ft_simulation_fini(&simulation);
    return status;
}

static int make(struct making *making, struct ft_diag *diag)
{
    const struct ft_synthetic_request *request = making->request;
    const struct ft_sized_skeleton *sized = making->synthesis->sized;
    struct ft_synthetic_rows *rows = making->rows;
    FT_TRY(ft_scope_places(&sized->largest.scopes, &request->model->scopes, making->places, NULL,
                           diag));
    FT_TRY(count_strange(making, diag));
    rows->places_known = unplaced_bytes(sized) <= UNPLACED_MAX;
    if (rows->accesses > request->accesses_max) {
        rows->missing = "there are too many accesses to make all of them";
        return FT_OK;
    }
    return simulate(making, diag);
}

static const char *find_missing(const struct ft_synthetic_request *request)
{
    const struct ft_sized_skeleton *sized = request->model->skeleton;
    double near;
    if (!sized)
        return "the model has no skeleton";
    if (request->size != floor(request->size))
        return "the size is no integer";
    if (!ft_sized_skeleton_reaches(sized, request->size, &near))
        return "remainders of loops are not known at the size";
    return NULL;
}

int ft_synthetic_rows_make(const struct ft_synthetic_request *request,
                           struct ft_synthetic_rows *ret_rows, struct ft_diag *diag)
{
    const struct ft_sized_skeleton *sized = request->model->skeleton;
    const size_t scopes = request->model->scopes.scope_count;
    struct ft_synthetic_rows rows = {.missing = find_missing(request),
                                     .width = 1 + 2 * request->machine->level_count};
    if (rows.missing) {
        *ret_rows = rows;
        return FT_OK;
    }
    struct ft_synthesis synthesis;
    FT_TRY(ft_synthesis_init(sized, request->size, &synthesis, diag));
    struct making making = {
        .request = request,
        .synthesis = &synthesis,
        .places = calloc(sized->largest.scopes.scope_count + 1, sizeof *making.places),
        .rows = &rows};
    rows.own = calloc(scopes * rows.width + 1, sizeof *rows.own);
    rows.strange = calloc(scopes + 1, sizeof *rows.strange);
    rows.is_lawful = calloc(scopes + 1, sizeof *rows.is_lawful);
    int status = making.places && rows.own && rows.strange && rows.is_lawful ? make(&making, diag)
                                                                             : no_memory(diag);
    free(making.places);
    ft_synthesis_fini(&synthesis);
    if (status)
        ft_synthetic_rows_fini(&rows);
    else
        *ret_rows = rows;
    return status;
}

void ft_synthetic_rows_fini(struct ft_synthetic_rows *rows)
{
    free(rows->own);
    free(rows->strange);
    free(rows->is_lawful);
    *rows = (struct ft_synthetic_rows){0};
}

bool ft_synthetic_rows_has(const struct ft_synthetic_rows *rows, size_t scope, double accesses)
{
    return rows->is_lawful[scope] || rows->strange[scope] <= STRANGE_MAX * accesses;
}
