#include "fit/skeletons/held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/match/scope_places.h"
#include "engine/reuse/stacks/replay.h"
#include "fit/skeletons/synthesis.h"
#include "formats/base/array.h"

#define ACCESSES_FACTOR 4.0   /* of the true ones; what makes more is no forecast */
#define MATTERS         0.001 /* misses per access of the scope, at least */
#define NOTICEABLE      1e-4  /* a relative error from which on it is kept */
#define OCTAVES         FT_HELD_OUT_OCTAVES

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a held-out size");
}

/* ---- misses by scope ---- */

/* misses[(scope * size_count + size) * OCTAVES + octave], of 2^octave blocks */
struct curves {
    size_t scope_count, size_count;
    uint64_t *misses;
    uint64_t *accesses; /* [scope] */
};

static void fini_curves(struct curves *curves)
{
    free(curves->misses);
    free(curves->accesses);
    *curves = (struct curves){0};
}

static int init_curves(struct curves *curves, size_t scope_count, size_t size_count,
                       struct ft_diag *diag)
{
    *curves = (struct curves){
        .scope_count = scope_count,
        .size_count = size_count,
        .misses = calloc(scope_count * size_count * OCTAVES + 1, sizeof *curves->misses),
        .accesses = calloc(scope_count + 1, sizeof *curves->accesses)};
    return curves->misses && curves->accesses ? FT_OK : no_memory(diag);
}

static uint64_t *curve_of(const struct curves *curves, size_t scope, size_t size)
{
    return curves->misses + (scope * curves->size_count + size) * OCTAVES;
}

static void add_histogram(uint64_t *curve, const struct ft_histogram *histogram)
{
    for (uint32_t octave = 0; octave < OCTAVES; octave++)
        curve[octave] += histogram->cold;
    for (size_t b = 0; b < histogram->bin_count; b++)
        for (uint32_t octave = 0; octave < OCTAVES; octave++)
            if (ft_bin_low(histogram->bins[b].bin) >= UINT64_C(1) << octave)
                curve[octave] += histogram->bins[b].count;
}

/* places: [scope of the references]: the scope of the curves; NULL: the same. */
static void add_references(const struct curves *curves, const struct ft_histograms *histograms,
                           const struct ft_scopes *scopes, const uint32_t *places)
{
    for (size_t r = 0; r < histograms->reference_count; r++) {
        const uint32_t own = scopes->references[r].scope;
        const uint32_t scope = places ? places[own] : own;
        curves->accesses[scope] += histograms->reference_accesses[r];
        for (size_t size = 0; size < histograms->size_count; size++)
            add_histogram(curve_of(curves, scope, size),
                          &histograms->histograms[r * histograms->size_count + size]);
    }
}

/* ---- the largest size, made from the others ---- */

struct holding_out {
    struct ft_sized_skeleton *sized;     /* of all sizes */
    const struct ft_histograms *largest; /* its truth */
    struct ft_sized_skeleton smaller;    /* of the others */
    struct curves made, truth;
};

static int replay_synthesis(const struct ft_synthesis *synthesis, const struct ft_histograms *like,
                            struct ft_histograms *ret_histograms, struct ft_diag *diag)
{
    struct ft_block_sizes sizes = {.count = like->size_count};
    struct ft_run_source *source = NULL;
    struct ft_replay *replay = NULL;
    memcpy(sizes.bytes, like->block_bytes, like->size_count * sizeof *like->block_bytes);
    int status = ft_synthesis_source(synthesis, &source, diag);
    if (!status)
        status = ft_replay_create(&sizes, NULL, &replay, diag);
    if (!status)
        status = ft_replay_run(replay, source, diag);
    if (!status)
        status = ft_replay_finish(replay, ret_histograms, diag);
    ft_replay_destroy(replay);
    if (source)
        source->destroy(source);
    return status;
}

static double all_accesses(const struct curves *curves)
{
    double accesses = 0;
    for (size_t s = 0; s < curves->scope_count; s++)
        accesses += (double)curves->accesses[s];
    return accesses;
}

static int make_largest(struct holding_out *held, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = &held->smaller.largest.scopes;
    const double size = held->sized->sizes[held->sized->size_count - 1];
    struct ft_synthesis synthesis = {0};
    struct ft_histograms histograms = {0};
    uint32_t *places = calloc(scopes->scope_count + 1, sizeof *places);
    int status = places ? ft_scope_places(scopes, &held->sized->largest.scopes, places, NULL, diag)
                        : no_memory(diag);
    if (!status)
        status = ft_synthesis_init(&held->smaller, size, &synthesis, diag);
    if (!status) {
        synthesis.accesses_max = ACCESSES_FACTOR * all_accesses(&held->truth);
        status = replay_synthesis(&synthesis, held->largest, &histograms, diag);
        ft_synthesis_fini(&synthesis);
    }
    if (!status)
        add_references(&held->made, &histograms, scopes, places);
    ft_histograms_fini(&histograms);
    free(places);
    return status;
}

/* ---- errors ---- */

static bool is_noticeable(uint64_t made, uint64_t truth, uint64_t accesses)
{
    const double most = fmax((double)made, (double)truth);
    return most > MATTERS * (double)accesses &&
           fabs((double)made - (double)truth) > NOTICEABLE * (double)truth;
}

static int add_error(struct ft_sized_skeleton *sized, size_t *capacity,
                     const struct ft_held_out_error *error, struct ft_diag *diag)
{
    if (!FT_RESERVE(sized->errors, *capacity, sized->error_count + 1))
        return no_memory(diag);
    sized->errors[sized->error_count++] = *error;
    return FT_OK;
}

static double relative_error(uint64_t made, uint64_t truth)
{
    return truth ? fabs((double)made / (double)truth - 1) : INFINITY;
}

static int compare_curves(struct holding_out *held, uint32_t scope, uint32_t size, size_t *capacity,
                          struct ft_diag *diag)
{
    const uint64_t *made = curve_of(&held->made, scope, size);
    const uint64_t *truth = curve_of(&held->truth, scope, size);
    for (uint32_t octave = 0; octave < OCTAVES; octave++) {
        const struct ft_held_out_error error = {scope, size, octave,
                                                relative_error(made[octave], truth[octave])};
        if (is_noticeable(made[octave], truth[octave], held->truth.accesses[scope]))
            FT_TRY(add_error(held->sized, capacity, &error, diag));
    }
    return FT_OK;
}

static int compare(struct holding_out *held, struct ft_diag *diag)
{
    size_t capacity = 0;
    for (uint32_t scope = 0; scope < held->truth.scope_count; scope++) {
        const uint64_t made = held->made.accesses[scope], truth = held->truth.accesses[scope];
        const struct ft_held_out_error error = {scope, 0, FT_HELD_OUT_ACCESSES,
                                                relative_error(made, truth)};
        if (is_noticeable(made, truth, truth))
            FT_TRY(add_error(held->sized, &capacity, &error, diag));
        for (uint32_t size = 0; size < held->truth.size_count; size++)
            FT_TRY(compare_curves(held, scope, size, &capacity, diag));
    }
    return FT_OK;
}

static int hold_out(struct holding_out *held, struct ft_diag *diag)
{
    const size_t scopes = held->sized->largest.scopes.scope_count;
    const size_t sizes = held->largest->size_count;
    FT_TRY(init_curves(&held->made, scopes, sizes, diag));
    FT_TRY(init_curves(&held->truth, scopes, sizes, diag));
    add_references(&held->truth, held->largest, &held->sized->largest.scopes, NULL);
    int status = make_largest(held, diag);
    if (status == FT_ERROR_UNSUPPORTED)
        return FT_OK; /* nothing to learn from */
    FT_TRY(status);
    FT_TRY(compare(held, diag));
    held->sized->is_held_out = true;
    return FT_OK;
}

/* ---- all of it ---- */

int ft_sized_skeleton_hold_out(struct ft_sized_skeleton *sized,
                               const struct ft_skeleton *const *skeletons, const double *sizes,
                               const struct ft_histograms *largest, struct ft_diag *diag)
{
    const struct ft_skeleton *others[FT_SIZED_SIZES_MAX];
    double smaller[FT_SIZED_SIZES_MAX];
    struct ft_unknown_residue unknown;
    const double size = sized->sizes[sized->size_count - 1];
    struct holding_out held = {.sized = sized, .largest = largest};
    size_t count = 0;
    for (size_t s = 0; s < sized->size_count; s++)
        if (sizes[s] != size) {
            others[count] = skeletons[s];
            smaller[count++] = sizes[s];
        }
    if (count < FT_SIZED_SIZES_MIN)
        return FT_OK;
    FT_TRY(ft_sized_skeleton_learn(others, smaller, count, &held.smaller, diag));
    int status =
        ft_sized_skeleton_reaches(&held.smaller, size, &unknown) ? hold_out(&held, diag) : FT_OK;
    fini_curves(&held.made);
    fini_curves(&held.truth);
    ft_sized_skeleton_fini(&held.smaller);
    return status;
}
