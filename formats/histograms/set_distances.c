#include "formats/histograms/set_distances.h"

#include <stdlib.h>
#include <string.h>

int ft_set_distance_compare(const void *a, const void *b)
{
    const struct ft_set_distance *left = a, *right = b;
    if (left->size != right->size)
        return left->size < right->size ? -1 : 1;
    if (left->set_bits != right->set_bits)
        return left->set_bits < right->set_bits ? -1 : 1;
    if (left->step != right->step)
        return left->step < right->step ? -1 : 1;
    return left->in_set < right->in_set ? -1 : left->in_set > right->in_set;
}

void ft_set_distances_sum(struct ft_set_distances *distances)
{
    size_t kept = 0;
    if (distances->count == 0)
        return;
    qsort(distances->rows, distances->count, sizeof *distances->rows, ft_set_distance_compare);
    for (size_t i = 1; i < distances->count; i++) {
        if (ft_set_distance_compare(&distances->rows[kept], &distances->rows[i]) == 0)
            distances->rows[kept].touches += distances->rows[i].touches;
        else
            distances->rows[++kept] = distances->rows[i];
    }
    distances->count = kept + 1;
}

int ft_set_distances_copy(const struct ft_set_distances *distances,
                          struct ft_set_distances **ret_copy, struct ft_diag *diag)
{
    struct ft_set_distances *copy = calloc(1, sizeof *copy);
    if (copy)
        copy->rows = malloc((distances->count + 1) * sizeof *copy->rows);
    if (!copy || !copy->rows) {
        free(copy);
        return ft_fail_memory(diag, "distances within sets");
    }
    copy->count = distances->count;
    if (copy->count)
        memcpy(copy->rows, distances->rows, copy->count * sizeof *copy->rows);
    *ret_copy = copy;
    return FT_OK;
}

void ft_set_distances_free(struct ft_set_distances *distances)
{
    if (!distances)
        return;
    free(distances->rows);
    free(distances);
}
