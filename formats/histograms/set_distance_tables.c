#include "formats/histograms/set_distance_tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"

#define TABLE "set_distances"

static const struct ft_field row_fields[] = {
    FT_FIELD(ft_set_distance, size, FT_FIELD_U32),
    FT_FIELD(ft_set_distance, set_bits, FT_FIELD_U32),
    FT_FIELD(ft_set_distance, step, FT_FIELD_U32),
    FT_FIELD(ft_set_distance, in_set, FT_FIELD_U32),
    FT_FIELD(ft_set_distance, touches, FT_FIELD_F64),
};
static const struct ft_record_type row_type = FT_RECORD_TYPE(ft_set_distance, row_fields);

int ft_set_distances_write(hid_t group, const struct ft_set_distances *distances,
                           struct ft_diag *diag)
{
    return distances
               ? ft_records_write(group, TABLE, &row_type, distances->rows, distances->count, diag)
               : FT_OK;
}

static bool is_in_range(const struct ft_set_distance *row, size_t size_count)
{
    return row->size < size_count && row->set_bits <= FT_SET_BITS_MAX && row->step < FT_SET_STEPS &&
           row->in_set <= FT_SET_DISTANCE_MAX && (row->set_bits == 0) == (row->in_set == 0) &&
           row->touches > 0 && isfinite(row->touches);
}

#define ROUNDING 1.000001 /* touches are sums of shares */

/* What has been read of a block size and number of sets. */
struct sums {
    double touches[FT_SET_STEPS]; /* of the block size, by step: all */
    double in_sets[FT_SET_STEPS]; /* those with blocks in their sets */
};

/* Whether touches of the step can be so many, with so many of the blocks between in their sets. */
static bool is_part(const struct ft_set_distance *row, struct sums *sums)
{
    const uint32_t next = row->step + 1;
    const uint64_t next_distance_times_4 = (uint64_t)(4 + next % 4) << (next / 4);
    if (row->set_bits == 0) {
        sums->touches[row->step] = row->touches;
        return true;
    }
    sums->in_sets[row->step] += row->touches;
    return sums->in_sets[row->step] <= ROUNDING * sums->touches[row->step] &&
           4 * (uint64_t)row->in_set < next_distance_times_4;
}

static int check(const struct ft_set_distances *distances, size_t size_count, struct ft_diag *diag)
{
    struct sums sums = {.touches = {0}};
    for (size_t i = 0; i < distances->count; i++) {
        const struct ft_set_distance *row = &distances->rows[i];
        if (!is_in_range(row, size_count))
            return ft_fail(diag, FT_ERROR_DATA, TABLE ": row %zu is out of range", i);
        if (i && ft_set_distance_compare(row - 1, row) >= 0)
            return ft_fail(diag, FT_ERROR_DATA, TABLE ": row %zu is out of order", i);
        if (i == 0 || row->size != row[-1].size)
            sums = (struct sums){.touches = {0}};
        else if (row->set_bits != row[-1].set_bits)
            memset(sums.in_sets, 0, sizeof sums.in_sets);
        if (!is_part(row, &sums))
            return ft_fail(diag, FT_ERROR_DATA, TABLE ": row %zu has more than all of its step", i);
    }
    return FT_OK;
}

int ft_set_distances_read(hid_t group, size_t size_count, struct ft_set_distances **ret_distances,
                          struct ft_diag *diag)
{
    *ret_distances = NULL;
    if (H5Lexists(group, TABLE, H5P_DEFAULT) <= 0)
        return FT_OK;
    struct ft_set_distances *distances = calloc(1, sizeof *distances);
    if (!distances)
        return ft_fail_memory(diag, "distances within sets");
    int status = ft_records_read(group, TABLE, &row_type, (void **)&distances->rows,
                                 &distances->count, diag);
    if (!status)
        status = check(distances, size_count, diag);
    if (status)
        ft_set_distances_free(distances);
    else
        *ret_distances = distances;
    return status;
}
