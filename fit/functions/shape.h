/*
 * What a function of the size may look like over the whole grid of its axis: not negative, rising
 * (or falling) all along, and convex or concave all along (Marin & Mellor-Crummey 2004, section
 * 2.3.1). Without the last, a cubic follows a kink in the data, such as a buffer that start-up code
 * had filled already, down to an inflection right after the largest size, and soars from there. The
 * basis's shape, if a user set one, replaces the one that the values suggest.
 *
 * Coefficients are of the axis's scaled terms. Pure and thread safe.
 */
#ifndef FT_FIT_FUNCTIONS_SHAPE_H
#define FT_FIT_FUNCTIONS_SHAPE_H

#include <gsl/gsl_matrix.h>
#include <stdbool.h>

#include "fit/functions/axis.h"

/* "convex", "rising,concave", "any" and so on as bits of enum ft_shape; FT_ERROR_USAGE for an
 * unknown word, or two that exclude each other. */
int ft_shape_read(const char *text, uint32_t *ret_shape, struct ft_diag *diag);

enum ft_bend { FT_BEND_CONVEX = 1, FT_BEND_CONCAVE = -1 };

/* Whether a function with these values at the ends falls: as the values do, or as was asked for. */
bool ft_shape_falls(const struct ft_axis *axis, double first, double last);
/* Whether functions may bend so. */
bool ft_shape_may_bend(const struct ft_axis *axis, enum ft_bend bend);

bool ft_shape_holds(const struct ft_axis *axis, const struct ft_term_set *set,
                    const double *coefficients, bool falling);

/* One of the constraints: of a grid point where the function bends; 0: the least value; the last:
 * the flattest place. constraint: by the set's terms. */
void ft_shape_constraint(const struct ft_axis *axis, const struct ft_term_set *set, bool falling,
                         enum ft_bend bend, size_t point, double *ret_constraint);
/* The shape with one bend as constraints, each row of which times the coefficients is >= 0.
 * constraints: FT_GRID_COUNT rows, a column a term. */
void ft_shape_constrain(const struct ft_axis *axis, const struct ft_term_set *set, bool falling,
                        enum ft_bend bend, gsl_matrix *constraints);

#endif
