#include "predict/synthetic_rows.h"

#include <math.h>
#include <stdlib.h>

#include "engine/simulate/simulate_trace.h"
#include "fit/skeletons/synthetic_misses.h"
#include "predict/synthetic_errors.h"

#define ACCESSES_FACTOR 4.0 /* of those that are forecast; what makes more is no forecast */
#define ACCESSES_MIN    1e6
#define UNPLACED_MAX    4096.0 /* bytes of blocks whose addresses may be others */

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a synthesis");
}

/* ---- what is made ---- */

struct making {
    const struct ft_synthetic_request *request;
    const struct ft_synthesis *synthesis;
    struct ft_synthetic_rows *rows;
};

struct shares {
    struct ft_synthetic_share *made;     /* [scope] */
    struct ft_synthetic_share *recorded; /* likewise, at the largest training size */
    double *errors;                      /* of accesses, likewise (synthetic_errors.h) */
};

/* Accesses of a scope that the program has not, or the synthesis: by what the model says there are,
 * and by how many were wrong when a size was held out. */
static double strange_accesses(const struct making *making, const struct shares *shares, size_t s)
{
    const struct ft_synthetic_rows *rows = making->rows;
    const double made = rows->own[s * rows->width];
    const double forecast = making->request->accesses[s * making->request->width];
    if (rows->is_lawful[s])
        return 0;
    return fabs(made - shares->made[s].recorded - forecast) +
           (made > 0 && isfinite(shares->errors[s]) ? made * shares->errors[s] : 0);
}

static void compare(const struct making *making, const struct shares *shares)
{
    struct ft_synthetic_rows *rows = making->rows;
    for (size_t s = 0; s < making->request->model->scopes.scope_count; s++) {
        const struct ft_synthetic_share *recorded = &shares->recorded[s];
        rows->is_lawful[s] =
            recorded->single + recorded->recorded + recorded->drawn + recorded->irregular == 0;
        rows->strange[s] = strange_accesses(making, shares, s);
    }
}

static int count_strange(const struct making *making, struct ft_diag *diag)
{
    const struct ft_synthetic_request *request = making->request;
    const size_t count = request->model->scopes.scope_count;
    struct shares shares = {calloc(count + 1, sizeof *shares.made),
                            calloc(count + 1, sizeof *shares.recorded),
                            calloc(count + 1, sizeof *shares.errors)};
    int status = shares.made && shares.recorded && shares.errors
                     ? ft_synthesis_shares(making->synthesis, shares.made, diag)
                     : no_memory(diag);
    if (!status)
        status = ft_synthetic_shares(making->synthesis->sized, shares.recorded, diag);
    if (!status) {
        ft_synthetic_access_errors(request->model, request->size, shares.errors);
        compare(making, &shares);
    }
    free(shares.made);
    free(shares.recorded);
    free(shares.errors);
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
    making->rows->own = simulated.own;
    ft_simulation_fini(&simulation);
    return status;
}

static int make(struct making *making, struct ft_diag *diag)
{
    ft_synthetic_errors(making->request->model, making->request->machine, making->request->size,
                        making->rows->errors);
    int status = simulate(making, diag);
    return status == FT_OK ? count_strange(making, diag) : status;
}

static double forecast_accesses(const struct ft_synthetic_request *request)
{
    double accesses = 0;
    for (size_t s = 0; s < request->model->scopes.scope_count; s++)
        accesses += request->accesses[s * request->width];
    return accesses;
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
    if (unplaced_bytes(sized) > UNPLACED_MAX)
        return "where the allocator puts blocks of the heap is not known";
    if (forecast_accesses(request) > request->accesses_max)
        return "there are too many accesses to make them";
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
    synthesis.accesses_max = ACCESSES_FACTOR * forecast_accesses(request) + ACCESSES_MIN;
    struct making making = {.request = request, .synthesis = &synthesis, .rows = &rows};
    rows.strange = calloc(scopes + 1, sizeof *rows.strange);
    rows.is_lawful = calloc(scopes + 1, sizeof *rows.is_lawful);
    rows.errors = calloc(scopes * request->machine->level_count + 1, sizeof *rows.errors);
    int status =
        rows.strange && rows.is_lawful && rows.errors ? make(&making, diag) : no_memory(diag);
    ft_synthesis_fini(&synthesis);
    if (status == FT_OK) {
        *ret_rows = rows;
        return FT_OK;
    }
    ft_synthetic_rows_fini(&rows);
    *ret_rows = (struct ft_synthetic_rows){
        .missing = "it makes far more accesses than the model says there are"};
    return status == FT_ERROR_UNSUPPORTED ? FT_OK : status;
}

void ft_synthetic_rows_fini(struct ft_synthetic_rows *rows)
{
    free(rows->own);
    free(rows->strange);
    free(rows->is_lawful);
    free(rows->errors);
    *rows = (struct ft_synthetic_rows){0};
}
