/*
 * A piece is split where, at most sizes, the middle of its range of distances lies: per size the
 * share of touches below the middle, then the MEDIAN share over the sizes, which is used at all of
 * them. Both halves' mean distances are fitted; where they agree within SIMILAR at the training
 * sizes and far beyond, the piece is one bin, else each half is a piece. Halves inherit their share
 * of the piece's touches, so only distances are fitted here.
 */
#include "fit/methods/split_bins.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/array.h"

#define SIMILAR       0.05 /* relative difference of distances */
#define ROUNDING      2.0  /* blocks: distances are whole, and arrays start anywhere in a block */
#define SHARE_MIN     0.02 /* of the touches from there on: smaller pieces are not split */
#define DEPTH_MAX     24
#define LEADING_SHARE 1e-3         /* of all touches at the largest size: rarer ones get no bin */
#define LEADING_LIMIT FT_BIN_EXACT /* blocks: beyond, bins hold several distances */

static void init_splitter(struct ft_splitter *splitter, const struct ft_fit_task *task,
                          struct ft_fit_member *members, struct ft_diag *diag)
{
    const struct ft_axis *axis = ft_fitter_axis(task->fitter);
    *splitter = (struct ft_splitter){.fitter = task->fitter,
                                     .profiles = task->profiles,
                                     .count = axis->count,
                                     .tail = ft_expect_part(axis, task->touches),
                                     .distance = ft_expect_distance(axis, task->footprint),
                                     .leave_out = task->leave_out,
                                     .bins = ft_bins_of(task, members),
                                     .diag = diag};
}

static void list_tails(const struct ft_splitter *splitter, const struct ft_cut *cut,
                       double tails[FT_TRAINING_MAX])
{
    for (size_t k = 0; k < splitter->count; k++)
        tails[k] = splitter->profiles[k].touches - cut->ranks[k];
}

void ft_splitter_fit_tail(struct ft_splitter *splitter, struct ft_cut *cut)
{
    double tails[FT_TRAINING_MAX];
    list_tails(splitter, cut, tails);
    ft_fit_function(splitter->fitter, tails, cut->first, &splitter->tail, &cut->tail);
}

void ft_splitter_leave_out(const struct ft_splitter *splitter, struct ft_cut *cut,
                           struct ft_function without[FT_LEAVE_OUT_MAX])
{
    double tails[FT_TRAINING_MAX];
    cut->without = without;
    if (!splitter->leave_out)
        return;
    list_tails(splitter, cut, tails);
    ft_leave_out_each(splitter->leave_out, tails, &cut->tail, without);
}

/* The cuts before the first and after the last warm touch. */
static void find_ends(struct ft_splitter *splitter, struct ft_cut *ret_low, struct ft_cut *ret_high)
{
    static const struct ft_function nothing[FT_LEAVE_OUT_MAX];
    for (size_t k = 0; k < splitter->count; k++) {
        ret_low->ranks[k] = 0;
        ret_high->ranks[k] = splitter->profiles[k].touches;
    }
    ret_low->first = ret_high->first = 0;
    ft_splitter_fit_tail(splitter, ret_low);
    ret_high->tail = (struct ft_function){.exact = true};
    ret_high->without = nothing;
}

static int append(struct ft_splitter *splitter, const struct ft_cut *low,
                  struct ft_functions distance)
{
    const struct ft_functions tail = {&low->tail, low->without};
    const size_t before = splitter->bins.members->bin_count;
    int status = ft_bins_append(&splitter->bins, tail, distance, splitter->diag);
    if (status < 0 || splitter->bins.members->bin_count == before)
        return status;
    if (!FT_RESERVE(splitter->cuts, splitter->cut_capacity, before + 1))
        return ft_fail_memory(splitter->diag, "a modelled histogram");
    splitter->cuts[before] = *low;
    return FT_OK;
}

static int emit(struct ft_splitter *splitter, const struct ft_cut *low,
                const struct ft_piece_distance *distance)
{
    struct ft_function without[FT_LEAVE_OUT_MAX];
    if (splitter->leave_out)
        ft_leave_out_each(splitter->leave_out, distance->means, &distance->fitted, without);
    return append(splitter, low, (struct ft_functions){&distance->fitted, without});
}

/* Bins for the leading distances; moves low past them. The tails without sizes of cuts from here on
 * are in `without`. */
static int split_leading(struct ft_splitter *splitter, struct ft_cut *low,
                         struct ft_function without[FT_LEAVE_OUT_MAX])
{
    struct ft_function constants[1 + FT_LEAVE_OUT_MAX];
    for (;;) {
        const struct ft_profile *last = &splitter->profiles[splitter->count - 1];
        if (low->ranks[splitter->count - 1] >= last->touches)
            return FT_OK;
        size_t leading = ft_profile_atom(last, low->ranks[splitter->count - 1]);
        double distance = last->distances_blocks[leading];
        double share = (last->ranks[leading + 1] - last->ranks[leading]) / last->touches;
        struct ft_cut next = {.first = 0};
        bool same = distance < LEADING_LIMIT && share >= LEADING_SHARE, more = false;
        for (size_t k = 0; k < splitter->count && same; k++) {
            const struct ft_profile *profile = &splitter->profiles[k];
            size_t atom = ft_profile_atom(profile, low->ranks[k]);
            same = low->ranks[k] < profile->touches && profile->distances_blocks[atom] == distance;
            if (same)
                next.ranks[k] = profile->ranks[atom + 1];
            more = more || next.ranks[k] < profile->touches;
        }
        if (!same)
            return FT_OK;
        for (size_t i = 0; i <= splitter->bins.left_out; i++)
            constants[i] = (struct ft_function){.coefficients = {distance}, .exact = true};
        int status = append(splitter, low, (struct ft_functions){constants, constants});
        if (status < 0)
            return status;
        ft_splitter_fit_tail(splitter, &next);
        ft_splitter_leave_out(splitter, &next, without);
        *low = next;
        if (!more)
            return FT_OK;
    }
}

/* Sizes at which a piece is empty take the nearest larger size's mean distance. */
size_t ft_splitter_fit_distance(struct ft_splitter *splitter, const struct ft_cut *low,
                                const struct ft_cut *high, size_t first,
                                const struct ft_expectation *expectation,
                                struct ft_piece_distance *ret_distance)
{
    double *means = ret_distance->means;
    for (size_t k = splitter->count; k-- > 0;) {
        if (high->ranks[k] - low->ranks[k] > 0)
            means[k] = ft_profile_mean(&splitter->profiles[k], low->ranks[k], high->ranks[k]);
        else
            means[k] = k + 1 < splitter->count ? means[k + 1] : 0;
    }
    return ft_fit_function(splitter->fitter, means, first, expectation, &ret_distance->fitted);
}

/* Adds a value to a few, sorted. */
static void insert(double *values, size_t count, double value)
{
    for (; count > 0 && values[count - 1] > value; count--)
        values[count] = values[count - 1];
    values[count] = value;
}

/* The median over sizes of the share of touches below the middle of the range of distances. */
static double median_ratio(const struct ft_splitter *splitter, const struct ft_cut *low,
                           const struct ft_cut *high, size_t first)
{
    double ratios[FT_TRAINING_MAX];
    size_t count = 0;
    for (size_t k = first; k < splitter->count; k++) {
        const struct ft_profile *profile = &splitter->profiles[k];
        double begin = low->ranks[k], end = high->ranks[k];
        if (end - begin <= 0)
            continue;
        double nearest = profile->distances_blocks[ft_profile_atom(profile, begin)];
        size_t last = ft_profile_atom(profile, end);
        if (last > 0 && profile->ranks[last] >= end)
            last--;
        double middle = (nearest + profile->distances_blocks[last]) / 2;
        double rank = fmin(fmax(ft_profile_rank(profile, middle), begin), end);
        insert(ratios, count++, (rank - begin) / (end - begin));
    }
    if (count == 0)
        return 0;
    return (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
}

bool ft_split_similar(const struct ft_axis *axis, size_t first, const struct ft_function *a,
                      const struct ft_function *b)
{
    for (size_t i = first; i <= axis->count; i++) {
        const struct ft_point *at = i < axis->count ? &axis->points[i] : &axis->beyond;
        double left = ft_function_at(a, at), right = ft_function_at(b, at);
        if (fabs(left - right) > SIMILAR * fmax(left, right) + ROUNDING)
            return false;
    }
    return true;
}

/* What stays the same while a piece is split. */
struct whole {
    double touches;                 /* at the largest size */
    struct ft_expectation distance; /* the terms of its mean: its parts are small samples, which
                                       must not choose how fast they grow */
    size_t first;
};

/* A tail between two others, above whose upper one lies a share of what is between them. */
static struct ft_function tail_between(const struct ft_function *low,
                                       const struct ft_function *high, double share)
{
    struct ft_function piece = ft_function_add(low, high, -1);
    return ft_function_add(high, &piece, share);
}

static int split(struct ft_splitter *splitter, const struct whole *whole, const struct ft_cut *low,
                 const struct ft_cut *high, const struct ft_piece_distance *distance,
                 unsigned depth)
{
    size_t last = splitter->count - 1;
    double ratio = median_ratio(splitter, low, high, whole->first);
    double tail = splitter->profiles[last].touches - low->ranks[last];
    bool small = high->ranks[last] - low->ranks[last] <= SHARE_MIN * fmin(tail, whole->touches);
    if (depth == DEPTH_MAX || small || ratio <= 0 || ratio >= 1)
        return emit(splitter, low, distance);

    struct ft_cut middle = {.first = whole->first};
    for (size_t k = 0; k < splitter->count; k++)
        middle.ranks[k] = low->ranks[k] + ratio * (high->ranks[k] - low->ranks[k]);
    middle.tail = tail_between(&low->tail, &high->tail, 1 - ratio);
    struct ft_piece_distance below, above;
    ft_splitter_fit_distance(splitter, low, &middle, whole->first, &whole->distance, &below);
    ft_splitter_fit_distance(splitter, &middle, high, whole->first, &whole->distance, &above);
    if (ft_split_similar(ft_fitter_axis(splitter->fitter), whole->first, &below.fitted,
                         &above.fitted))
        return emit(splitter, low, distance);
    struct ft_function without[FT_LEAVE_OUT_MAX];
    for (size_t i = 0; i < splitter->bins.left_out; i++)
        without[i] = tail_between(&low->without[i], &high->without[i], 1 - ratio);
    middle.without = without;
    int status = split(splitter, whole, low, &middle, &below, depth + 1);
    return status < 0 ? status : split(splitter, whole, &middle, high, &above, depth + 1);
}

int ft_split_piece(struct ft_splitter *splitter, const struct ft_cut *low,
                   const struct ft_cut *high)
{
    size_t last = splitter->count - 1;
    size_t first = low->first > high->first ? low->first : high->first;
    bool empty = true;
    for (size_t k = 0; k < splitter->count; k++)
        empty = empty && high->ranks[k] <= low->ranks[k];
    if (empty)
        return FT_OK;
    struct ft_piece_distance distance;
    first = ft_splitter_fit_distance(splitter, low, high, first, &splitter->distance, &distance);
    struct whole whole = {.touches = high->ranks[last] - low->ranks[last], .first = first};
    whole.distance = ft_expect_alike(ft_fitter_axis(splitter->fitter), &distance.fitted);
    return split(splitter, &whole, low, high, &distance, 0);
}

int ft_split_whole(const struct ft_fit_task *task, ft_fit_piece_fn *fit_piece,
                   struct ft_fit_member *ret_members, struct ft_diag *diag)
{
    struct ft_splitter splitter;
    struct ft_function without[FT_LEAVE_OUT_MAX];
    struct ft_cut low = {0}, high = {0};
    init_splitter(&splitter, task, ret_members, diag);
    find_ends(&splitter, &low, &high);
    ft_splitter_leave_out(&splitter, &low, without);
    int status = split_leading(&splitter, &low, without);
    if (status == FT_OK)
        status = fit_piece(&splitter, &low, &high);
    free(splitter.cuts);
    return status;
}

static int fit(const struct ft_fit_task *task, struct ft_fit_member *ret_members,
               struct ft_diag *diag)
{
    return ft_split_whole(task, ft_split_piece, ret_members, diag);
}

const struct ft_fit_method ft_split_bins_method = {
    .name = "split",
    .summary = "recursive splitting with the median ratio, as published in 2005",
    .alone = true,
    .fit = fit,
};
