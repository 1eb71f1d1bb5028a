/*
 * A panel has series, each a curve at a stride; panels stand in two columns. Axes begin and end at
 * the powers of two, or of ten, around the values. The palette is Okabe and Ito's.
 */
#include "machines/commands/probe_svg.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/number_text.h"
#include "formats/cli/svg.h"

#define WIDTH      460.0
#define HEIGHT     300.0
#define LEFT       62.0
#define RIGHT      100.0
#define TOP        34.0
#define BOTTOM     44.0
#define HEAD       40.0
#define SERIES_MAX 8
#define NO_STRIDE  UINT64_MAX

struct series {
    const char *name, *curve; /* curve NULL: no more */
    uint64_t stride;
};

struct panel {
    const char *title, *y_title;
    bool by_count; /* x: pages or chains, else bytes */
    double bytes;  /* y: so many per nanosecond, GB/s; 0: nanoseconds */
    struct series series[SERIES_MAX];
};

static const struct panel panels[] = {
    {"Latency by size",
     "ns per load",
     false,
     0,
     {{"large pages", FT_CURVE_LATENCY, NO_STRIDE},
      {"small pages", FT_CURVE_LATENCY_SMALL, NO_STRIDE}}},
    {"A line in each of so many pages",
     "ns per load",
     true,
     0,
     {{"small pages", FT_CURVE_PAGES, NO_STRIDE},
      {"large pages", FT_CURVE_PAGE_CONTROL, NO_STRIDE}}},
#define STRIDES(curve)                                                                             \
    {                                                                                              \
        {"8 B", curve, 8}, {"16 B", curve, 16}, {"32 B", curve, 32}, {"64 B", curve, 64},          \
            {"128 B", curve, 128}, {"256 B", curve, 256},                                          \
        {                                                                                          \
            "512 B", curve, 512                                                                    \
        }                                                                                          \
    }
    {"Loads of 8 bytes, by stride", "GB/s", false, 8, STRIDES(FT_CURVE_LOAD)},
    {"Stores of 8 bytes, by stride", "GB/s", false, 8, STRIDES(FT_CURVE_STORE)},
    {"Copies of 8 bytes, by stride", "GB/s", false, 8, STRIDES(FT_CURVE_COPY)},
    {"Gathers of 8 bytes", "GB/s", false, 8, {{"random", FT_CURVE_GATHER, 0}}},
};
#define PANEL_COUNT (sizeof panels / sizeof *panels)
#define PANEL_ROWS  ((PANEL_COUNT + 1) / 2)

static const char *const colours[SERIES_MAX] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#56b4e9", "#e69f00", "#000000", "#999999"};

struct axes {
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

static double place_x(const struct axes *axes, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log(x / axes->x_low) / log(axes->x_high / axes->x_low);
}

static double place_y(const struct axes *axes, double y)
{
    return HEIGHT - BOTTOM -
           (HEIGHT - TOP - BOTTOM) * log(y / axes->y_low) / log(axes->y_high / axes->y_low);
}

/* False: the panel has no points. */
static bool find_axes(const struct ft_probe *probe, const struct panel *panel,
                      struct axes *ret_axes, struct ft_diag *diag, int *ret_status)
{
    struct axes axes = {INFINITY, 0, INFINITY, 0};
    for (size_t s = 0; s < SERIES_MAX && panel->series[s].curve; s++) {
        const struct ft_probe_point **points;
        size_t count;
        *ret_status = ft_probe_curve(probe, panel->series[s].curve, panel->series[s].stride,
                                     &points, &count, diag);
        if (*ret_status != FT_OK)
            return false;
        for (size_t i = 0; i < count; i++) {
            if (ft_point_ns(points[i]) <= 0 || x_of(panel, points[i]) <= 0)
                continue;
            axes.x_low = fmin(axes.x_low, x_of(panel, points[i]));
            axes.x_high = fmax(axes.x_high, x_of(panel, points[i]));
            axes.y_low = fmin(axes.y_low, y_of(panel, points[i]));
            axes.y_high = fmax(axes.y_high, y_of(panel, points[i]));
        }
        free((void *)points);
    }
    if (axes.x_high <= 0)
        return false;
    axes.x_low = exp2(floor(log2(axes.x_low)));
    axes.x_high = exp2(fmax(ceil(log2(axes.x_high)), log2(axes.x_low) + 1));
    axes.y_low = pow(10, floor(log10(axes.y_low)));
    axes.y_high = pow(10, fmax(ceil(log10(axes.y_high)), log10(axes.y_low) + 1));
    *ret_axes = axes;
    return true;
}

static void draw_axes(FILE *stream, const struct panel *panel, const struct axes *axes)
{
    fprintf(stream, "<text x=\"%g\" y=\"18\" class=\"h\">%s</text>\n", LEFT, panel->title);
    const int decades = (int)lrint(log10(axes->y_high / axes->y_low));
    for (int i = 0; i <= decades; i++) {
        const double y = axes->y_low * pow(10, i);
        fprintf(stream,
                "<line x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\" class=\"g\"/>"
                "<text x=\"%g\" y=\"%.1f\" class=\"r\">%g</text>\n",
                LEFT, WIDTH - RIGHT, place_y(axes, y), place_y(axes, y), LEFT - 6,
                place_y(axes, y) + 4, y);
    }
    const int doublings = (int)lrint(log2(axes->x_high / axes->x_low));
    for (int i = 0; i <= doublings; i += doublings > 9 ? 3 : 1) {
        const double x = axes->x_low * exp2(i);
        char text[FT_NUMBER_TEXT];
        if (panel->by_count)
            snprintf(text, sizeof text, "%g", x);
        else
            ft_text_bytes(text, x);
        fprintf(stream,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\" class=\"g\"/>"
                "<text x=\"%.1f\" y=\"%g\" class=\"m\">%s</text>\n",
                place_x(axes, x), place_x(axes, x), TOP, HEIGHT - BOTTOM, place_x(axes, x),
                HEIGHT - BOTTOM + 16, text);
    }
    fprintf(stream, "<text x=\"%g\" y=\"%g\" class=\"m\">%s</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8, panel->by_count ? "pages" : "size");
    fprintf(stream, "<text transform=\"translate(14 %g) rotate(-90)\" class=\"m\">%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, panel->y_title);
}

static int draw_series(FILE *stream, const struct ft_probe *probe, const struct panel *panel,
                       const struct axes *axes, size_t index, struct ft_diag *diag)
{
    const struct series *series = &panel->series[index];
    const struct ft_probe_point **points;
    size_t count;
    bool any = false;
    FT_TRY(ft_probe_curve(probe, series->curve, series->stride, &points, &count, diag));
    fprintf(stream, "<polyline stroke=\"%s\" class=\"s%zu\" points=\"", colours[index], index);
    for (size_t i = 0; i < count; i++) {
        if (ft_point_ns(points[i]) <= 0 || x_of(panel, points[i]) <= 0)
            continue;
        fprintf(stream, "%s%.1f,%.1f", any ? " " : "", place_x(axes, x_of(panel, points[i])),
                place_y(axes, y_of(panel, points[i])));
        any = true;
    }
    fprintf(stream, "\"><title>%s</title></polyline>\n", series->name);
    if (any)
        fprintf(stream,
                "<line x1=\"%g\" x2=\"%g\" y1=\"%zu\" y2=\"%zu\" stroke=\"%s\" class=\"s%zu\"/>"
                "<text x=\"%g\" y=\"%zu\">%s</text>\n",
                WIDTH - RIGHT + 8, WIDTH - RIGHT + 22, 44 + 16 * index, 44 + 16 * index,
                colours[index], index, WIDTH - RIGHT + 26, 48 + 16 * index, series->name);
    free((void *)points);
    return FT_OK;
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
    for (size_t i = 0; i < PANEL_COUNT; i++) {
        struct axes axes;
        int status = FT_OK;
        if (!find_axes(probe, &panels[i], &axes, diag, &status)) {
            FT_TRY(status);
            continue;
        }
        const size_t row = drawn / 2, column = drawn % 2;
        fprintf(stream, "<g transform=\"translate(%g %g)\">\n", WIDTH * (double)column,
                HEAD + HEIGHT * (double)row);
        drawn++;
        draw_axes(stream, &panels[i], &axes);
        for (size_t s = 0; s < SERIES_MAX && panels[i].series[s].curve; s++)
            FT_TRY(draw_series(stream, probe, &panels[i], &axes, s, diag));
        fputs("</g>\n", stream);
    }
    fputs("</svg>\n", stream);
    return FT_OK;
}
