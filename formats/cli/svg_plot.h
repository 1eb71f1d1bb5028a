/*
 * Curves on logarithmic axes as a picture (SVG): a number of bytes or of things over powers of two,
 * what was measured of it over powers of ten, with a legend at the right. A picture may have
 * several plots, each moved by a <g> of its own.
 *
 * Writes to the stream; errors of it are the caller's to look at.
 */
#ifndef FT_FORMATS_CLI_SVG_PLOT_H
#define FT_FORMATS_CLI_SVG_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define FT_SVG_PLOT_LEFT 62.0 /* margin: where headlines begin */

struct ft_svg_plot {
    double width, height;                /* with margins */
    double x_low, x_high, y_low, y_high; /* ends of the axes */
};

/* Begins a picture, which "</svg>" ends. Its classes are h, headlines, m and r, texts that are
 * centred and aligned to the right, and g, the grid. */
void ft_svg_begin(FILE *stream, double width, double height);

/* A plot without points yet; widened by points, of which those at or below 0 have no place; and its
 * axes extended to the next powers, once it has them all. */
struct ft_svg_plot ft_svg_plot_of(double width, double height);
void ft_svg_plot_widen(struct ft_svg_plot *plot, double x, double y);
void ft_svg_plot_extend(struct ft_svg_plot *plot);

/* Where they are in the picture; a value below the axis lies on it. */
double ft_svg_plot_x(const struct ft_svg_plot *plot, double x);
double ft_svg_plot_y(const struct ft_svg_plot *plot, double y);

/* Both axes with their labels; with_bytes: those of x are sizes. */
void ft_svg_plot_axes(const struct ft_svg_plot *plot, const char *x_title, const char *y_title,
                      bool with_bytes, FILE *stream);
/* A series has a colour (again after eight), and a line and its name in the legend. */
const char *ft_svg_plot_colour(size_t series);
void ft_svg_plot_legend(const struct ft_svg_plot *plot, size_t series, const char *name,
                        FILE *stream);

#endif
