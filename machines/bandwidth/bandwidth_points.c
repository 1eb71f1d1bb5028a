#include "machines/bandwidth/bandwidth_points.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/parse.h"
#include "machines/probe/probe_points.h"

#define HDF5_FIRST_BYTE 0x89 /* which no text has */

static int compare(const struct ft_bandwidth_point *a, const struct ft_bandwidth_point *b)
{
    if (a->stride_bytes != b->stride_bytes)
        return a->stride_bytes < b->stride_bytes ? -1 : 1;
    if (a->alpha != b->alpha)
        return a->alpha < b->alpha ? -1 : 1;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    return a->size_bytes < b->size_bytes ? -1 : a->size_bytes > b->size_bytes;
}

/* Where the point is, or belongs. */
static size_t find_place(const struct ft_bandwidth_points *points,
                         const struct ft_bandwidth_point *point)
{
    size_t low = 0, high = points->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&points->items[middle], point) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int add_run(struct ft_bandwidth_point *into, const struct ft_bandwidth_point *point,
                   struct ft_diag *diag)
{
    if (into->hit_rate_count != point->hit_rate_count)
        return ft_fail(
            diag, FT_ERROR_DATA,
            "the point of %llu bytes at a stride of %llu has hit rates of %u caches, and "
            "had those of %u",
            (unsigned long long)point->size_bytes, (unsigned long long)point->stride_bytes,
            point->hit_rate_count, into->hit_rate_count);
    const double runs = into->runs + (double)point->runs;
    into->gb_per_s = (into->gb_per_s * into->runs + point->gb_per_s * point->runs) / runs;
    for (uint32_t i = 0; i < into->hit_rate_count; i++)
        into->hit_rates[i] =
            (into->hit_rates[i] * into->runs + point->hit_rates[i] * point->runs) / runs;
    into->runs += point->runs;
    return FT_OK;
}

int ft_bandwidth_points_add(struct ft_bandwidth_points *points,
                            const struct ft_bandwidth_point *point, struct ft_diag *diag)
{
    const size_t place = find_place(points, point);
    if (place < points->count && compare(&points->items[place], point) == 0)
        return add_run(&points->items[place], point, diag);
    if (!FT_RESERVE(points->items, points->capacity, points->count + 1))
        return ft_fail_memory(diag, "points");
    memmove(points->items + place + 1, points->items + place,
            (points->count - place) * sizeof *points->items);
    points->items[place] = *point;
    points->count++;
    return FT_OK;
}

void ft_bandwidth_points_fini(struct ft_bandwidth_points *points)
{
    free(points->items);
    *points = (struct ft_bandwidth_points){0};
}

/* What is a point of these kinds; false: it is none. */
static bool take_point(const struct ft_probe_point *from, unsigned kinds,
                       struct ft_bandwidth_point *ret_point)
{
    const size_t prefix = strlen(FT_CURVE_APEX);
    *ret_point =
        (struct ft_bandwidth_point){.size_bytes = from->size_bytes,
                                    .stride_bytes = from->stride_bytes,
                                    .gb_per_s = FT_BANDWIDTH_BYTES_PER_ACCESS / ft_point_ns(from),
                                    .runs = 1};
    if (ft_point_ns(from) <= 0)
        return false;
    if (kinds & FT_POINTS_MULTIMAPS && strcmp(from->curve, FT_CURVE_LOAD) == 0)
        return from->stride_bytes > 0;
    ret_point->length = from->count;
    return kinds & FT_POINTS_APEX_MAP && strncmp(from->curve, FT_CURVE_APEX, prefix) == 0 &&
           ft_parse_double(from->curve + prefix, &ret_point->alpha) && ret_point->alpha > 0 &&
           ret_point->alpha <= 1 && ret_point->length > 0;
}

static int add_probe(struct ft_bandwidth_points *points, const char *path, unsigned kinds,
                     struct ft_diag *diag)
{
    struct ft_probe probe = {0};
    size_t found = 0;
    FT_TRY(ft_probe_read(path, &probe, diag));
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < probe.count; i++) {
        struct ft_bandwidth_point point;
        if (!take_point(&probe.points[i], kinds, &point))
            continue;
        found++;
        status = ft_bandwidth_points_add(points, &point, diag);
    }
    ft_probe_fini(&probe);
    if (status == FT_OK && found == 0)
        return ft_fail(diag, FT_ERROR_DATA, "%s: a probe without a curve of %s", path,
                       kinds & FT_POINTS_MULTIMAPS ? "loads" : "Apex-MAP");
    return status;
}

int ft_bandwidth_points_read(struct ft_bandwidth_points *points, const char *path, unsigned kinds,
                             struct ft_diag *diag)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    /* It is put back: text may come through a pipe. */
    const int first = ungetc(getc(file), file);
    const int status = first == HDF5_FIRST_BYTE
                           ? add_probe(points, path, kinds, diag)
                           : ft_curve_text_read(points, path, file, kinds, diag);
    (void)fclose(file); /* it was only read */
    return status;
}
