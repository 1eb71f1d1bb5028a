#include "machines/probe/probe_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/records.h"
#include "formats/base/result_file.h"

#define KIND    "probe"
#define VERSION 1

static bool is_same(const struct ft_probe_point *a, const struct ft_probe_point *b)
{
    return a->size_bytes == b->size_bytes && a->stride_bytes == b->stride_bytes &&
           a->count == b->count && strcmp(a->curve, b->curve) == 0;
}

/* The two fastest passes; the halves of a single pass count as long as it is alone. */
static void improve(struct ft_probe_point *point, const struct ft_probe_point *by)
{
    const double low = fmin(point->ns, by->ns), high = fmax(point->ns, by->ns);
    point->again_ns = point->passes == 1 ? high : fmin(point->again_ns, high);
    point->ns = low;
    point->samples += by->samples;
    point->calm += by->calm;
    point->passes += by->passes;
}

const struct ft_probe_point *ft_probe_find(const struct ft_probe *probe,
                                           const struct ft_probe_point *point)
{
    for (size_t i = 0; i < probe->count; i++)
        if (is_same(&probe->points[i], point))
            return &probe->points[i];
    return NULL;
}

bool ft_probe_add(struct ft_probe *probe, const struct ft_probe_point *point)
{
    const struct ft_probe_point *known = ft_probe_find(probe, point);
    if (known) {
        improve(&probe->points[known - probe->points], point);
        return true;
    }
    if (!FT_RESERVE(probe->points, probe->capacity, probe->count + 1))
        return false;
    probe->points[probe->count++] = *point;
    return true;
}

void ft_probe_fini(struct ft_probe *probe)
{
    free(probe->points);
    free(probe->machine);
    *probe = (struct ft_probe){0};
}

double ft_point_ns(const struct ft_probe_point *point)
{
    return fmin(point->ns, point->again_ns);
}

double ft_point_spread(const struct ft_probe_point *point)
{
    const double low = ft_point_ns(point);
    return low > 0 ? fabs(point->ns - point->again_ns) / low : 0;
}

static int compare_points(const void *a, const void *b)
{
    const struct ft_probe_point *left = *(const struct ft_probe_point *const *)a,
                                *right = *(const struct ft_probe_point *const *)b;
    if (left->size_bytes != right->size_bytes)
        return left->size_bytes < right->size_bytes ? -1 : 1;
    if (left->count != right->count)
        return left->count < right->count ? -1 : 1;
    return left < right ? -1 : left > right;
}

int ft_probe_curve(const struct ft_probe *probe, const char *curve, uint64_t stride_bytes,
                   const struct ft_probe_point ***ret_points, size_t *ret_count,
                   struct ft_diag *diag)
{
    const struct ft_probe_point **points = calloc(probe->count + 1, sizeof *points);
    size_t count = 0;
    if (!points)
        return ft_fail_memory(diag, "a curve");
    for (size_t i = 0; i < probe->count; i++) {
        const struct ft_probe_point *point = &probe->points[i];
        if (strcmp(point->curve, curve) == 0 &&
            (stride_bytes == UINT64_MAX || point->stride_bytes == stride_bytes))
            points[count++] = point;
    }
    qsort(points, count, sizeof *points, compare_points);
    *ret_points = points;
    *ret_count = count;
    return FT_OK;
}

const struct ft_probe_point *ft_probe_point(const struct ft_probe *probe, const char *curve)
{
    for (size_t i = 0; i < probe->count; i++)
        if (strcmp(probe->points[i].curve, curve) == 0)
            return &probe->points[i];
    return NULL;
}

double ft_probe_cycle_ns(const struct ft_probe *probe)
{
    const struct ft_probe_point *point = ft_probe_point(probe, FT_CURVE_CYCLE);
    return point ? ft_point_ns(point) : 0;
}

/* ---- the file ---- */

static const struct ft_field point_fields[] = {
    FT_FIELD_ARRAY(ft_probe_point, curve, FT_FIELD_CHARS, FT_CURVE_BYTES),
    FT_FIELD(ft_probe_point, size_bytes, FT_FIELD_U64),
    FT_FIELD(ft_probe_point, stride_bytes, FT_FIELD_U64),
    FT_FIELD(ft_probe_point, count, FT_FIELD_U32),
    FT_FIELD(ft_probe_point, samples, FT_FIELD_U32),
    FT_FIELD(ft_probe_point, passes, FT_FIELD_U32),
    FT_FIELD(ft_probe_point, ns, FT_FIELD_F64),
    FT_FIELD(ft_probe_point, again_ns, FT_FIELD_F64),
};
static const struct ft_record_type point_type = FT_RECORD_TYPE(ft_probe_point, point_fields);

struct host_record {
    char *machine;
    double disturbed, seconds;
};
static const struct ft_field host_fields[] = {
    FT_FIELD(host_record, machine, FT_FIELD_TEXT),
    FT_FIELD(host_record, disturbed, FT_FIELD_F64),
    FT_FIELD(host_record, seconds, FT_FIELD_F64),
};
static const struct ft_record_type host_type = FT_RECORD_TYPE(host_record, host_fields);

static int write_contents(hid_t root, const void *contents, struct ft_diag *diag)
{
    const struct ft_probe *probe = contents;
    char none[] = "";
    const struct host_record host = {probe->machine ? probe->machine : none, probe->disturbed,
                                     probe->seconds};
    FT_TRY(ft_records_write(root, "host", &host_type, &host, 1, diag));
    return ft_records_write(root, "points", &point_type, probe->points, probe->count, diag);
}

int ft_probe_write(const char *path, const struct ft_probe *probe, struct ft_diag *diag)
{
    return ft_result_file_write(path, KIND, VERSION, write_contents, probe, diag);
}

static int check_point(const struct ft_probe_point *point, struct ft_diag *diag)
{
    return isfinite(point->ns) && isfinite(point->again_ns) && point->ns >= 0 &&
                   point->again_ns >= 0 && point->curve[FT_CURVE_BYTES - 1] == 0
               ? FT_OK
               : ft_fail(diag, FT_ERROR_DATA, "points: a time is no time");
}

static int read_contents(hid_t root, void *contents, struct ft_diag *diag)
{
    struct ft_probe *probe = contents;
    void *records = NULL;
    FT_TRY(ft_records_read_exactly(root, "host", &host_type, 1, &records, diag));
    const struct host_record *host = records;
    probe->machine = host->machine;
    probe->disturbed = isfinite(host->disturbed) ? host->disturbed : 0;
    probe->seconds = isfinite(host->seconds) ? host->seconds : 0;
    free(records);
    FT_TRY(ft_records_read(root, "points", &point_type, &records, &probe->count, diag));
    probe->points = records;
    probe->capacity = probe->count;
    for (size_t i = 0; i < probe->count; i++)
        FT_TRY(check_point(&probe->points[i], diag));
    return FT_OK;
}

int ft_probe_read(const char *path, struct ft_probe *ret_probe, struct ft_diag *diag)
{
    struct ft_probe probe = {0};
    int status = ft_result_file_read(path, KIND, VERSION, read_contents, &probe, diag);
    if (status == FT_OK)
        *ret_probe = probe;
    else
        ft_probe_fini(&probe);
    return status;
}
