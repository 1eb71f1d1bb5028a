/*
 * Bandwidths of each level at a size within it, outstanding misses, and what prefetchers follow.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "machines/probe/applying.h"
#include "machines/probe/knees.h"

#define ELEMENT_BYTES 8.0
#define VECTOR_BYTES  32.0
#define NEAR          1.5 /* times outside of a curve its end still counts */

/* Where a level's values go, and the size at which it is measured. */
struct place {
    const char *name;
    struct ft_yaml_numbers *numbers;
    struct ft_yaml_sources *sources;
    double bytes;
};

static int apply_speed(struct ft_applying *applying, const struct place *place, const char *name,
                       uint64_t stride, double bytes, enum ft_machine_number key,
                       struct ft_diag *diag)
{
    struct ft_cycle_curve curve;
    char how[128], size[FT_NUMBER_TEXT];
    double spread;
    FT_TRY(ft_applying_curve(applying, name, stride, false, &curve, diag));
    if (curve.count == 0 || place->bytes < curve.x[0] / NEAR ||
        place->bytes > NEAR * curve.x[curve.count - 1])
        return FT_OK;
    const double cycles = ft_cycle_curve_at(&curve, place->bytes, &spread);
    const bool is_copy = strcmp(name, FT_CURVE_COPY) == 0;
    ft_text_bytes(size, place->bytes);
    if (stride == 0)
        snprintf(how, sizeof how, "independent loads from random places in %s", size);
    else
        snprintf(how, sizeof how, "%s%s at a stride of %llu bytes in %s", is_copy ? "copies" : name,
                 is_copy ? "" : "s", (unsigned long long)stride, size);
    return ft_applying_set(applying, place->numbers, place->sources, key,
                           bytes > 0 ? bytes / cycles : cycles, spread, how, diag);
}

static int apply_outstanding(struct ft_applying *applying, const struct place *place, double low,
                             double high, struct ft_diag *diag)
{
    double single = 0, least = INFINITY, spread = 0;
    for (size_t i = 0; i < applying->probe->count; i++) {
        const struct ft_probe_point *point = &applying->probe->points[i];
        if (strcmp(point->curve, FT_CURVE_CHAINS) != 0 || (double)point->size_bytes < low ||
            (double)point->size_bytes > high)
            continue;
        if (point->count == 1)
            single = ft_point_ns(point);
        if (ft_point_ns(point) < least) {
            least = ft_point_ns(point);
            spread = ft_point_spread(point);
        }
    }
    if (single == 0 || least == INFINITY)
        return FT_OK;
    return ft_applying_set(applying, place->numbers, place->sources, FT_NUMBER_outstanding_misses,
                           fmax(1, single / least), spread,
                           "chains of dependent loads side by side against one", diag);
}

static int apply_place(struct ft_applying *applying, const struct place *place, uint64_t line,
                       struct ft_diag *diag)
{
    static const struct {
        const char *curve;
        enum ft_machine_number key;
    } elements[] = {{FT_CURVE_LOAD, FT_NUMBER_load_bytes_per_cycle},
                    {FT_CURVE_STORE, FT_NUMBER_store_bytes_per_cycle},
                    {FT_CURVE_COPY, FT_NUMBER_copy_bytes_per_cycle}};
    applying->part = place->name;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        FT_TRY(apply_speed(applying, place, elements[i].curve, (uint64_t)ELEMENT_BYTES,
                           ELEMENT_BYTES, elements[i].key, diag));
    FT_TRY(apply_speed(applying, place, FT_CURVE_VECTOR, (uint64_t)VECTOR_BYTES, VECTOR_BYTES,
                       FT_NUMBER_vector_bytes_per_cycle, diag));
    FT_TRY(apply_speed(applying, place, FT_CURVE_GATHER, 0, ELEMENT_BYTES,
                       FT_NUMBER_gather_bytes_per_cycle, diag));
    FT_TRY(apply_speed(applying, place, FT_CURVE_LOAD, line, 0, FT_NUMBER_load_line_cycles, diag));
    return apply_speed(applying, place, FT_CURVE_STORE, line, 0, FT_NUMBER_store_line_cycles, diag);
}

/* ---- prefetchers ---- */

static int apply_followed(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_yaml_memory *memory = &applying->yaml->memory;
    const struct ft_probe_point **points;
    const double latency = ft_yaml_number(&memory->numbers, FT_NUMBER_latency_cycles);
    size_t count;
    double longest = 0, spread = 0;
    FT_TRY(ft_probe_curve(applying->probe, FT_CURVE_FOLLOWED, UINT64_MAX, &points, &count, diag));
    /* All have the same size; by stride as they were measured. */
    for (size_t i = 0; i < count; i++)
        if (ft_point_ns(points[i]) / applying->cycle_ns < latency / 2 &&
            (double)points[i]->stride_bytes > longest) {
            longest = (double)points[i]->stride_bytes;
            spread = ft_point_spread(points[i]);
        }
    free((void *)points);
    if (count == 0)
        return FT_OK;
    if (longest == 0)
        return ft_probe_note(applying->notes, diag,
                             "prefetchers: no stride through memory is followed");
    return ft_applying_set(
        applying, &memory->numbers, &memory->sources, FT_NUMBER_followed_stride, longest, spread,
        "dependent loads at strides, in less than half of memory's latency", diag);
}

static int apply_ahead(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_yaml_memory *memory = &applying->yaml->memory;
    struct ft_cycle_curve ahead;
    const double latency = ft_yaml_number(&memory->numbers, FT_NUMBER_latency_cycles);
    double lines = 0, spread = 0;
    FT_TRY(ft_applying_curve(applying, FT_CURVE_AHEAD, UINT64_MAX, true, &ahead, diag));
    if (ahead.count < 3)
        return FT_OK;
    /* The first point, at 0, is of a line far away. */
    for (size_t i = 1; i < ahead.count && ahead.y[0] - ahead.y[i] > latency / 4; i++) {
        lines = ahead.x[i];
        spread = ahead.spread[i];
    }
    if (lines == 0)
        return ft_probe_note(
            applying->notes, diag,
            "prefetchers: how far ahead of a short stream they are cannot be told");
    return ft_applying_set(applying, &memory->numbers, &memory->sources, FT_NUMBER_ahead_lines,
                           lines, spread, "a line behind a stream of four lines, some time later",
                           diag);
}

/* ---- cores ---- */

static int apply_cores(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_yaml_memory *memory = &applying->yaml->memory;
    struct ft_cycle_curve cores, running;
    char how[96];
    FT_TRY(ft_applying_curve(applying, FT_CURVE_CORES, UINT64_MAX, true, &cores, diag));
    FT_TRY(ft_applying_curve(applying, FT_CURVE_RUNNING, UINT64_MAX, true, &running, diag));
    if (cores.count == 0 || running.count != cores.count)
        return FT_OK;
    const size_t last = cores.count - 1;
    const double share = running.y[last] * applying->cycle_ns;
    if (share < 0.9)
        return ft_probe_note(applying->notes, diag,
                             "memory: bandwidth of %.0f processors cannot be told: one of them "
                             "ran for %.0f %% of the time only, others had its share",
                             cores.x[last], 100 * share);
    snprintf(how, sizeof how, "loads of %.0f threads from memory of their own", cores.x[last]);
    return ft_applying_set(applying, &memory->numbers, &memory->sources,
                           FT_NUMBER_all_cores_bytes_per_cycle, ELEMENT_BYTES / cores.y[last],
                           cores.spread[last], how, diag);
}

/* ---- all of it ---- */

int ft_apply_speeds(struct ft_applying *applying, struct ft_diag *diag)
{
    struct ft_yaml_machine *yaml = applying->yaml;
    struct ft_cycle_curve loads;
    double before = 0;
    const double line = ft_yaml_number(&yaml->caches[0].numbers, FT_NUMBER_line);
    FT_TRY(ft_applying_curve(applying, FT_CURVE_LOAD, 8, false, &loads, diag));
    for (unsigned i = 0; i < yaml->caches_count; i++) {
        struct ft_yaml_level *level = &yaml->caches[i];
        const double capacity = ft_yaml_number(&level->numbers, FT_NUMBER_capacity);
        /* Near the level before where that is far smaller: a shared cache may be crowded. */
        const double size = before == 0 ? capacity / 2 : fmin(3 * before, capacity / 2);
        const struct place place = {level->name, &level->numbers, &level->sources, size};
        FT_TRY(apply_place(applying, &place, (uint64_t)line, diag));
        if (before > 0)
            FT_TRY(apply_outstanding(applying, &place, before, capacity, diag));
        before = capacity;
    }
    struct ft_yaml_memory *memory = &yaml->memory;
    const double largest = loads.count > 0 ? loads.x[loads.count - 1] : 0;
    const struct place place = {"memory", &memory->numbers, &memory->sources, largest};
    if (largest < 2 * before)
        FT_TRY(ft_probe_note(applying->notes, diag,
                             "memory: bandwidth cannot be told: no size measured is beyond the "
                             "last cache"));
    else
        FT_TRY(apply_place(applying, &place, (uint64_t)line, diag));
    applying->part = "memory";
    FT_TRY(apply_outstanding(applying, &place, 1.5 * before, INFINITY, diag));
    FT_TRY(apply_followed(applying, diag));
    FT_TRY(apply_ahead(applying, diag));
    return apply_cores(applying, diag);
}
