/*
 * One picture: sizes on a logarithmic axis, bandwidths on another; points are measured, lines are
 * modelled. The palette is Okabe and Ito's.
 */
#include <math.h>

#include "engine/commands/bandwidth/bandwidth_report.h"
#include "formats/base/number_text.h"
#include "formats/cli/svg.h"

#define WIDTH   720.0
#define HEIGHT  440.0
#define LEFT    62.0
#define RIGHT   110.0
#define TOP     40.0
#define BOTTOM  44.0
#define COLOURS 8

static const char *const colours[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#56b4e9", "#e69f00", "#000000", "#999999"};

struct axes {
    double x_low, x_high, y_low, y_high; /* powers of two, and of ten */
};

static struct axes find_axes(const struct ft_bandwidth_report *report)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    struct axes axes = {INFINITY, 0, INFINITY, 0};
    for (size_t i = 0; i < points->count; i++) {
        const double size = (double)points->items[i].size_bytes,
                     measured = points->items[i].gb_per_s,
                     modelled = ft_bandwidth_at(&report->model.functions[0].function,
                                                points->items[i].hit_rates);
        axes.x_low = fmin(axes.x_low, size);
        axes.x_high = fmax(axes.x_high, size);
        axes.y_low = fmin(axes.y_low, modelled > 0 ? fmin(measured, modelled) : measured);
        axes.y_high = fmax(axes.y_high, fmax(measured, modelled));
    }
    axes.x_low = exp2(floor(log2(axes.x_low)));
    axes.x_high = exp2(fmax(ceil(log2(axes.x_high)), log2(axes.x_low) + 1));
    axes.y_low = pow(10, floor(log10(axes.y_low)));
    axes.y_high = pow(10, fmax(ceil(log10(axes.y_high)), log10(axes.y_low) + 1));
    return axes;
}

static double place_x(const struct axes *axes, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * log(x / axes->x_low) / log(axes->x_high / axes->x_low);
}

static double place_y(const struct axes *axes, double y)
{
    const double at = fmax(y, axes->y_low);
    return HEIGHT - BOTTOM -
           (HEIGHT - TOP - BOTTOM) * log(at / axes->y_low) / log(axes->y_high / axes->y_low);
}

static void draw_axes(FILE *stream, const struct axes *axes)
{
    const int decades = (int)lrint(log10(axes->y_high / axes->y_low)),
              doublings = (int)lrint(log2(axes->x_high / axes->x_low));
    for (int i = 0; i <= decades; i++) {
        const double value = axes->y_low * pow(10, i), y = place_y(axes, value);
        fprintf(stream,
                "<line x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\" class=\"g\"/>"
                "<text x=\"%g\" y=\"%.1f\" class=\"r\">%g</text>\n",
                LEFT, WIDTH - RIGHT, y, y, LEFT - 6, y + 4, value);
    }
    for (int i = 0; i <= doublings; i += 2) {
        const double value = axes->x_low * exp2(i), x = place_x(axes, value);
        char text[FT_NUMBER_TEXT];
        fprintf(stream,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\" class=\"g\"/>"
                "<text x=\"%.1f\" y=\"%g\" class=\"m\">%s</text>\n",
                x, x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 16, ft_text_bytes(text, value));
    }
    fprintf(stream, "<text x=\"%g\" y=\"%g\" class=\"m\">size</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8);
    fprintf(stream, "<text transform=\"translate(14 %g) rotate(-90)\" class=\"m\">GB/s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2);
}

/* The points at a stride, and the line of the model through their sizes. */
static void draw_curve(FILE *stream, const struct ft_bandwidth_report *report,
                       const struct axes *axes, uint64_t stride, size_t index)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    const char *colour = colours[index % COLOURS];
    const double label = TOP + 10 + 16 * (double)index;
    char name[FT_NUMBER_TEXT];
    fprintf(stream, "<g fill=\"%s\" stroke=\"%s\">\n<polyline points=\"", colour, colour);
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].stride_bytes == stride)
            fprintf(stream, "%.1f,%.1f ", place_x(axes, (double)points->items[i].size_bytes),
                    place_y(axes, ft_bandwidth_at(&report->model.functions[0].function,
                                                  points->items[i].hit_rates)));
    fprintf(stream, "\"><title>modelled, %s</title></polyline>\n",
            ft_text_bytes(name, (double)stride));
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].stride_bytes == stride)
            fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n",
                    place_x(axes, (double)points->items[i].size_bytes),
                    place_y(axes, points->items[i].gb_per_s));
    fprintf(stream,
            "<line x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\"/></g>"
            "<text x=\"%g\" y=\"%g\">%s</text>\n",
            WIDTH - RIGHT + 8, WIDTH - RIGHT + 22, label, label, WIDTH - RIGHT + 26, label + 4,
            ft_text_bytes(name, (double)stride));
}

int ft_bandwidth_svg(const struct ft_bandwidth_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    const struct axes axes = find_axes(report);
    size_t index = 0;
    (void)diag;
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 "
            "%g %g\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<style>svg{background:#fff;color:#222}text{fill:currentColor}.h{font-size:13px;"
            "font-weight:bold}.m{text-anchor:middle}.r{text-anchor:end}"
            "polyline,line{fill:none;stroke-width:1.4}.g{stroke:#8885;stroke-width:.6}"
            "@media(prefers-color-scheme:dark){svg{background:#181818;color:#ddd}}</style>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(stream, "<text x=\"%g\" y=\"22\" class=\"h\">", LEFT);
    ft_svg_text(stream, report->model.machine);
    fputs(": bandwidth by size and stride, measured (dots) and modelled (lines)</text>\n", stream);
    draw_axes(stream, &axes);
    for (uint64_t stride = ft_bandwidth_next_stride(points, 0); stride != UINT64_MAX;
         stride = ft_bandwidth_next_stride(points, stride))
        draw_curve(stream, report, &axes, stride, index++);
    fputs("</svg>\n", stream);
    return FT_OK;
}
