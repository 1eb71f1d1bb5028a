#include "formats/histograms/reuse_pairs.h"

#include <stdlib.h>

int ft_reuse_pair_compare(const struct ft_reuse_pair *a, const struct ft_reuse_pair *b)
{
    if (a->sink != b->sink)
        return a->sink < b->sink ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->scope != b->scope)
        return a->scope < b->scope ? -1 : 1;
    return a->is_carried - b->is_carried;
}

void ft_reuse_pairs_fini(struct ft_reuse_pairs *pairs)
{
    ft_histogram_array_free(pairs->histograms, pairs->count);
    free(pairs->pairs);
    *pairs = (struct ft_reuse_pairs){0};
}

void ft_reuse_pairs_free(struct ft_reuse_pairs *pairs, size_t size_count)
{
    for (size_t s = 0; pairs && s < size_count; s++)
        ft_reuse_pairs_fini(&pairs[s]);
    free(pairs);
}

bool ft_reuse_pairs_cross_threads(const struct ft_reuse_pairs *pairs, size_t size_count)
{
    for (size_t s = 0; pairs && s < size_count; s++)
        for (size_t i = 0; i < pairs[s].count; i++)
            if (pairs[s].pairs[i].scope == FT_OTHER_THREAD)
                return true;
    return false;
}

/* ---- order ---- */

struct row {
    struct ft_reuse_pair pair;
    struct ft_histogram histogram;
};

static int compare_rows(const void *left, const void *right)
{
    return ft_reuse_pair_compare(&((const struct row *)left)->pair,
                                 &((const struct row *)right)->pair);
}

int ft_reuse_pairs_sort(struct ft_reuse_pairs *pairs, struct ft_diag *diag)
{
    struct row *rows = malloc((pairs->count + 1) * sizeof *rows);
    if (!rows)
        return ft_fail_memory(diag, "pairs of references");
    for (size_t i = 0; i < pairs->count; i++)
        rows[i] = (struct row){pairs->pairs[i], pairs->histograms[i]};
    qsort(rows, pairs->count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < pairs->count; i++) {
        pairs->pairs[i] = rows[i].pair;
        pairs->histograms[i] = rows[i].histogram;
    }
    free(rows);
    return FT_OK;
}

int ft_reuse_pairs_add(struct ft_reuse_pairs *sum, const struct ft_reuse_pairs *pairs,
                       struct ft_diag *diag)
{
    size_t max = sum->count + pairs->count;
    struct ft_reuse_pairs both = {.pairs = malloc((max + 1) * sizeof *both.pairs),
                                  .histograms = calloc(max + 1, sizeof *both.histograms)};
    int status =
        both.pairs && both.histograms ? FT_OK : ft_fail_memory(diag, "pairs of references");
    for (size_t i = 0, j = 0; !status && (i < sum->count || j < pairs->count);) {
        int order = i == sum->count     ? 1
                    : j == pairs->count ? -1
                                        : ft_reuse_pair_compare(&sum->pairs[i], &pairs->pairs[j]);
        struct ft_histogram *histogram = &both.histograms[both.count];
        both.pairs[both.count++] = order <= 0 ? sum->pairs[i] : pairs->pairs[j];
        if (order <= 0) {
            *histogram = sum->histograms[i];
            sum->histograms[i++] = (struct ft_histogram){0};
        }
        if (order >= 0)
            status = ft_histogram_add(histogram, &pairs->histograms[j++], diag);
    }
    if (status) {
        ft_reuse_pairs_fini(&both);
        return status;
    }
    ft_reuse_pairs_fini(sum);
    *sum = both;
    return FT_OK;
}
