/*
 * Where a synthesis lacks accesses, or makes others, is found by counting: what the model forecasts
 * of a scope against what was made.
 */
#include "predict/synthetic_gaps.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/string_copies.h"
#include "formats/x86/unit.h"
#include "predict/synthetic_errors.h"

#define ACCESSES_FACTOR 4.0 /* of those that are forecast; what makes more is no forecast */
#define ACCESSES_MIN    1e6
#define UNPLACED        "where the allocator puts blocks of the heap is not known"
#define UNPLACED_MAX    4096.0 /* bytes of blocks whose addresses may be others */
#define LOOSE_FEW       0.01 /* share of a scope's accesses that are drawn, or in loops without laws */
#define POOLED_FEW      0.001 /* share that are in groups of the routine around, and no matter */

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a synthesis");
}

/* ---- what a synthesis needs ---- */

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

/* What of the heap is not known at the size; NULL: all is. */
static const char *unknown_heap(const struct ft_synthetic_request *request)
{
    struct ft_diag diag = {0};
    struct ft_synthesis synthesis;
    const int status =
        ft_synthesis_init(request->model->skeleton, request->size, &synthesis, &diag);
    if (status) /* what else there is the synthesis will say */
        return status == FT_ERROR_USAGE ? UNPLACED : NULL;
    const double unknown = (double)synthesis.unknown_cleared;
    ft_synthesis_fini(&synthesis);
    return unknown > UNPLACED_MAX ? "how much calloc clears at the size is not known" : NULL;
}

static double forecast_accesses(const struct ft_synthetic_request *request)
{
    double accesses = 0;
    for (size_t s = 0; s < request->model->scopes.scope_count; s++)
        accesses += request->accesses[s * request->width];
    return accesses;
}

const char *ft_synthetic_missing(const struct ft_synthetic_request *request)
{
    const struct ft_sized_skeleton *sized = request->model->skeleton;
    struct ft_unknown_residue unknown;
    if (!sized)
        return "the model has no skeleton";
    if (request->size != floor(request->size))
        return "the size is no integer";
    const bool is_reached = ft_sized_skeleton_reaches(sized, request->size, &unknown);
    if (!is_reached && unknown.is_no_doubled)
        return "loops double something until it is the size, which is no training size times a "
               "power of two";
    if (!is_reached && request->size > unknown.last)
        return "there are more levels at the size than are known";
    if (!is_reached)
        return "remainders of loops are not known at the size";
    if (unplaced_bytes(sized) > UNPLACED_MAX)
        return UNPLACED;
    if (forecast_accesses(request) > request->accesses_max)
        return FT_SYNTHESIS_TOO_LONG;
    return unknown_heap(request);
}

int ft_synthetic_start(const struct ft_synthetic_request *request,
                       struct ft_synthesis *ret_synthesis, struct ft_diag *diag)
{
    FT_TRY(ft_synthesis_init(request->model->skeleton, request->size, ret_synthesis, diag));
    ret_synthesis->accesses_max = ACCESSES_FACTOR * forecast_accesses(request) + ACCESSES_MIN;
    ret_synthesis->simulated_max = request->simulated_max;
    return FT_OK;
}

const char *ft_synthetic_end(const struct ft_synthetic_request *request)
{
    return forecast_accesses(request) > request->simulated_max ? FT_SYNTHESIS_TOO_LONG
                                                               : FT_SYNTHESIS_RUNS_OFF;
}

/* ---- gaps ---- */

struct making {
    const struct ft_synthetic_request *request;
    const struct ft_synthesis *synthesis;
    const double *made; /* [scope * width]: accesses */
    size_t width;
    struct ft_synthetic_gaps *gaps;
};

struct shares {
    struct ft_synthetic_share *made;     /* [scope] */
    struct ft_synthetic_share *recorded; /* likewise, at the largest training size */
    double *errors;                      /* of accesses, likewise (synthetic_errors.h) */
    double *counted;                     /* likewise, by the model's groups, at the largest size */
    bool *is_pooled; /* likewise: of a routine of which a part is in no loop's groups, and has no
                        law */
};

static bool follows_laws(const struct ft_synthetic_share *recorded)
{
    return recorded->single + recorded->recorded + recorded->drawn + recorded->irregular == 0;
}

/* The model has some accesses of a routine's loops in the routine's own groups, as they scatter, or
 * are few (fit/matching/match.h). Where all of the routine follows laws, the synthesis has them in
 * their loops. Where it does not, laws of the scopes that the model says they are in, or are not,
 * would lose them, or count them twice, if there are more than a few. */
static void find_pooled(const struct making *making, const struct shares *shares)
{
    const struct ft_model *model = making->request->model;
    const struct ft_scopes *scopes = &model->scopes;
    for (size_t g = 0; g < model->group_count; g++)
        shares->counted[model->groups[g].scope] += (double)model->groups[g].accesses_at_largest;
    for (uint32_t s = 0; s < scopes->scope_count; s++)
        if (!follows_laws(&shares->recorded[s]))
            shares->is_pooled[ft_scope_routine(scopes, s)] = true;
    for (uint32_t s = 0; s < scopes->scope_count; s++)
        shares->is_pooled[s] = shares->is_pooled[ft_scope_routine(scopes, s)];
}

/* Of a memset or the like, whether little of it does not follow laws. */
static bool is_filled(const struct making *making, const struct shares *shares, size_t s)
{
    const struct ft_synthetic_share *at_largest = &shares->recorded[s];
    const double loose = shares->made[s].recorded + at_largest->drawn + at_largest->irregular;
    return ft_scope_is_string_routine(&making->request->model->scopes, (uint32_t)s) &&
           loose <= LOOSE_FEW * at_largest->accesses;
}

/* Whether what does not follow laws is drawn where a loop is cut. How often the loop runs is known
 * then, but for the share of each path, which is off as when the largest size was held out. */
static bool is_cut(const struct shares *shares, size_t s)
{
    const struct ft_synthetic_share *recorded = &shares->recorded[s];
    return recorded->cut > 0 && isfinite(shares->errors[s]) && recorded->cut == recorded->drawn &&
           recorded->single + recorded->recorded + recorded->irregular == 0;
}

/* By what the model says there are. Of memset and the like, whose paths through other lengths no
 * function of the size tells, what does not follow laws, if that is little: calls of calloc that do
 * not may clear nothing at the size. */
static double missing_accesses(const struct making *making, const struct shares *shares, size_t s)
{
    const double made = making->made[s * making->width];
    const double forecast = making->request->accesses[s * making->request->width];
    const struct ft_synthetic_share *at_largest = &shares->recorded[s];
    const double loose = shares->made[s].recorded + at_largest->drawn + at_largest->irregular;
    if (is_filled(making, shares, s))
        return loose + shares->made[s].single;
    if (is_cut(shares, s))
        return 0; /* and the model's functions are of accesses that data decide on */
    return fabs(made - shares->made[s].recorded - forecast);
}

/* Accesses that the model has elsewhere in the routine, or of others. */
static double pooled_accesses(const struct shares *shares, size_t s)
{
    return shares->is_pooled[s] ? fabs(shares->counted[s] - shares->recorded[s].accesses) : 0;
}

/* The share of malloc's accesses by which calls that were written as others differ from what was
 * counted (fit/skeletons/heap_calls.h). */
static double other_paths(const struct making *making, const struct shares *shares, size_t s)
{
    const double kept = shares->recorded[s].accesses;
    return kept > 0 && ft_scope_is_malloc(&making->request->model->scopes, (uint32_t)s)
               ? fabs(shares->counted[s] - kept) / kept
               : 0;
}

/* Accesses of a scope that the program has not, or the synthesis; and how many were wrong when a
 * size was held out: but in a memset or the like, whose bytes are those of the program, if not by
 * the same accesses, nor in the same loops. */
static double strange_accesses(const struct making *making, const struct shares *shares, size_t s)
{
    const double made = making->made[s * making->width];
    const double forecast = making->request->accesses[s * making->request->width];
    if (making->gaps->is_lawful[s])
        return other_paths(making, shares, s) * made +
               (pooled_accesses(shares, s) > 0 ? fabs(made - forecast) : 0);
    if (is_filled(making, shares, s))
        return missing_accesses(making, shares, s);
    return missing_accesses(making, shares, s) +
           (made > 0 && isfinite(shares->errors[s]) ? made * shares->errors[s] : 0);
}

static void compare(const struct making *making, const struct shares *shares)
{
    for (size_t s = 0; s < making->request->model->scopes.scope_count; s++) {
        const struct ft_synthetic_share *recorded = &shares->recorded[s];
        const double loose = recorded->recorded + recorded->drawn + recorded->irregular;
        making->gaps->is_lawful[s] =
            follows_laws(recorded) && pooled_accesses(shares, s) <= POOLED_FEW * recorded->accesses;
        if (recorded->accesses > 0) {
            making->gaps->loose[s] = loose / recorded->accesses;
            making->gaps->single[s] = recorded->single / recorded->accesses;
        }
        making->gaps->is_cut[s] = !making->gaps->is_lawful[s] && is_cut(shares, s);
        making->gaps->strange[s] = strange_accesses(making, shares, s);
        making->gaps->is_filled[s] = recorded->accesses > 0 && is_filled(making, shares, s);
    }
}

/* Where calls become so long that they may use no vectors any more. */
static int count_granules(const struct making *making, struct ft_diag *diag)
{
    const struct ft_skeleton *largest = &making->synthesis->sized->largest;
    double *vectors = calloc(2 * (size_t)largest->reference_count + 1, sizeof *vectors);
    double *before = vectors + (vectors ? largest->reference_count : 0);
    int status = vectors ? ft_string_vectors_long(largest, &making->synthesis->nest, vectors, diag)
                         : no_memory(diag);
    if (!status)
        status = ft_string_vectors_long(largest, &largest->threads[0].nest, before, diag);
    for (uint32_t r = 0; !status && r < largest->reference_count; r++) {
        const double granules = (double)largest->references[r].size_bytes / FT_STRING_GRANULE_BYTES;
        if (before[r] == 0)
            making->gaps->granules[largest->scopes.references[r].scope] +=
                vectors[r] * fabs(granules - 1);
    }
    free(vectors);
    return status;
}

static int count_strange(const struct making *making, struct ft_diag *diag)
{
    const struct ft_synthetic_request *request = making->request;
    const size_t count = request->model->scopes.scope_count;
    struct shares shares = {
        calloc(count + 1, sizeof *shares.made), calloc(count + 1, sizeof *shares.recorded),
        calloc(count + 1, sizeof *shares.errors), calloc(count + 1, sizeof *shares.counted),
        calloc(count + 1, sizeof *shares.is_pooled)};
    int status =
        shares.made && shares.recorded && shares.errors && shares.counted && shares.is_pooled
            ? ft_synthesis_shares(making->synthesis, shares.made, diag)
            : no_memory(diag);
    if (!status)
        status = ft_synthetic_shares(making->synthesis->sized, shares.recorded, diag);
    if (!status) {
        ft_synthetic_access_errors(request->model, request->size, shares.errors);
        find_pooled(making, &shares);
        compare(making, &shares);
    }
    free(shares.made);
    free(shares.recorded);
    free(shares.errors);
    free(shares.counted);
    free(shares.is_pooled);
    return status;
}

int ft_synthetic_gaps_find(const struct ft_synthetic_request *request,
                           const struct ft_synthesis *synthesis, const double *made, size_t width,
                           struct ft_synthetic_gaps *ret_gaps, struct ft_diag *diag)
{
    const size_t scopes = request->model->scopes.scope_count;
    struct ft_synthetic_gaps gaps = {
        .strange = calloc(scopes + 1, sizeof *gaps.strange),
        .is_lawful = calloc(scopes + 1, sizeof *gaps.is_lawful),
        .is_cut = calloc(scopes + 1, sizeof *gaps.is_cut),
        .loose = calloc(scopes + 1, sizeof *gaps.loose),
        .single = calloc(scopes + 1, sizeof *gaps.single),
        .errors = calloc(scopes * request->machine->level_count + 1, sizeof *gaps.errors),
        .is_filled = calloc(scopes + 1, sizeof *gaps.is_filled),
        .granules = calloc(scopes + 1, sizeof *gaps.granules)};
    const struct making making = {request, synthesis, made, width, &gaps};
    int status = gaps.strange && gaps.is_lawful && gaps.is_cut && gaps.loose && gaps.single &&
                         gaps.errors && gaps.is_filled && gaps.granules
                     ? count_strange(&making, diag)
                     : no_memory(diag);
    if (status == FT_OK)
        status = count_granules(&making, diag);
    if (status != FT_OK) {
        ft_synthetic_gaps_fini(&gaps);
        return status;
    }
    ft_synthetic_errors(request->model, request->machine, request->size, gaps.errors);
    *ret_gaps = gaps;
    return FT_OK;
}

void ft_synthetic_gaps_fini(struct ft_synthetic_gaps *gaps)
{
    free(gaps->strange);
    free(gaps->is_lawful);
    free(gaps->is_cut);
    free(gaps->loose);
    free(gaps->single);
    free(gaps->errors);
    free(gaps->is_filled);
    free(gaps->granules);
    *gaps = (struct ft_synthetic_gaps){0};
}
