/*
 * The strides of a group are those of its reference with most accesses: the others of it move
 * alike.
 */
#include "fit/matching/series_strides.h"

#include <stdlib.h>
#include <string.h>

#include "fit/functions/exact.h"
#include "fit/matching/reference_strides.h"

bool ft_strides_follow(const double *values, const int64_t *strides, size_t count)
{
    double bytes[FT_TRAINING_MAX], coefficients[FT_EXACT_DEGREE_MAX + 1];
    size_t spare = 0;
    for (size_t e = 0; e < count; e++)
        bytes[e] = (double)strides[e];
    return ft_exact_polynomial(values, bytes, count, coefficients, &spare) && spare > 0;
}

/* What is gathered of the groups. */
struct gathered {
    struct ft_reference_strides *strides; /* [group][entry] */
    uint32_t *heaviest;                   /* [group]: of the last entry */
    double *weights;                      /* [group]: accesses of the last entry */
};

enum follows { FOLLOWS_UNKNOWN, FOLLOWS, FOLLOWS_NOT };

/* of: [entry]. ret_strides: those of the innermost loop that do not follow. */
static enum follows judge_group(const struct ft_reference_strides *of, const double *values,
                                size_t count, int64_t *ret_strides)
{
    enum follows result = FOLLOWS_UNKNOWN;
    for (size_t level = 0; level < of->count; level++) {
        bool is_known = true;
        for (size_t e = 0; e < count; e++) {
            is_known =
                is_known && of[e].count == of->count && of[e].bytes[level] != FT_STRIDE_MIXED;
            ret_strides[e] = of[e].bytes[level];
        }
        if (is_known && !ft_strides_follow(values, ret_strides, count))
            return FOLLOWS_NOT;
        result = is_known ? FOLLOWS : result;
    }
    return result;
}

static void judge_groups(const struct ft_match *match, const struct ft_histograms *last,
                         const double *values, const struct gathered *gathered,
                         struct ft_series_strides *into)
{
    const size_t count = match->entry_count;
    double all = 0, accesses_max = 0;
    for (size_t g = 0; g < match->group_count; g++)
        all += gathered->weights[g];
    for (size_t g = 0; g < match->group_count; g++) {
        const double accesses = gathered->weights[g];
        const uint32_t heaviest = gathered->heaviest[g];
        int64_t strides[FT_TRAINING_MAX];
        enum follows follows =
            match->groups[g].rest || heaviest == UINT32_MAX
                ? FOLLOWS_UNKNOWN
                : judge_group(&gathered->strides[g * count], values, count, strides);
        into->known += follows != FOLLOWS_UNKNOWN ? accesses / all : 0;
        into->strange += follows == FOLLOWS_NOT ? accesses / all : 0;
        if (follows != FOLLOWS_NOT || accesses <= accesses_max)
            continue;
        accesses_max = accesses;
        into->scope = &last->scopes.scopes[last->scopes.references[heaviest].scope];
        into->line = last->scopes.references[heaviest].line;
        memcpy(into->strides, strides, count * sizeof *strides);
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
        ft_heaviest_references(match, entries[e], e, made.heaviest);
        for (size_t g = 0; g < match->group_count; g++)
            if (made.heaviest[g] != UINT32_MAX)
                made.strides[g * count + e] = ft_reference_strides_of(entries[e], made.heaviest[g]);
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
