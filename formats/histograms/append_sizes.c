#include "formats/histograms/append_sizes.h"

#include <stdlib.h>
#include <string.h>

#include "formats/histograms/data_histograms.h"

/* Both arrays have a row for each reference; the joined rows are those of `a`, then those of `b`.
 */
static void *join_rows(const void *a, size_t a_bytes, const void *b, size_t b_bytes, size_t rows)
{
    char *joined = malloc(rows * (a_bytes + b_bytes) + 1);
    for (size_t r = 0; joined && r < rows; r++) {
        memcpy(joined + r * (a_bytes + b_bytes), (const char *)a + r * a_bytes, a_bytes);
        memcpy(joined + r * (a_bytes + b_bytes) + a_bytes, (const char *)b + r * b_bytes, b_bytes);
    }
    return joined;
}

/* Replaces *a by its rows joined with those of b, which stays. */
static bool join(void *a, size_t a_count, const void *b, size_t b_count, size_t item_bytes,
                 size_t rows)
{
    void **rows_of_a = a;
    void *joined = join_rows(*rows_of_a, a_count * item_bytes, b, b_count * item_bytes, rows);
    if (!joined)
        return false;
    free(*rows_of_a);
    *rows_of_a = joined;
    return true;
}

static bool join_stack(struct ft_histogram_stack *a, size_t a_count, struct ft_histogram_stack *b,
                       size_t b_count)
{
    bool done = join(&a->distinct_blocks, a_count, b->distinct_blocks, b_count, 8, 1) &&
                join(&a->touches, a_count, b->touches, b_count, 8, 1) &&
                join(&a->histograms, a_count, b->histograms, b_count, sizeof *a->histograms,
                     a->reference_count);
    if (done) { /* the bins have moved */
        free(b->histograms);
        b->histograms = NULL;
    }
    return done;
}

/* The parts are the same in each pass. */
static bool join_data(struct ft_histograms *sum, struct ft_histograms *more)
{
    struct ft_data_histograms *a = sum->data, *b = more->data;
    if (!join(&a->histograms, sum->size_count, b->histograms, more->size_count,
              sizeof *a->histograms, a->part_count))
        return false;
    free(b->histograms); /* the bins have moved */
    b->histograms = NULL;
    return true;
}

int ft_histograms_append_sizes(struct ft_histograms *sum, struct ft_histograms *more,
                               struct ft_diag *diag)
{
    const size_t a = sum->size_count, b = more->size_count;
    bool done = join(&sum->block_bytes, a, more->block_bytes, b, 8, 1) &&
                join(&sum->distinct_blocks, a, more->distinct_blocks, b, 8, 1) &&
                join(&sum->touches, a, more->touches, b, 8, 1) &&
                join(&sum->scope_totals, a, more->scope_totals, b, sizeof *sum->scope_totals,
                     sum->scopes.scope_count) &&
                join(&sum->histograms, a, more->histograms, b, sizeof *sum->histograms,
                     sum->reference_count);
    if (done) {
        free(more->histograms);
        more->histograms = NULL;
    }
    if (done && sum->data)
        done = join_data(sum, more);
    if (done && sum->pairs) {
        done = join(&sum->pairs, a, more->pairs, b, sizeof *sum->pairs, 1);
        if (done) {
            free(more->pairs);
            more->pairs = NULL;
        }
    }
    for (size_t i = 0; done && i < sum->stack_count; i++)
        done = join_stack(&sum->stacks[i], a, &more->stacks[i], b);
    if (done)
        sum->size_count = a + b;
    ft_histograms_fini(more);
    return done ? FT_OK : ft_fail_memory(diag, "histograms");
}
