/*
 * The stride of a group is that of its reference with most accesses: the others of it move alike.
 */
#include "fit/series_strides.h"

#include <stdlib.h>
#include <string.h>

#include "fit/exact.h"

bool ft_strides_follow(const double *values, const int64_t *strides, size_t count)
{
    double bytes[FT_TRAINING_MAX], coefficients[FT_EXACT_DEGREE_MAX + 1];
    size_t spare = 0;
    for (size_t e = 0; e < count; e++)
        bytes[e] = (double)strides[e];
    return ft_exact_polynomial(values, bytes, count, coefficients, &spare) && spare > 0;
}

/* heaviest: [group]: the reference with most accesses, or UINT32_MAX. */
static void find_heaviest(const struct ft_match *match, const struct ft_histograms *entry,
                          size_t index, uint32_t *heaviest)
{
    for (size_t g = 0; g < match->group_count; g++)
        heaviest[g] = UINT32_MAX;
    for (uint32_t i = 0; i < entry->scopes.reference_count; i++) {
        const uint32_t group = match->group_of[index][i];
        if (group != FT_NO_GROUP &&
            (heaviest[group] == UINT32_MAX ||
             entry->reference_accesses[i] > entry->reference_accesses[heaviest[group]]))
            heaviest[group] = i;
    }
}

/* What is gathered of the groups. */
struct gathered {
    int64_t *strides;   /* [group][entry] */
    uint32_t *heaviest; /* [group]: of the last entry */
    double *weights;    /* [group]: accesses of the last entry */
};

static void judge_groups(const struct ft_match *match, const struct ft_histograms *last,
                         const double *values, const struct gathered *gathered,
                         struct ft_series_strides *into)
{
    const size_t count = match->entry_count;
    const double *weights = gathered->weights;
    const uint32_t *heaviest = gathered->heaviest;
    double all = 0, most = 0;
    for (size_t g = 0; g < match->group_count; g++)
        all += weights[g];
    for (size_t g = 0; g < match->group_count; g++) {
        const int64_t *own = &gathered->strides[g * count];
        const double accesses = weights[g];
        bool is_known = !match->groups[g].rest && heaviest[g] != UINT32_MAX;
        for (size_t e = 0; e < count; e++)
            is_known = is_known && own[e] != FT_STRIDE_NONE && own[e] != FT_STRIDE_MIXED;
        if (!is_known)
            continue;
        into->known += accesses / all;
        if (ft_strides_follow(values, own, count))
            continue;
        into->strange += accesses / all;
        if (accesses <= most)
            continue;
        most = accesses;
        into->scope = &last->scopes.scopes[last->scopes.references[heaviest[g]].scope];
        into->line = last->scopes.references[heaviest[g]].line;
        memcpy(into->strides, own, count * sizeof *own);
    }
}

int ft_series_strides_find(const struct ft_match *match, const struct ft_histograms *const *entries,
                           const double *values, struct ft_series_strides *ret_strides,
                           struct ft_diag *diag)
{
    const size_t count = match->entry_count;
    const struct ft_histograms *last = entries[count - 1];
    struct gathered made = {
        .strides = calloc(match->group_count * count + 1, sizeof *made.strides),
        .heaviest = calloc(match->group_count + 1, sizeof *made.heaviest),
        .weights = calloc(match->group_count + 1, sizeof *made.weights),
    };
    *ret_strides = (struct ft_series_strides){0};
    bool complete = made.strides && made.heaviest && made.weights;
    for (size_t e = 0; complete && e < count; e++) {
        find_heaviest(match, entries[e], e, made.heaviest);
        for (size_t g = 0; g < match->group_count; g++)
            made.strides[g * count + e] = made.heaviest[g] == UINT32_MAX
                                              ? FT_STRIDE_NONE
                                              : entries[e]->reference_strides[made.heaviest[g]];
    }
    for (size_t i = 0; complete && i < last->scopes.reference_count; i++)
        if (match->group_of[count - 1][i] != FT_NO_GROUP)
            made.weights[match->group_of[count - 1][i]] += (double)last->reference_accesses[i];
    if (complete)
        judge_groups(match, last, values, &made, ret_strides);
    free(made.strides);
    free(made.heaviest);
    free(made.weights);
    return complete ? FT_OK : ft_fail_memory(diag, "the strides of builds");
}
