/*
 * Axes begin and end at the powers of two, or of ten, around the values. The palette is Okabe and
 * Ito's, with the text's colour as its black.
 */
#include "formats/cli/svg_plot.h"

#include <math.h>

#include "formats/base/number_text.h"

#define LEFT        FT_SVG_PLOT_LEFT
#define RIGHT       100.0
#define TOP         34.0
#define BOTTOM      44.0
#define COLOURS     8
#define LABEL_WIDTH 33.0 /* of a size */

void ft_svg_begin(FILE *stream, double width, double height)
{
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 "
            "%g %g\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<style>svg{background:#fff;color:#222}text{fill:currentColor}.h{font-size:13px;"
            "font-weight:bold}.m{text-anchor:middle}.r{text-anchor:end}"
            "polyline,line{fill:none;stroke-width:1.6}.g{stroke:#8885;stroke-width:.6}"
            "@media(prefers-color-scheme:dark){svg{background:#181818;color:#ddd}}</style>\n",
            width, height, width, height);
}

struct ft_svg_plot ft_svg_plot_of(double width, double height)
{
    return (struct ft_svg_plot){width, height, INFINITY, 0, INFINITY, 0};
}

void ft_svg_plot_widen(struct ft_svg_plot *plot, double x, double y)
{
    if (!(x > 0 && y > 0))
        return;
    plot->x_low = fmin(plot->x_low, x);
    plot->x_high = fmax(plot->x_high, x);
    plot->y_low = fmin(plot->y_low, y);
    plot->y_high = fmax(plot->y_high, y);
}

void ft_svg_plot_extend(struct ft_svg_plot *plot)
{
    plot->x_low = exp2(floor(log2(plot->x_low)));
    plot->x_high = exp2(fmax(ceil(log2(plot->x_high)), log2(plot->x_low) + 1));
    plot->y_low = pow(10, floor(log10(plot->y_low)));
    plot->y_high = pow(10, fmax(ceil(log10(plot->y_high)), log10(plot->y_low) + 1));
}

double ft_svg_plot_x(const struct ft_svg_plot *plot, double x)
{
    return LEFT +
           (plot->width - LEFT - RIGHT) * log(x / plot->x_low) / log(plot->x_high / plot->x_low);
}

double ft_svg_plot_y(const struct ft_svg_plot *plot, double y)
{
    return plot->height - BOTTOM -
           (plot->height - TOP - BOTTOM) * log(fmax(y, plot->y_low) / plot->y_low) /
               log(plot->y_high / plot->y_low);
}

static void draw_x_axis(const struct ft_svg_plot *plot, bool with_bytes, FILE *stream)
{
    const int doublings = (int)lrint(log2(plot->x_high / plot->x_low));
    const int step = (plot->width - LEFT - RIGHT) / doublings < LABEL_WIDTH ? 3 : 1;
    for (int i = 0; i <= doublings; i += step) {
        const double value = plot->x_low * exp2(i), x = ft_svg_plot_x(plot, value);
        char text[FT_NUMBER_TEXT];
        if (with_bytes)
            ft_text_bytes(text, value);
        else
            snprintf(text, sizeof text, "%g", value);
        fprintf(stream,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%g\" y2=\"%g\" class=\"g\"/>"
                "<text x=\"%.1f\" y=\"%g\" class=\"m\">%s</text>\n",
                x, x, TOP, plot->height - BOTTOM, x, plot->height - BOTTOM + 16, text);
    }
}

void ft_svg_plot_axes(const struct ft_svg_plot *plot, const char *x_title, const char *y_title,
                      bool with_bytes, FILE *stream)
{
    const int decades = (int)lrint(log10(plot->y_high / plot->y_low));
    for (int i = 0; i <= decades; i++) {
        const double value = plot->y_low * pow(10, i), y = ft_svg_plot_y(plot, value);
        fprintf(stream,
                "<line x1=\"%g\" x2=\"%g\" y1=\"%.1f\" y2=\"%.1f\" class=\"g\"/>"
                "<text x=\"%g\" y=\"%.1f\" class=\"r\">%g</text>\n",
                LEFT, plot->width - RIGHT, y, y, LEFT - 6, y + 4, value);
    }
    draw_x_axis(plot, with_bytes, stream);
    fprintf(stream, "<text x=\"%g\" y=\"%g\" class=\"m\">%s</text>\n",
            (LEFT + plot->width - RIGHT) / 2, plot->height - 8, x_title);
    fprintf(stream, "<text transform=\"translate(14 %g) rotate(-90)\" class=\"m\">%s</text>\n",
            (TOP + plot->height - BOTTOM) / 2, y_title);
}

const char *ft_svg_plot_colour(size_t series)
{
    static const char *const colours[COLOURS] = {"#0072b2", "#d55e00", "#009e73",      "#cc79a7",
                                                 "#56b4e9", "#e69f00", "currentColor", "#999999"};
    return colours[series % COLOURS];
}

void ft_svg_plot_legend(const struct ft_svg_plot *plot, size_t series, const char *name,
                        FILE *stream)
{
    const double x = plot->width - RIGHT, y = TOP + 10 + 16 * (double)series;
    fprintf(stream,
            "<line x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\" stroke=\"%s\"/>"
            "<text x=\"%g\" y=\"%g\">%s</text>\n",
            x + 8, x + 22, y, y, ft_svg_plot_colour(series), x + 26, y + 4, name);
}
