/*
 * The bins of the piece behind the leading distances are made as by the rule of 2005, with the cuts
 * between them. Then those of similar distances are joined, and the touches between two cuts are
 * fitted; a bin's tail is the sum of the touches from there on.
 */
#include "fit/methods/split_counts.h"

#include "fit/methods/split_bins.h"

/* The cut after a bin. */
static const struct ft_cut *cut_after(const struct ft_splitter *splitter, size_t bin,
                                      const struct ft_cut *end)
{
    return bin + 1 < splitter->bins.members->bin_count ? &splitter->cuts[bin + 1] : end;
}

/* The distance of a bin that was joined of several, fitted again. */
static void join_distance(struct ft_splitter *splitter, size_t bin, const struct ft_cut *high)
{
    const struct ft_cut *low = &splitter->cuts[bin];
    struct ft_function *function = &splitter->bins.members->bins[bin].distance_blocks;
    struct ft_expectation terms = ft_expect_alike(ft_fitter_axis(splitter->fitter), function);
    struct ft_function without[FT_LEAVE_OUT_MAX];
    struct ft_piece_distance distance;
    ft_splitter_fit_distance(splitter, low, high, low->first, &terms, &distance);
    *function = distance.fitted;
    if (splitter->leave_out)
        ft_leave_out_each(splitter->leave_out, distance.means, &distance.fitted, without);
    for (size_t i = 0; i < splitter->bins.left_out; i++)
        splitter->bins.members[1 + i].bins[bin].distance_blocks = without[i];
}

/* Joins the bins from `begin` on with those before them that they are similar to. */
static void join_similar(struct ft_splitter *splitter, size_t begin, const struct ft_cut *end)
{
    const struct ft_axis *axis = ft_fitter_axis(splitter->fitter);
    struct ft_fit_member *members = splitter->bins.members;
    size_t kept = begin;
    for (size_t i = begin + 1; i < members->bin_count; i++) {
        if (ft_split_similar(axis, splitter->cuts[kept].first, &members->bins[kept].distance_blocks,
                             &members->bins[i].distance_blocks)) {
            join_distance(splitter, kept, cut_after(splitter, i, end));
            continue;
        }
        splitter->cuts[++kept] = splitter->cuts[i];
        for (size_t m = 0; m <= splitter->bins.left_out; m++)
            members[m].bins[kept] = members[m].bins[i];
    }
    for (size_t m = 0; m <= splitter->bins.left_out; m++)
        members[m].bin_count = kept + 1;
}

/* The touches of each bin from `begin` on, for itself; tails are their sums. */
static void fit_counts(struct ft_splitter *splitter, size_t begin, const struct ft_cut *end)
{
    struct ft_fit_member *members = splitter->bins.members;
    struct ft_function tails[1 + FT_LEAVE_OUT_MAX], counts[1 + FT_LEAVE_OUT_MAX];
    for (size_t m = 0; m <= splitter->bins.left_out; m++)
        tails[m] = m > 0 ? end->without[m - 1] : end->tail;
    for (size_t i = members->bin_count; i-- > begin;) {
        const struct ft_cut *low = &splitter->cuts[i], *high = cut_after(splitter, i, end);
        double touches[FT_TRAINING_MAX];
        for (size_t k = 0; k < splitter->count; k++)
            touches[k] = high->ranks[k] - low->ranks[k];
        ft_fit_function(splitter->fitter, touches, low->first, &splitter->tail, &counts[0]);
        if (splitter->leave_out)
            ft_leave_out_each(splitter->leave_out, touches, &counts[0], &counts[1]);
        for (size_t m = 0; m <= splitter->bins.left_out; m++) {
            tails[m] = ft_function_add(&tails[m], &counts[m], 1);
            members[m].bins[i].tail = tails[m];
        }
    }
}

static int fit_piece(struct ft_splitter *splitter, const struct ft_cut *low,
                     const struct ft_cut *high)
{
    size_t begin = splitter->bins.members->bin_count;
    int status = ft_split_piece(splitter, low, high);
    if (status < 0 || splitter->bins.members->bin_count == begin)
        return status;
    join_similar(splitter, begin, high);
    fit_counts(splitter, begin, high);
    return FT_OK;
}

static int fit(const struct ft_fit_task *task, struct ft_fit_member *ret_members,
               struct ft_diag *diag)
{
    return ft_split_whole(task, fit_piece, ret_members, diag);
}

const struct ft_fit_method ft_split_counts_method = {
    .name = "split-2004",
    .summary = "the same, each bin with a function of its touches, as published in 2004",
    .alone = true,
    .fit = fit,
};
