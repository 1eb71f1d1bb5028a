#include "predict/metrics/heap_sizes.h"

#include <math.h>
#include <stdlib.h>

#include "fit/skeletons/block_laws.h"

#define SIZES_MIN 3U

/* Blocks that are not the heap's may be more at one training size than at another by so many bytes
 * of them, at least 2, as arguments, environment and digits of results have it, and by this share
 * of what the program touches more. */
#define STARTUP_BYTES 512.0
#define STARTUP_MIN   2.0
#define OTHER_SHARE   0.01

#define CLEARLY 2.0 /* so many times less do they differ by what is left untouched */

/* ---- the heap at sizes ---- */

static int by_address(const void *a, const void *b)
{
    const struct ft_placed_block *one = a, *other = b;
    return one->address < other->address ? -1 : one->address > other->address;
}

static bool has_heap_of_sizes(const struct ft_model *model, double size)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    return model->training_blocks && !model->over_data_size && ft_is_sized_size(size) &&
           ft_model_has_sized_skeleton(model) && sized->size_count >= SIZES_MIN &&
           (sized->blocks.event_count > 0 || sized->blocks.loops.nest.token_count > 0);
}

static int place_all(const struct ft_model *model, double size, struct ft_heap *heaps,
                     bool *ret_has_places, struct ft_diag *diag)
{
    const struct ft_sized_skeleton *sized = model->skeleton;
    const size_t count = model->training_count;
    *ret_has_places = true;
    for (size_t s = 0; s <= count && *ret_has_places; s++) {
        const int status = ft_block_laws_at(&sized->blocks, &sized->largest,
                                            s < count ? *ft_model_training(model, s) : size,
                                            &heaps[s].blocks, &heaps[s].block_count, diag);
        *ret_has_places = status != FT_ERROR_USAGE && status != FT_ERROR_UNSUPPORTED;
        if (!*ret_has_places)
            return FT_OK;
        FT_TRY(status);
        qsort(heaps[s].blocks, heaps[s].block_count, sizeof *heaps[s].blocks, by_address);
    }
    *ret_has_places = heaps[count - 1].block_count >= sized->largest.blocks.block_count;
    return FT_OK;
}

int ft_heap_sizes_find(const struct ft_model *model, double size, struct ft_heap_sizes *ret_sizes,
                       struct ft_diag *diag)
{
    struct ft_heap_sizes sizes = {.model = model};
    *ret_sizes = sizes;
    if (!has_heap_of_sizes(model, size))
        return FT_OK;
    bool has_places = true;
    sizes.heaps = calloc(model->training_count + 1, sizeof *sizes.heaps);
    const int status = sizes.heaps ? place_all(model, size, sizes.heaps, &has_places, diag)
                                   : ft_fail_memory(diag, "the heap of a program");
    if (status || !has_places) {
        ft_heap_sizes_fini(&sizes);
        return status;
    }
    *ret_sizes = sizes;
    return FT_OK;
}

void ft_heap_sizes_fini(struct ft_heap_sizes *sizes)
{
    for (size_t s = 0; sizes->heaps && s <= sizes->model->training_count; s++)
        free(sizes->heaps[s].blocks);
    free(sizes->heaps);
    sizes->heaps = NULL;
}

/* ---- footprints ---- */

/* In blocks of so many bytes: what the heap's cover, and what calloc leaves uncleared. */
struct cover {
    double touched, uncleared;
};

static struct cover cover_of(const struct ft_heap *heap, double block_bytes)
{
    const uint64_t unit = (uint64_t)block_bytes;
    struct cover cover = {0};
    uint64_t reached = 0;
    for (uint32_t b = 0; b < heap->block_count; b++) {
        const struct ft_placed_block *block = &heap->blocks[b];
        const uint64_t end = (block->address + block->bytes + unit - 1) / unit;
        const uint64_t first = block->address / unit > reached ? block->address / unit : reached;
        if (block->bytes == 0 || end <= first)
            continue;
        cover.touched += (double)(end - first);
        cover.uncleared += fmin((double)block->uncleared / block_bytes, (double)(end - first));
        reached = end;
    }
    return cover;
}

/* What is counted at a training size = others + covered - untouched * uncleared. */
struct others {
    const struct cover *covers; /* [training size], then at the size */
    const uint64_t *counted;    /* [training size] */
    size_t count;
    double slack;   /* by so many may others differ */
    double startup; /* by so many they do for reasons that are none of the size */
};

static double others_at(const struct others *others, size_t s, double untouched)
{
    const struct cover *cover = &others->covers[s];
    return (double)others->counted[s] - cover->touched + untouched * cover->uncleared;
}

/* How much others differ. */
static double spread_of(const struct others *others, double untouched)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t s = 0; s < others->count; s++) {
        least = fmin(least, others_at(others, s, untouched));
        most = fmax(most, others_at(others, s, untouched));
    }
    return most - least;
}

/* The share of calloc's uncleared memory that the program leaves untouched, by least squares; none,
 * where others differ as little then. ret_error: of the share, that of
 * a binomial sample included. */
static double find_untouched(const struct others *others, double *ret_error)
{
    double mean_u = 0, mean_y = 0, uu = 0, uy = 0, least = INFINITY, most = 0;
    for (size_t s = 0; s < others->count; s++) {
        mean_u += others->covers[s].uncleared / (double)others->count;
        mean_y += others_at(others, s, 0) / (double)others->count;
        least = fmin(least, others->covers[s].uncleared);
        most = fmax(most, others->covers[s].uncleared);
    }
    for (size_t s = 0; s < others->count; s++) {
        const double u = others->covers[s].uncleared - mean_u;
        uu += u * u;
        uy += u * (others_at(others, s, 0) - mean_y);
    }
    const double range = most - least;
    double share = uu > 0 ? fmin(fmax(-uy / uu, 0), 1) : 0;
    if (spread_of(others, 0) <= CLEARLY * spread_of(others, share) + 1)
        share = 0;
    *ret_error =
        range > 0
            ? fmin((spread_of(others, share) + 1) / range + 2 * sqrt(share * (1 - share) / range),
                   1)
            : 1;
    return share;
}

/* Where others are alike. */
static struct ft_heap_footprint footprint_of(const struct others *others)
{
    const size_t last = others->count - 1;
    const struct cover *at = &others->covers[others->count];
    const double trained = others->covers[last].touched - others->covers[0].touched;
    const double grown = at->touched - others->covers[last].touched;
    double error;
    const double untouched = find_untouched(others, &error), spread = spread_of(others, untouched);
    const double off = others->startup + spread * fmax(trained > 0 ? grown / trained : 1, 1);
    const double last_others = others_at(others, last, untouched);
    const double all = last_others + at->touched;
    if (last_others < spread || spread > others->slack)
        return (struct ft_heap_footprint){0};
    return (struct ft_heap_footprint){
        .is_known = true,
        .low = fmax(all - fmin(untouched + error, 1) * at->uncleared - off, 0),
        .value = all - untouched * at->uncleared,
        .high = all - fmax(untouched - error, 0) * at->uncleared + off};
}

int ft_heap_footprint_find(const struct ft_heap_sizes *sizes, size_t size,
                           struct ft_heap_footprint *ret_footprint, struct ft_diag *diag)
{
    const struct ft_model *model = sizes->model;
    const size_t count = model->training_count;
    *ret_footprint = (struct ft_heap_footprint){0};
    if (!sizes->heaps)
        return FT_OK;
    const uint64_t *counted = model->training_blocks + size * count;
    const double block_bytes = (double)model->block_bytes[size];
    const double grown = fabs((double)counted[count - 1] - (double)counted[0]);
    const double startup = fmax(STARTUP_BYTES / block_bytes, STARTUP_MIN);
    struct cover *covers = calloc(count + 1, sizeof *covers);
    if (!covers)
        return ft_fail_memory(diag, "the footprint of a program");
    for (size_t s = 0; s <= count; s++)
        covers[s] = cover_of(&sizes->heaps[s], block_bytes);
    *ret_footprint = footprint_of(
        &(struct others){covers, counted, count, startup + OTHER_SHARE * grown, startup});
    free(covers);
    return FT_OK;
}
