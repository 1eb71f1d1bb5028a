/*
 * Arrays of the same size in all runs do not depend on n. The others are identified by their rank:
 * the largest of one run is that of another. They take bytes = c (n + h)^p, n elements and a border
 * in p dimensions, or c n^p with any p; two runs determine c and h, or c and p, the third one
 * whether that holds: if not, the ranks were those of different arrays.
 */
#include "predict/plan/arrays.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "engine/data/memory_events.h"

#define ARRAY_MIN  1024 /* bytes: smaller ones are nodes and strings */
#define CONFIRMED  0.03 /* how far off the third run may be */
#define DIMENSIONS 4
#define ROUNDING   1e-9

/* ---- of a run ---- */

static void add_array(struct ft_arrays *arrays, uint64_t bytes)
{
    size_t at = 0;
    while (at < arrays->count && arrays->bytes[at] > bytes)
        at++;
    if (at == FT_ARRAYS_MAX || (at < arrays->count && arrays->bytes[at] == bytes))
        return;
    arrays->count += arrays->count < FT_ARRAYS_MAX;
    memmove(arrays->bytes + at + 1, arrays->bytes + at,
            (arrays->count - at - 1) * sizeof *arrays->bytes);
    arrays->bytes[at] = bytes;
}

int ft_arrays_read(struct ft_trace *trace, struct ft_arrays *ret_arrays, struct ft_diag *diag)
{
    struct ft_memory_events events;
    struct ft_arrays arrays = {.count = 0};
    int status = ft_memory_events_read(trace, &events, diag);
    if (status < 0)
        return status;
    for (uint32_t t = 0; t < events.thread_count; t++)
        for (size_t i = 0; i < events.threads[t].count; i++) {
            const struct ft_memory_event *event = &events.threads[t].events[i];
            if (event->kind == FT_MEMORY_ALLOCATED && event->bytes >= ARRAY_MIN)
                add_array(&arrays, event->bytes);
        }
    ft_memory_events_fini(&events);
    *ret_arrays = arrays;
    return FT_OK;
}

/* ---- of several ---- */

static bool has(const struct ft_arrays *arrays, uint64_t bytes)
{
    for (size_t i = 0; i < arrays->count; i++)
        if (arrays->bytes[i] == bytes)
            return true;
    return false;
}

/* Those of run `r` that not all have. */
static struct ft_arrays growing(const struct ft_arrays arrays[3], size_t r)
{
    struct ft_arrays growing = {.count = 0};
    for (size_t i = 0; i < arrays[r].count; i++) {
        const uint64_t bytes = arrays[r].bytes[i];
        if (!has(&arrays[0], bytes) || !has(&arrays[1], bytes) || !has(&arrays[2], bytes))
            growing.bytes[growing.count++] = bytes;
    }
    return growing;
}

/* bytes = scale (n + border)^power */
struct growth {
    double scale, border, power;
};

static double bytes_at(const struct growth *growth, double n)
{
    return growth->scale * pow(n + growth->border, growth->power);
}

/* Through the first and the last run; power 0: the one without a border. */
static struct growth grow(const double n[3], const double bytes[3], unsigned power)
{
    struct growth growth = {.power = power};
    if (power > 0) {
        const double ratio = pow(bytes[2] / bytes[0], 1.0 / power);
        growth.border = (n[2] - ratio * n[0]) / (ratio - 1);
    } else {
        growth.power = log(bytes[2] / bytes[0]) / log(n[2] / n[0]);
    }
    growth.scale = bytes[2] / pow(n[2] + growth.border, growth.power);
    return growth;
}

/* The size from which on an array of these bytes reaches the threshold; INFINITY where they follow
 * no law, and no more than 1 where it always does. */
static double mapped_from(const double n[3], const double bytes[3])
{
    struct growth best = {0};
    double smallest_error = CONFIRMED;
    if (!(bytes[0] < bytes[1] && bytes[1] < bytes[2]))
        return INFINITY;
    for (unsigned power = 0; power <= DIMENSIONS; power++) {
        const struct growth growth = grow(n, bytes, power);
        const double error = fabs(bytes_at(&growth, n[1]) / bytes[1] - 1);
        if (n[0] + growth.border > 0 && error < smallest_error) {
            smallest_error = error;
            best = growth;
        }
    }
    if (best.power == 0)
        return INFINITY;
    double from = pow(FT_MMAP_THRESHOLD_BYTES / best.scale, 1 / best.power) - best.border;
    return ceil(from * (1 - ROUNDING));
}

static void insert(double sizes[FT_ARRAYS_MAX], size_t *count, double n)
{
    size_t at = *count;
    for (; at > 0 && sizes[at - 1] >= n; at--)
        if (sizes[at - 1] == n)
            return;
    memmove(sizes + at + 1, sizes + at, (*count - at) * sizeof *sizes);
    sizes[at] = n;
    ++*count;
}

size_t ft_arrays_mapped_from(const struct ft_arrays arrays[3], const double n[3], double largest_n,
                             double ret_sizes[FT_ARRAYS_MAX])
{
    const struct ft_arrays small = growing(arrays, 0), middle = growing(arrays, 1);
    const struct ft_arrays large = growing(arrays, 2);
    size_t count = 0;
    for (size_t i = 0; i < small.count && i < middle.count && i < large.count; i++) {
        const double bytes[] = {(double)small.bytes[i], (double)middle.bytes[i],
                                (double)large.bytes[i]};
        const double from = mapped_from(n, bytes);
        if (from > 1 && from <= largest_n)
            insert(ret_sizes, &count, from);
    }
    return count;
}
