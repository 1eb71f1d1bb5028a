/*
 * 1. Each reference begins where it did, relative to the first one: a constant distance apart, one
 *    that is constant modulo the bytes of a way, or a polynomial of the size.
 * 2. Blocks are listed, references by loops; a loop whose stride is below a block goes block by
 *    block. Of walks beyond POINTS_MAX the part is listed that the outer loops' first iterations
 *    touch, and stands for the rest: a lattice repeats itself in the sets.
 * 3. Sorted by set and number, equal ones are dropped, and those of a set counted.
 */
#include "predict/intervals/set_occupancy.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/functions/axis.h"

#define POINTS_MAX  16384U
#define STREAMS_MAX 64U
#define FAR_APART   ((uint64_t)1 << 40) /* between arrays whose distance is not known */
#define PAGE_BYTES  4096U
#define UNLIKELY    0.025 /* what an interval of 95 % leaves out at an end */

/* What a walk is listed from. */
struct lattice {
    uint64_t starts[STREAMS_MAX];
    size_t start_count;
    struct {
        uint64_t step_bytes, points;
    } loops[FT_STRIDE_LOOPS_MAX];
    size_t loop_count;
};

/* The distance of a stream from the first one at the point. */
static bool stream_distance(const struct ft_model *model, size_t first, size_t stream,
                            uint64_t period, const struct ft_point *at, uint64_t *ret_bytes)
{
    const size_t count = model->training_count;
    const uint64_t *from = model->strides.bases + first * count;
    const uint64_t *to = model->strides.bases + stream * count;
    int64_t distances[FT_TRAINING_MAX];
    double bytes;
    bool is_constant = true;
    for (size_t e = 0; e < count && e < FT_TRAINING_MAX; e++) {
        if (from[e] == FT_ADDRESS_NONE || to[e] == FT_ADDRESS_NONE)
            return false;
        distances[e] = (int64_t)(to[e] - from[e]);
        is_constant = is_constant && (to[e] - from[e]) % period == (to[0] - from[0]) % period;
    }
    *ret_bytes = to[count - 1] - from[count - 1];
    if (is_constant)
        return true;
    if (!ft_follow_polynomial(model, distances, at, &bytes))
        return false;
    *ret_bytes = (uint64_t)(int64_t)llround(bytes);
    return true;
}

/* Whether so many references, which begin anywhere, may begin on the set of another: allocators
 * place large blocks alike within pages, so that a way of a page or less has all of them on one
 * set; of a larger one it is the chance that as many as a set has ways are in one of its pages. */
static bool may_coincide(size_t references, uint64_t period, uint64_t ways)
{
    const double pages = fmax((double)period / PAGE_BYTES, 1);
    return references >= ways &&
           (double)(references + 1) *
                   gsl_cdf_binomial_Q((unsigned)ways - 1, 1 / pages, (unsigned)references) >
               UNLIKELY;
}

static void put_starts(const struct ft_model *model, size_t group, const struct ft_level *level,
                       const struct ft_point *at, struct lattice *lattice)
{
    const uint64_t period = level->blocks / level->ways * level->block_bytes;
    size_t count = 0, lost = 0;
    const size_t first = model->strides.training_count == model->training_count
                             ? ft_group_streams(&model->strides, group, &count)
                             : 0;
    const uint64_t base = count > 0 ? model->strides.bases[first * model->training_count] : 0;
    const uint64_t origin = FAR_APART + base % period;
    lattice->starts[lattice->start_count++] = origin;
    for (size_t i = 1; i < count && i < STREAMS_MAX; i++) {
        uint64_t bytes;
        if (stream_distance(model, first, first + i, period, at, &bytes))
            lattice->starts[lattice->start_count++] = origin + bytes;
        else
            lost++;
    }
    for (size_t i = 1; i <= lost && may_coincide(lost, period, level->ways); i++)
        lattice->starts[lattice->start_count++] = origin + i * FAR_APART / period * period;
}

static void put_loops(const struct ft_model *model, size_t group, uint64_t block_bytes,
                      const struct ft_point *at, struct lattice *lattice, double *ret_stride)
{
    *ret_stride = 0;
    for (size_t loop = 0; loop < FT_STRIDE_LOOPS_MAX; loop++) {
        const struct ft_stride_law law = ft_stride_law_of(model, group, loop, at);
        const double trips = ft_stride_trip_count(model, group, loop, at);
        if (!law.is_known || isnan(trips) || trips * law.bytes > (double)FAR_APART / 2)
            return;
        const double span = trips * law.bytes, block = (double)block_bytes;
        const bool is_dense = law.bytes < block;
        lattice->loops[loop].step_bytes = is_dense ? block_bytes : (uint64_t)law.bytes;
        lattice->loops[loop].points = law.bytes == 0 ? 1
                                      : is_dense     ? (uint64_t)fmax(ceil(span / block), 1)
                                                     : (uint64_t)ceil(trips);
        lattice->loop_count = loop + 1;
        *ret_stride = *ret_stride > 0 ? *ret_stride : law.bytes;
    }
}

/* By set, then by number. */
struct place {
    uint64_t set, block;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *left = a, *right = b;
    if (left->set != right->set)
        return left->set < right->set ? -1 : 1;
    return left->block < right->block ? -1 : left->block > right->block;
}

/* The places that the first `depth` loops reach; ret_scale: for how many each stands. */
static size_t list_places(const struct lattice *lattice, size_t depth, const struct ft_level *level,
                          struct place *places, double *ret_scale)
{
    const uint64_t sets = level->blocks / level->ways;
    size_t count = 0;
    *ret_scale = 1;
    for (size_t i = 0; i < lattice->start_count; i++)
        places[count++].block = lattice->starts[i];
    for (size_t loop = 0; loop < depth; loop++) {
        const uint64_t points = lattice->loops[loop].points, before = count;
        const uint64_t room = POINTS_MAX / before > 1 ? POINTS_MAX / before : 1;
        const uint64_t now = points < room ? points : room;
        *ret_scale *= (double)points / (double)now;
        for (uint64_t k = 1; k < now; k++)
            for (size_t i = 0; i < before; i++)
                places[count++].block = places[i].block + k * lattice->loops[loop].step_bytes;
    }
    for (size_t i = 0; i < count; i++) {
        places[i].block /= level->block_bytes;
        places[i].set = places[i].block % sets;
    }
    return count;
}

static void fill_walk(struct place *places, size_t count, double scale, uint64_t ways,
                      struct ft_set_walk *walk)
{
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0, end; i < count; i = end) {
        double blocks = 1;
        for (end = i + 1; end < count && places[end].set == places[i].set; end++)
            blocks += places[end].block != places[end - 1].block;
        const double filled = fmin(round(blocks * scale), (double)ways + 1);
        walk->shares[(size_t)filled] += blocks;
        walk->blocks += blocks;
        walk->sets_reached++;
    }
    for (size_t i = 0; i < ways + 2; i++)
        walk->shares[i] /= walk->blocks;
    walk->blocks *= scale;
}

int ft_set_occupancy_init(struct ft_set_occupancy *occupancy, const struct ft_model *model,
                          size_t group, const struct ft_level *level, const struct ft_point *at,
                          struct ft_diag *diag)
{
    const size_t width = level->ways + 2;
    struct lattice lattice = {.loop_count = 0};
    *occupancy = (struct ft_set_occupancy){.walk_count = 0};
    put_loops(model, group, level->block_bytes, at, &lattice, &occupancy->stride_bytes);
    if (lattice.loop_count == 0)
        return FT_OK;
    put_starts(model, group, level, at, &lattice);
    struct place *places = malloc((POINTS_MAX + STREAMS_MAX) * sizeof *places);
    occupancy->room = calloc(FT_WALKS_MAX * width, sizeof *occupancy->room);
    int status = places && occupancy->room ? FT_OK : ft_fail_memory(diag, "the sets of a cache");
    for (size_t depth = 0; depth <= lattice.loop_count && status == FT_OK; depth++) {
        double scale;
        struct ft_set_walk *walk = &occupancy->walks[occupancy->walk_count++];
        walk->shares = occupancy->room + depth * width;
        const size_t count = list_places(&lattice, depth, level, places, &scale);
        fill_walk(places, count, scale, level->ways, walk);
    }
    free(places);
    return status;
}

void ft_set_occupancy_fini(struct ft_set_occupancy *occupancy)
{
    free(occupancy->room);
    *occupancy = (struct ft_set_occupancy){0};
}
