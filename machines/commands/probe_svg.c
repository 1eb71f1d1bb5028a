/*
 * A panel has series, each the points of a curve, or those of one stride; panels stand in two
 * columns, those without points nowhere.
 *
 * In order: panels; points; drawing.
 */
#include "machines/commands/probe_svg.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "formats/cli/svg.h"
#include "formats/cli/svg_plot.h"

#define WIDTH      460.0
#define HEIGHT     300.0
#define HEAD       40.0
#define SERIES_MAX 16 /* a curve for each of --strides */

/* ---- panels ---- */

struct panel {
    const char *title, *y_title;
    const char *names[2], *curves[2]; /* series; curves of one alone, unnamed: one a stride */
    bool by_count;                    /* x: pages or chains, else bytes */
    double bytes;                     /* y: so many per nanosecond, GB/s; 0: nanoseconds */
};

static const struct panel panels[] = {
    {"Latency by size",
     "ns per load",
     {"large pages", "small pages"},
     {FT_CURVE_LATENCY, FT_CURVE_LATENCY_SMALL},
     false,
     0},
    {"A line in each of so many pages",
     "ns per load",
     {"small pages", "large pages"},
     {FT_CURVE_PAGES, FT_CURVE_PAGE_CONTROL},
     true,
     0},
    {"Loads of 8 bytes, by stride", "GB/s", {NULL}, {FT_CURVE_LOAD}, false, 8},
    {"Stores of 8 bytes, by stride", "GB/s", {NULL}, {FT_CURVE_STORE}, false, 8},
    {"Copies of 8 bytes, by stride", "GB/s", {NULL}, {FT_CURVE_COPY}, false, 8},
    {"Gathers of 8 bytes", "GB/s", {"random"}, {FT_CURVE_GATHER}, false, 8},
};
#define PANEL_COUNT (sizeof panels / sizeof *panels)
#define PANEL_ROWS  ((PANEL_COUNT + 1) / 2)

struct series {
    char name[FT_NUMBER_TEXT];
    const struct ft_probe_point **points;
    size_t count;
};

/* A panel with its points; owned. */
struct plot {
    const struct panel *panel;
    struct series series[SERIES_MAX];
    size_t count;
    struct ft_svg_plot axes;
};

static double x_of(const struct panel *panel, const struct ft_probe_point *point)
{
    return panel->by_count ? point->count : (double)point->size_bytes;
}

static double y_of(const struct panel *panel, const struct ft_probe_point *point)
{
    return panel->bytes > 0 ? panel->bytes / ft_point_ns(point) : ft_point_ns(point);
}

/* ---- points ---- */

/* The points that have a place on logarithmic axes; of none there is no series. */
static int add_series(struct plot *plot, const struct ft_probe *probe, const char *name,
                      const char *curve, uint64_t stride, struct ft_diag *diag)
{
    struct series *series = &plot->series[plot->count];
    size_t count;
    if (plot->count == SERIES_MAX)
        return FT_OK;
    FT_TRY(ft_probe_curve(probe, curve, stride, &series->points, &count, diag));
    series->count = 0;
    for (size_t i = 0; i < count; i++)
        if (ft_point_ns(series->points[i]) > 0 && x_of(plot->panel, series->points[i]) > 0)
            series->points[series->count++] = series->points[i];
    snprintf(series->name, sizeof series->name, "%s", name);
    if (series->count > 0)
        plot->count++;
    else
        free((void *)series->points);
    return FT_OK;
}

/* The smallest stride of a curve above another; UINT64_MAX: there is none. */
static uint64_t next_stride(const struct ft_probe *probe, const char *curve, uint64_t stride)
{
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < probe->count; i++) {
        const struct ft_probe_point *point = &probe->points[i];
        if (strcmp(point->curve, curve) == 0 && point->stride_bytes > stride &&
            point->stride_bytes < next)
            next = point->stride_bytes;
    }
    return next;
}

static int add_strides(struct plot *plot, const struct ft_probe *probe, const char *curve,
                       struct ft_diag *diag)
{
    for (uint64_t stride = next_stride(probe, curve, 0); stride != UINT64_MAX;
         stride = next_stride(probe, curve, stride)) {
        char name[FT_NUMBER_TEXT];
        FT_TRY(add_series(plot, probe, ft_text_bytes(name, (double)stride), curve, stride, diag));
    }
    return FT_OK;
}

static int find_series(struct plot *plot, const struct ft_probe *probe, struct ft_diag *diag)
{
    const struct panel *panel = plot->panel;
    if (!panel->names[0])
        return add_strides(plot, probe, panel->curves[0], diag);
    for (size_t i = 0; i < 2 && panel->names[i]; i++)
        FT_TRY(add_series(plot, probe, panel->names[i], panel->curves[i], UINT64_MAX, diag));
    return FT_OK;
}

static void find_axes(struct plot *plot)
{
    plot->axes = ft_svg_plot_of(WIDTH, HEIGHT);
    for (size_t s = 0; s < plot->count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++)
            ft_svg_plot_widen(&plot->axes, x_of(plot->panel, plot->series[s].points[i]),
                              y_of(plot->panel, plot->series[s].points[i]));
    ft_svg_plot_extend(&plot->axes);
}

/* ---- drawing ---- */

static void draw_series(FILE *stream, const struct plot *plot, size_t index)
{
    const struct series *series = &plot->series[index];
    fprintf(stream, "<polyline stroke=\"%s\" points=\"", ft_svg_plot_colour(index));
    for (size_t i = 0; i < series->count; i++)
        fprintf(stream, "%s%.1f,%.1f", i ? " " : "",
                ft_svg_plot_x(&plot->axes, x_of(plot->panel, series->points[i])),
                ft_svg_plot_y(&plot->axes, y_of(plot->panel, series->points[i])));
    fprintf(stream, "\"><title>%s</title></polyline>\n", series->name);
    ft_svg_plot_legend(&plot->axes, index, series->name, stream);
}

static int draw_panel(FILE *stream, const struct ft_probe *probe, const struct panel *panel,
                      size_t *drawn, struct ft_diag *diag)
{
    struct plot plot = {.panel = panel};
    int status = find_series(&plot, probe, diag);
    if (status == FT_OK && plot.count > 0) {
        const size_t row = *drawn / 2, column = *drawn % 2;
        find_axes(&plot);
        fprintf(stream, "<g transform=\"translate(%g %g)\">\n", WIDTH * (double)column,
                HEAD + HEIGHT * (double)row);
        fprintf(stream, "<text x=\"%g\" y=\"18\" class=\"h\">%s</text>\n", FT_SVG_PLOT_LEFT,
                panel->title);
        ft_svg_plot_axes(&plot.axes, panel->by_count ? "pages" : "size", panel->y_title,
                         !panel->by_count, stream);
        for (size_t s = 0; s < plot.count; s++)
            draw_series(stream, &plot, s);
        fputs("</g>\n", stream);
        ++*drawn;
    }
    for (size_t s = 0; s < plot.count; s++)
        free((void *)plot.series[s].points);
    return status;
}

int ft_probe_svg(const struct ft_probe *probe, const char *title, FILE *stream,
                 struct ft_diag *diag)
{
    const size_t rows = PANEL_ROWS;
    const double height = HEAD + HEIGHT * (double)rows;
    ft_svg_begin(stream, 2 * WIDTH, height);
    fputs("<text x=\"62\" y=\"26\" class=\"h\">", stream);
    ft_svg_text(stream, title);
    fputs(", measured by foretrace machine probe</text>\n", stream);
    size_t drawn = 0;
    for (size_t i = 0; i < PANEL_COUNT; i++)
        FT_TRY(draw_panel(stream, probe, &panels[i], &drawn, diag));
    fputs("</svg>\n", stream);
    return FT_OK;
}
