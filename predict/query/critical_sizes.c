/*
 * A curve is steep between two samples if its ratio changes by more than that of n^STEEP would.
 * Steep pieces of one direction that stand close together are one critical size: references of a
 * loop nest outgrow a cache one after the other. Of a piece its ends are cut off where little
 * changes; what changes little in all is left out.
 */
#include "predict/query/critical_sizes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define STEEP         3.0
#define CLOSE         0.02 /* relative difference of sizes that are one */
#define CHANGES_SHARE 0.05 /* of the ratio */
#define END_SHARE                                                                                  \
    0.05 /* of the change of a piece, that its ends may have before they are cut off */
#define ROUNDING    1e-12 /* relative: of ratios that are the same */
#define CHANGES_MIN 1e-4  /* of the accesses */

/* A steep piece of the curve, between two samples. */
struct piece {
    size_t first, last;
};

struct list {
    struct piece *items;
    size_t count, capacity;
};

static double ratio_at(const struct ft_miss_curve *curve, size_t cache, size_t sample)
{
    return ft_miss_ratio(curve, ft_miss_sample(curve, sample), cache);
}

static double size_at(const struct ft_miss_curve *curve, size_t sample)
{
    return ft_miss_sample(curve, sample)[FT_SAMPLE_SIZE];
}

static double change_of(const struct ft_miss_curve *curve, size_t cache, struct piece piece)
{
    return ratio_at(curve, cache, piece.last) - ratio_at(curve, cache, piece.first);
}

static double larger_of(const struct ft_miss_curve *curve, size_t cache, struct piece piece)
{
    return fmax(ratio_at(curve, cache, piece.last), ratio_at(curve, cache, piece.first));
}

static bool is_steep(const struct ft_miss_curve *curve, size_t cache, struct piece piece)
{
    double change = fabs(change_of(curve, cache, piece));
    double slope = STEEP * log(size_at(curve, piece.last) / size_at(curve, piece.first));
    return change > slope * larger_of(curve, cache, piece) && change > 0;
}

static bool matters(const struct ft_miss_curve *curve, size_t cache, struct piece piece)
{
    double change = fabs(change_of(curve, cache, piece));
    return change >= CHANGES_SHARE * larger_of(curve, cache, piece) && change >= CHANGES_MIN;
}

static bool continues(const struct ft_miss_curve *curve, size_t cache, struct piece last,
                      struct piece next)
{
    return (change_of(curve, cache, last) > 0) == (change_of(curve, cache, next) > 0) &&
           log(size_at(curve, next.first) / size_at(curve, last.last)) < CLOSE;
}

static int find_steep(const struct ft_miss_curve *curve, size_t cache, struct list *list,
                      struct ft_diag *diag)
{
    for (size_t i = 0; i + 1 < curve->count; i++) {
        const struct piece next = {i, i + 1};
        struct piece *last = list->count > 0 ? &list->items[list->count - 1] : NULL;
        if (!is_steep(curve, cache, next))
            continue;
        if (last && continues(curve, cache, *last, next)) {
            last->last = next.last;
            continue;
        }
        if (!FT_RESERVE(list->items, list->capacity, list->count + 1))
            return ft_fail_memory(diag, "critical sizes");
        list->items[list->count++] = next;
    }
    return FT_OK;
}

static struct piece cut_ends(const struct ft_miss_curve *curve, size_t cache, struct piece piece)
{
    const double little = END_SHARE * fabs(change_of(curve, cache, piece));
    struct piece cut = piece;
    while (cut.first + 1 < cut.last && fabs(ratio_at(curve, cache, cut.first + 1) -
                                            ratio_at(curve, cache, piece.first)) < little)
        cut.first++;
    while (cut.first + 1 < cut.last &&
           fabs(ratio_at(curve, cache, piece.last) - ratio_at(curve, cache, cut.last - 1)) < little)
        cut.last--;
    return cut;
}

/* Adds sign times the ratio that each scope's own misses are at n. sample: [2 * width], scratch. */
static int add_scopes(struct ft_miss_curve *curve, size_t cache, double n, double sign,
                      double *sample, double *ratios, struct ft_diag *diag)
{
    const struct ft_model *model = curve->line.model;
    const struct ft_point at = ft_size_line_at(&curve->line, n);
    const size_t misses = FT_SAMPLE_MISSES + 2 * cache, cold = misses + 1;
    double *group_sample = sample + curve->width;
    int status = ft_miss_curve_at(curve, n, sample, diag);
    double accesses = sample[FT_SAMPLE_ACCESSES] - (curve->reuse ? sample[cold] : 0);
    for (size_t i = 0; i < model->group_count && status == FT_OK && accesses > 0; i++) {
        memset(group_sample, 0, curve->width * sizeof *group_sample);
        status = ft_miss_curve_add_group(curve, i, &at, group_sample, diag);
        ratios[model->groups[i].scope] +=
            sign * (group_sample[misses] - (curve->reuse ? group_sample[cold] : 0)) / accesses;
    }
    return status;
}

static int find_scope(struct ft_miss_curve *curve, size_t cache, struct ft_critical_size *size,
                      struct ft_diag *diag)
{
    const size_t scope_count = curve->line.model->scopes.scope_count;
    double *ratios = calloc(scope_count + 2 * curve->width, sizeof *ratios);
    if (!ratios)
        return ft_fail_memory(diag, "critical sizes");
    double *sample = ratios + scope_count;
    double sign = size->after > size->before ? 1 : -1;
    int status = add_scopes(curve, cache, size->first_after, sign, sample, ratios, diag);
    if (status == FT_OK)
        status = add_scopes(curve, cache, size->last_before, -sign, sample, ratios, diag);
    size->scope = 0;
    for (uint32_t i = 0; i < scope_count; i++)
        if (ratios[i] > ratios[size->scope])
            size->scope = i;
    size->scope_share = ratios[size->scope] / fabs(size->after - size->before);
    free(ratios);
    return status;
}

int ft_critical_sizes(struct ft_miss_curve *curve, size_t cache,
                      struct ft_critical_size **ret_sizes, size_t *ret_count, struct ft_diag *diag)
{
    struct list list = {0};
    size_t kept = 0;
    int status = find_steep(curve, cache, &list, diag);
    struct ft_critical_size *sizes = calloc(list.count + 1, sizeof *sizes);
    if (!sizes && status == FT_OK)
        status = ft_fail_memory(diag, "critical sizes");
    for (size_t i = 0; i < list.count && status == FT_OK; i++) {
        if (!matters(curve, cache, list.items[i]))
            continue;
        const struct piece piece = cut_ends(curve, cache, list.items[i]);
        sizes[kept] = (struct ft_critical_size){
            .last_before = size_at(curve, piece.first),
            .first_after = size_at(curve, piece.last),
            .before = ratio_at(curve, cache, piece.first),
            .after = ratio_at(curve, cache, piece.last),
        };
        status = find_scope(curve, cache, &sizes[kept++], diag);
    }
    free(list.items);
    if (status != FT_OK) {
        free(sizes);
        return status;
    }
    *ret_sizes = sizes;
    *ret_count = kept;
    return FT_OK;
}

/* ---- thresholds ---- */

/* That the ratio of a cache is at least `ratio`. */
struct bound {
    size_t cache;
    double ratio;
};

static bool reaches(const struct ft_miss_curve *curve, const double *sample, const void *context)
{
    const struct bound *bound = context;
    return ft_miss_ratio(curve, sample, bound->cache) >= bound->ratio;
}

static bool exceeds(const struct ft_miss_curve *curve, const double *sample, const void *context)
{
    const struct bound *bound = context;
    return ft_miss_ratio(curve, sample, bound->cache) > bound->ratio;
}

int ft_largest_ratio(struct ft_miss_curve *curve, size_t cache, double within,
                     struct ft_largest_ratio *ret_largest, struct ft_diag *diag)
{
    struct ft_largest_ratio largest = {.threshold = curve->line.from};
    for (size_t i = 0; i < curve->count; i++)
        largest.ratio = fmax(largest.ratio, ft_miss_ratio(curve, ft_miss_sample(curve, i), cache));
    const struct bound bound = {cache, largest.ratio * (1 - fmax(within, ROUNDING))};
    size_t first = 0;
    while (!reaches(curve, ft_miss_sample(curve, first), &bound))
        first++;
    int status = FT_OK;
    if (first > 0) {
        double low = ft_miss_sample(curve, first - 1)[FT_SAMPLE_SIZE];
        largest.threshold = ft_miss_sample(curve, first)[FT_SAMPLE_SIZE];
        status =
            ft_miss_curve_narrow(curve, reaches, &bound, false, &low, &largest.threshold, diag);
    }
    if (status == FT_OK)
        *ret_largest = largest;
    return status;
}

/* Twice the size changes a distance that grows by more than rounding. */
#define GROWS          1e-6
#define SIZE_MAX_ASKED 1e60

/* A part of a group's touches: its distance as a function of the size. */
struct part {
    const struct ft_miss_curve *curve;
    const struct ft_model_member *member;
    size_t bin;
};

static double distance_at(const struct part *part, double n)
{
    const struct ft_point at = ft_size_line_at(&part->curve->line, n);
    return ft_member_distance(part->curve->line.model, part->member, part->bin, &at);
}

/* The smallest size at which a part is that far; INFINITY if none is. */
static double size_of_distance(const struct part *part, double blocks)
{
    double low = part->curve->line.from, high = low, middle;
    if (distance_at(part, low) >= blocks)
        return low;
    while (distance_at(part, high) < blocks) {
        low = high;
        high *= 2;
        if (high > SIZE_MAX_ASKED)
            return INFINITY;
    }
    while (ft_size_between(&part->curve->line, low, high, &middle))
        *(distance_at(part, middle) < blocks ? &low : &high) = middle;
    return high;
}

static bool grows(const struct part *part)
{
    const struct ft_model *model = part->curve->line.model;
    const double n = model->training[model->training_count - 1];
    const double distance = distance_at(part, n);
    return distance_at(part, 2 * n) - distance > GROWS * distance;
}

double ft_threshold_input(const struct ft_miss_curve *curve, size_t cache)
{
    const struct ft_level *level = &curve->caches->levels[cache];
    const struct ft_model *model = curve->line.model;
    double threshold = NAN;
    const size_t size = ft_model_block_size(model, level->block_bytes);
    for (size_t group = 0; group < model->group_count; group++) {
        const struct ft_model_histogram *histogram = &model->groups[group].histograms[size];
        for (size_t m = 0; m < histogram->member_count; m++) {
            struct part part = {curve, &histogram->members[m], 0};
            for (; part.bin < ft_member_bins_count(part.member->bins); part.bin++)
                if (grows(&part))
                    threshold = fmax(threshold, size_of_distance(&part, (double)level->blocks));
        }
    }
    return threshold;
}

int ft_holding_sizes(struct ft_miss_curve *curve, size_t cache, double ratio_max,
                     struct ft_size_range **ret_ranges, size_t *ret_count, struct ft_diag *diag)
{
    const struct bound bound = {cache, ratio_max};
    struct ft_size_range *ranges = calloc(curve->count / 2 + 1, sizeof *ranges);
    size_t count = 0;
    bool held = false;
    int status = ranges ? FT_OK : ft_fail_memory(diag, "ranges of sizes");
    for (size_t i = 0; i < curve->count && status == FT_OK; i++) {
        const double *sample = ft_miss_sample(curve, i);
        bool holds = !exceeds(curve, sample, &bound);
        double low = i > 0 ? ft_miss_sample(curve, i - 1)[FT_SAMPLE_SIZE] : 0;
        double high = sample[FT_SAMPLE_SIZE];
        if (holds == held)
            continue;
        if (i > 0)
            status = ft_miss_curve_narrow(curve, exceeds, &bound, !held, &low, &high, diag);
        if (holds)
            ranges[count].first = high;
        else
            ranges[count++].last = low;
        held = holds;
    }
    if (held)
        ranges[count++].last = curve->line.to;
    if (status != FT_OK) {
        free(ranges);
        return status;
    }
    *ret_ranges = ranges;
    *ret_count = count;
    return FT_OK;
}

static bool fits(const struct ft_miss_curve *curve, size_t cache, double n)
{
    const struct ft_level *level = &curve->caches->levels[cache];
    const struct ft_model *model = curve->line.model;
    const struct ft_point at = ft_size_line_at(&curve->line, n);
    const size_t size = ft_model_block_size(model, level->block_bytes);
    const double scale = curve->capacity_scales ? curve->capacity_scales[cache] : 1;
    return ft_function_at(&model->distinct_blocks[size], &at) <= scale * (double)level->blocks;
}

bool ft_largest_fitting(const struct ft_miss_curve *curve, size_t cache, double *ret_size)
{
    double low = curve->line.from, high = curve->line.to, middle;
    if (!fits(curve, cache, low))
        return false;
    if (fits(curve, cache, high))
        low = high;
    while (low < high && ft_size_between(&curve->line, low, high, &middle))
        *(fits(curve, cache, middle) ? &low : &high) = middle;
    *ret_size = low;
    return true;
}
