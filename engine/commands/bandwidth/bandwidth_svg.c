/*
 * One picture of points by size, a series a stride: points are measured, lines are modelled.
 */
#include "engine/commands/bandwidth/bandwidth_report.h"
#include "formats/base/number_text.h"
#include "formats/cli/svg.h"
#include "formats/cli/svg_plot.h"

#define WIDTH  720.0
#define HEIGHT 440.0

static double modelled(const struct ft_bandwidth_report *report,
                       const struct ft_bandwidth_point *point)
{
    return ft_bandwidth_at(&report->model.functions[0].function, point->hit_rates);
}

static struct ft_svg_plot find_axes(const struct ft_bandwidth_report *report)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    struct ft_svg_plot plot = ft_svg_plot_of(WIDTH, HEIGHT);
    for (size_t i = 0; i < points->count; i++) {
        const struct ft_bandwidth_point *point = &points->items[i];
        ft_svg_plot_widen(&plot, (double)point->size_bytes, point->gb_per_s);
        ft_svg_plot_widen(&plot, (double)point->size_bytes, modelled(report, point));
    }
    ft_svg_plot_extend(&plot);
    return plot;
}

/* The points at a stride, and the line of the model through their sizes. */
static void draw_curve(FILE *stream, const struct ft_bandwidth_report *report,
                       const struct ft_svg_plot *plot, uint64_t stride, size_t index)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    const char *colour = ft_svg_plot_colour(index);
    char name[FT_NUMBER_TEXT];
    ft_text_bytes(name, (double)stride);
    fprintf(stream, "<g fill=\"%s\" stroke=\"%s\">\n<polyline points=\"", colour, colour);
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].stride_bytes == stride)
            fprintf(stream, "%.1f,%.1f ", ft_svg_plot_x(plot, (double)points->items[i].size_bytes),
                    ft_svg_plot_y(plot, modelled(report, &points->items[i])));
    fprintf(stream, "\"><title>modelled, %s</title></polyline>\n", name);
    for (size_t i = 0; i < points->count; i++)
        if (points->items[i].stride_bytes == stride)
            fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>\n",
                    ft_svg_plot_x(plot, (double)points->items[i].size_bytes),
                    ft_svg_plot_y(plot, points->items[i].gb_per_s));
    fputs("</g>\n", stream);
    ft_svg_plot_legend(plot, index, name, stream);
}

void ft_bandwidth_svg(const struct ft_bandwidth_report *report, FILE *stream)
{
    const struct ft_bandwidth_points *points = &report->model.points;
    const struct ft_svg_plot plot = find_axes(report);
    size_t index = 0;
    ft_svg_begin(stream, WIDTH, HEIGHT);
    fprintf(stream,
            "<text x=\"%g\" y=\"18\" class=\"h\">Bandwidth by size and stride, measured (dots) and "
            "modelled (lines): ",
            FT_SVG_PLOT_LEFT);
    ft_svg_text(stream, report->model.machine);
    fputs("</text>\n", stream);
    ft_svg_plot_axes(&plot, "size", "GB/s", true, stream);
    for (uint64_t stride = ft_bandwidth_next_stride(points, 0); stride != UINT64_MAX;
         stride = ft_bandwidth_next_stride(points, stride))
        draw_curve(stream, report, &plot, stride, index++);
    fputs("</svg>\n", stream);
}
