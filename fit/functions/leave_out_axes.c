#include "fit/functions/leave_out_axes.h"

#include <math.h>

#define SIZES_MIN  3U /* of one parameter */
#define VALUES_MIN 3U /* of one of several parameters */
#define ROOM       (FT_LEAVE_OUT_MAX + 1)

bool ft_left_out_is_spared(const struct ft_axis *axis, uint64_t sizes)
{
    for (size_t i = 0; i < axis->basis.parameter_count; i++) {
        double smallest = INFINITY, largest = 0;
        for (size_t k = 0; k < axis->count; k++) {
            if (sizes >> k & 1)
                continue;
            smallest = fmin(smallest, axis->points[k].parameters[i]);
            largest = fmax(largest, axis->points[k].parameters[i]);
        }
        if (!(smallest < largest))
            return false;
    }
    return true;
}

/* The largest values of a parameter, so many, ascending: all sizes with the value. */
static void add_values(const struct ft_axis *axis, size_t parameter, size_t value_count,
                       struct ft_left_out_sets *sets)
{
    uint64_t largest[FT_LEAVE_OUT_MAX + 1];
    double below = INFINITY;
    for (size_t i = 0; i < value_count; i++) {
        double value = 0;
        for (size_t k = 0; k < axis->count; k++) {
            const double size = axis->points[k].parameters[parameter];
            value = size < below ? fmax(value, size) : value;
        }
        largest[i] = 0;
        for (size_t k = 0; k < axis->count; k++)
            if (axis->points[k].parameters[parameter] == value)
                largest[i] |= (uint64_t)1 << k;
        below = value;
    }
    while (value_count-- > 0)
        if (ft_left_out_is_spared(axis, largest[value_count]))
            sets->sizes[sets->count++] = largest[value_count];
}

/* The largest sizes of one parameter, ascending. */
static void add_sizes(const struct ft_axis *axis, size_t value_count, struct ft_left_out_sets *sets)
{
    for (size_t k = axis->count - value_count; k < axis->count; k++)
        sets->sizes[sets->count++] = (uint64_t)1 << k;
}

/* How many values of a parameter are left out, where some share the room. */
static size_t room_of(const struct ft_axis *axis, size_t parameter, size_t sharers)
{
    const size_t values = axis->distinct[parameter], room = ROOM / sharers;
    return values < VALUES_MIN ? 0 : values < room ? values : room;
}

struct ft_left_out_sets ft_left_out_sets_of(const struct ft_axis *axis)
{
    const size_t width = axis->basis.parameter_count;
    struct ft_left_out_sets sets = {.count = 0};
    size_t sharers = 0;
    if (width == 1 && axis->count >= SIZES_MIN)
        add_sizes(axis, axis->count < ROOM ? axis->count : ROOM, &sets);
    for (size_t i = 0; i < width; i++)
        sharers += axis->distinct[i] >= VALUES_MIN;
    for (size_t i = width; width > 1 && sharers > 0 && i-- > 0;)
        add_values(axis, i, room_of(axis, i, sharers), &sets);
    return sets;
}

int ft_leave_out_axes_init(struct ft_leave_out_axes *axes, const struct ft_axis *axis,
                           const struct ft_left_out_sets *sets, struct ft_diag *diag)
{
    int status = FT_OK;
    *axes = (struct ft_leave_out_axes){.all = axis, .sets = *sets, .count = sets->count - 1};
    for (size_t i = 0; i < sets->count && status == FT_OK; i++)
        status = ft_axis_leave_out(axis, sets->sizes[i], &axes->without[i], diag);
    if (status < 0)
        ft_leave_out_axes_fini(axes);
    return status;
}

void ft_leave_out_axes_fini(struct ft_leave_out_axes *axes)
{
    for (size_t i = 0; i <= FT_LEAVE_OUT_MAX; i++)
        ft_axis_fini(&axes->without[i]);
    *axes = (struct ft_leave_out_axes){.count = 0};
}
