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
    return bin + 1 < splitter->member->bin_count ? &splitter->cuts[bin + 1] : end;
}

/* Joins the bins from `begin` on with those before them that they are similar to. The distance of
 * what is joined is fitted anew. */
static void join_similar(struct ft_splitter *splitter, size_t begin, const struct ft_cut *end)
{
    const struct ft_axis *axis = ft_fitter_axis(splitter->fitter);
    struct ft_model_member *member = splitter->member;
    size_t kept = begin;
    for (size_t i = begin + 1; i < member->bin_count; i++) {
        struct ft_model_bin *before = &member->bins[kept];
        const struct ft_cut *low = &splitter->cuts[kept];
        if (ft_split_similar(axis, low->first, &before->distance_blocks,
                             &member->bins[i].distance_blocks)) {
            struct ft_expectation terms = ft_expect_alike(axis, &before->distance_blocks);
            ft_splitter_fit_distance(splitter, low, cut_after(splitter, i, end), low->first, &terms,
                                     &before->distance_blocks);
            continue;
        }
        member->bins[++kept] = member->bins[i];
        splitter->cuts[kept] = splitter->cuts[i];
    }
    member->bin_count = kept + 1;
}

/* The touches of each bin from `begin` on, for itself; tails are their sums. */
static void fit_counts(struct ft_splitter *splitter, size_t begin, const struct ft_cut *end)
{
    struct ft_function tail = end->tail;
    for (size_t i = splitter->member->bin_count; i-- > begin;) {
        const struct ft_cut *low = &splitter->cuts[i], *high = cut_after(splitter, i, end);
        double touches[FT_TRAINING_MAX];
        struct ft_function count;
        for (size_t k = 0; k < splitter->count; k++)
            touches[k] = high->ranks[k] - low->ranks[k];
        ft_fit_function(splitter->fitter, touches, low->first, &splitter->tail, &count);
        tail = ft_function_add(&tail, &count, 1);
        splitter->member->bins[i].tail = tail;
    }
}

static int fit_piece(struct ft_splitter *splitter, const struct ft_cut *low,
                     const struct ft_cut *high)
{
    size_t begin = splitter->member->bin_count;
    int status = ft_split_piece(splitter, low, high);
    if (status < 0 || splitter->member->bin_count == begin)
        return status;
    join_similar(splitter, begin, high);
    fit_counts(splitter, begin, high);
    return FT_OK;
}

static int fit(const struct ft_fit_task *task, struct ft_model_member *ret_member,
               struct ft_diag *diag)
{
    return ft_split_whole(task, fit_piece, ret_member, diag);
}

const struct ft_fit_method ft_split_counts_method = {
    .name = "split-2004",
    .summary = "the same, each bin with a function of its touches, as published in 2004",
    .alone = true,
    .fit = fit,
};
