/*
 * The axis, or for several parameters the axes, that models run over: the training sizes, and a
 * grid of points from the smallest of them to FT_GRID_REACH times the largest on which shapes are
 * enforced, with all terms evaluated; and the sets of terms that a fit chooses from.
 *
 * Terms are divided by their value at the largest training size, so that design matrices are well
 * scaled. Immutable after init, so any number of threads may share one.
 */
#ifndef FT_FIT_FUNCTIONS_AXIS_H
#define FT_FIT_FUNCTIONS_AXIS_H

#include "fit/functions/term_set.h"

#define FT_GRID_COUNT   40U
#define FT_GRID_REACH   4.0 /* the target is not known when a model is fitted */
#define FT_LINE_POINTS  12U
#define FT_TRAINING_MAX 64U

/* For several parameters: points along which one of them grows, from its smallest training value to
 * FT_GRID_REACH times the largest, with the others at one end of theirs. */
struct ft_axis_line {
    double positions[FT_LINE_POINTS]; /* values of that parameter */
    struct ft_point points[FT_LINE_POINTS];
    double terms[FT_LINE_POINTS][FT_BASIS_MAX]; /* scaled */
};

struct ft_axis {
    struct ft_basis basis;
    bool chosen;      /* the basis, by a user: nothing is known of its terms' use */
    uint32_t aligned; /* terms with alignments, of a basis that was not chosen: taken where nothing
                         without them fits; and with quotients, of exact functions alone */
    size_t count;
    size_t distinct[FT_PARAMETERS_MAX]; /* values of each parameter */
    double smallest[FT_PARAMETERS_MAX], largest[FT_PARAMETERS_MAX];
    double *n;                     /* [count], ascending; the first parameter's */
    double *bases;                 /* [count]: of these, what powers are of */
    struct ft_point *points;       /* [count] */
    struct ft_point beyond;        /* FT_GRID_REACH times the largest value of each parameter */
    double scales[FT_BASIS_MAX];   /* 1 / term at the largest values */
    double (*terms)[FT_BASIS_MAX]; /* [count]: scaled */
    double grid[FT_GRID_COUNT];    /* sizes; of one parameter */
    /* Where an inner one lies between its neighbours: 0 to 1. */
    double grid_shares[FT_GRID_COUNT];
    double grid_terms[FT_BASIS_MAX][FT_GRID_COUNT]; /* scaled */
    uint32_t convex; /* terms that are convex and rise all along the grid, and are >= 0 */
    struct ft_axis_line *lines; /* of several parameters */
    size_t line_count;
    struct ft_term_set *sets; /* all that are tried, the fewest terms first */
    size_t set_count;
    size_t saturated_count; /* of several parameters: further sets, after these, that have as many
                               factors of a parameter as it has values (cross_terms.h) */
    struct ft_term_set powers; /* all terms that exact fits know (exact.h): whole powers */
    uint32_t whole; /* these, and terms with logarithms where sizes double: integers at all training
                       sizes */
};

/* values: [count][parameters]. basis NULL: the default one, of a parameter without a name. */
int ft_axis_init(struct ft_axis *axis, const struct ft_basis *basis, const double *values,
                 size_t count, struct ft_diag *diag);
/* The same terms without some of the training sizes: bit k is size k. */
int ft_axis_leave_out(const struct ft_axis *axis, uint64_t sizes, struct ft_axis *ret_axis,
                      struct ft_diag *diag);
void ft_axis_fini(struct ft_axis *axis);

/* For one parameter, between sizes: with alignments at their means, so that functions are
 * smooth. */
struct ft_point ft_axis_point(const struct ft_axis *axis, double n);
/* The number of distinct values of a parameter, over rows of that width. */
size_t ft_axis_distinct(const double *values, size_t count, size_t width, size_t parameter);

#endif
