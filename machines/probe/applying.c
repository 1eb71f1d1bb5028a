#include "machines/probe/applying.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/probe/knees.h"

/* ---- curves ---- */

int ft_applying_curve(const struct ft_applying *applying, const char *name, uint64_t stride_bytes,
                      bool by_count, struct ft_cycle_curve *ret_curve, struct ft_diag *diag)
{
    const struct ft_probe_point **points;
    size_t count;
    FT_TRY(ft_probe_curve(applying->probe, name, stride_bytes, &points, &count, diag));
    ret_curve->count = 0;
    for (size_t i = 0; i < count && ret_curve->count < FT_CURVE_POINTS_MAX; i++) {
        const double x = by_count ? points[i]->count : (double)points[i]->size_bytes;
        const size_t at = ret_curve->count;
        if (ft_point_ns(points[i]) <= 0 || (at > 0 && x <= ret_curve->x[at - 1]))
            continue;
        ret_curve->x[at] = x;
        ret_curve->y[at] = ft_point_ns(points[i]) / applying->cycle_ns;
        ret_curve->spread[at] = ft_point_spread(points[i]);
        ret_curve->count++;
    }
    free((void *)points);
    return FT_OK;
}

double ft_cycle_curve_at(const struct ft_cycle_curve *curve, double x, double *ret_spread)
{
    size_t nearest = 0;
    *ret_spread = 0;
    for (size_t i = 1; i < curve->count; i++)
        if (fabs(log(curve->x[i] / x)) < fabs(log(curve->x[nearest] / x)))
            nearest = i;
    if (curve->count > 0)
        *ret_spread = curve->spread[nearest];
    return ft_curve_at(curve->x, curve->y, curve->count, x);
}

double ft_applying_cycles(const struct ft_applying *applying, const char *curve, double *ret_spread)
{
    const struct ft_probe_point *point = ft_probe_point(applying->probe, curve);
    *ret_spread = point ? ft_point_spread(point) : 0;
    return point ? ft_point_ns(point) / applying->cycle_ns : 0;
}

/* ---- values ---- */

int ft_applying_set(struct ft_applying *applying, struct ft_yaml_numbers *numbers,
                    struct ft_yaml_sources *sources, enum ft_machine_number key, double value,
                    double spread, const char *how, struct ft_diag *diag)
{
    const struct ft_number_key *row = &ft_number_keys[key];
    char text[32], source[256];
    if (!(value >= row->min && value <= row->max))
        return ft_probe_note(applying->notes, diag, "%s.%s: %g was measured (%s), which cannot be",
                             applying->part, row->name, value, how);
    snprintf(text, sizeof text,
             row->quantity == FT_BYTES || row->quantity == FT_COUNT ? "%.0f" : "%.3g", value);
    snprintf(source, sizeof source, "foretrace machine probe: %.160s; repeats within %.1f %%", how,
             100 * spread);
    if (spread > FT_PROBE_AGREE) {
        const size_t used = strlen(applying->unsteady);
        snprintf(applying->unsteady + used, sizeof applying->unsteady - used, "%s%s.%s %.0f %%",
                 used ? ", " : "", applying->part, row->name, 100 * spread);
    }
    return ft_yaml_set(numbers, sources, key, text, FT_SOURCE_MEASURED, source, diag);
}
