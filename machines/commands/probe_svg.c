/*
 * A panel has series, each the points of a curve, or those of one stride; panels stand in two
 * columns, those without points nowhere. Axes begin and end at the powers of two, or of ten, around
 * the values. The palette is Okabe and Ito's.
 *
 * In order: panels; points; drawing.
 */
#include "machines/commands/probe_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "formats/cli/svg.h"

#define WIDTH      460.0
#define HEIGHT     300.0
#define LEFT       62.0
#define RIGHT      100.0
#define TOP        34.0
#define BOTTOM     44.0
#define HEAD       40.0
#define SERIES_MAX 16 /* a curve for each of --strides */
#define COLOURS    8

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

static const char *const colours[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#56b4e9", "#e69f00", "#000000", "#999999"};

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
    double x_low, x_high, y_low, y_high;
};

static double x_of(const struct panel *panel, const struct ft_probe_point *point)
{
    return panel->by_count ? point->count : (double)point->size_bytes;
}

static double y_of(const struct panel *panel, const struct ft_probe_point *point)
{
    return panel->bytes > 0 ? panel->bytes / ft_point_ns(point) : ft_point_ns(point);
}

static double place_x(const struct plot *plot, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log(x / plot->x_low) / log(plot->x_high / plot->x_low);
}

static double place_y(const struct plot *plot, double y)
{
    return HEIGHT - BOTTOM -
           (HEIGHT - TOP - BOTTOM) * log(y / plot->y_low) / log(plot->y_high / plot->y_low);
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
    plot->x_low = plot->y_low = INFINITY;
    for (size_t s = 0; s < plot->count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++) {
            const double x = x_of(plot->panel, plot->series[s].points[i]),
                         y = y_of(plot->panel, plot->series[s].points[i]);
            plot->x_low = fmin(plot->x_low, x);
            plot->x_high = fmax(plot->x_high, x);
            plot->y_low = fmin(plot->y_low, y);
            plot->y_high = fmax(plot->y_high, y);
        }
    plot->x_low = exp2(floor(log2(plot->x_low)));
    plot->x_high = exp2(fmax(ceil(log2(plot->x_high)), log2(plot->x_low) + 1));
    plot->y_low = pow(10, floor(log10(plot->y_low)));
    plot->y_high = pow(10, fmax(ceil(log10(plot->y_high)), log10(plot->y_low) + 1));
}

/* ---- drawing ---- */

static void draw_axes(FILE *stream, const struct plot *plot)
{
    const struct panel *panel = plot->panel;
    fprintf(stream, "<text x=\"%g\" y=\"18\" class=\"h\">%s</text>\n", LEFT, panel->title);
    const int decades = (int)lrint(log10(plot->y_high / plot->y_low));
    for (int i = 0; i <= decades; i++) {
        const double y = plot->y_low * pow(10, i);
        fprintf(stream,
                "<line x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\" class=\"g\"/>"
                "<text x=\"%g\" y=\"%.1f\" class=\"r\">%g</text>\n",
                LEFT, WIDTH - RIGHT, place_y(plot, y), place_y(plot, y), LEFT - 6,
                place_y(plot, y) + 4, y);
    }
    const int doublings = (int)lrint(log2(plot->x_high / plot->x_low));
    for (int i = 0; i <= doublings; i += doublings > 9 ? 3 : 1) {
        const double x = plot->x_low * exp2(i);
        char text[FT_NUMBER_TEXT];
        if (panel->by_count)
            snprintf(text, sizeof text, "%g", x);
        else
            ft_text_bytes(text, x);
        fprintf(stream,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\" class=\"g\"/>"
                "<text x=\"%.1f\" y=\"%g\" class=\"m\">%s</text>\n",
                place_x(plot, x), place_x(plot, x), TOP, HEIGHT - BOTTOM, place_x(plot, x),
                HEIGHT - BOTTOM + 16, text);
    }
    fprintf(stream, "<text x=\"%g\" y=\"%g\" class=\"m\">%s</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8, panel->by_count ? "pages" : "size");
    fprintf(stream, "<text transform=\"translate(14 %g) rotate(-90)\" class=\"m\">%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, panel->y_title);
}

static void draw_series(FILE *stream, const struct plot *plot, size_t index)
{
    const struct series *series = &plot->series[index];
    const size_t colour = index % COLOURS, y = 44 + 16 * index;
    fprintf(stream, "<polyline stroke=\"%s\" class=\"s%zu\" points=\"", colours[colour], colour);
    for (size_t i = 0; i < series->count; i++)
        fprintf(stream, "%s%.1f,%.1f", i ? " " : "",
                place_x(plot, x_of(plot->panel, series->points[i])),
                place_y(plot, y_of(plot->panel, series->points[i])));
    fprintf(stream, "\"><title>%s</title></polyline>\n", series->name);
    fprintf(stream,
            "<line x1=\"%g\" x2=\"%g\" y1=\"%zu\" y2=\"%zu\" stroke=\"%s\" class=\"s%zu\"/>"
            "<text x=\"%g\" y=\"%zu\">%s</text>\n",
            WIDTH - RIGHT + 8, WIDTH - RIGHT + 22, y, y, colours[colour], colour,
            WIDTH - RIGHT + 26, y + 4, series->name);
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
        draw_axes(stream, &plot);
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
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 "
            "%g %g\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<style>svg{background:#fff;color:#222}text{fill:currentColor}.h{font-size:13px;"
            "font-weight:bold}.m{text-anchor:middle}.r{text-anchor:end}"
            "polyline,line{fill:none;stroke-width:1.6}.g{stroke:#8885;stroke-width:.6}"
            ".s6{stroke:currentColor}"
            "@media(prefers-color-scheme:dark){svg{background:#181818;color:#ddd}}</style>\n",
            2 * WIDTH, height, 2 * WIDTH, height);
    fputs("<text x=\"62\" y=\"26\" class=\"h\">", stream);
    ft_svg_text(stream, title);
    fputs(", measured by foretrace machine probe</text>\n", stream);
    size_t drawn = 0;
    for (size_t i = 0; i < PANEL_COUNT; i++)
        FT_TRY(draw_panel(stream, probe, &panels[i], &drawn, diag));
    fputs("</svg>\n", stream);
    return FT_OK;
}
