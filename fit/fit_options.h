/*
 * What a fit is asked to do: over which parameters, by which method, with which terms. Constant.
 */
#ifndef FT_FIT_FIT_OPTIONS_H
#define FT_FIT_FIT_OPTIONS_H

#include "fit/methods/method.h"

struct ft_fit_options {
    const char *parameter; /* names, with commas between; NULL: all that vary */
    bool over_data_size;   /* the size of the data in place of a parameter, FT_DATA_SIZE */
    const struct ft_fit_method *method; /* NULL: the default */
    bool whole;                         /* one histogram for the program, none of its groups */
    const char *name;                   /* of the model; NULL: the program's */
    uint32_t shape;                     /* of functions, as ft_shape_read gives it; 0: none */
    const char *basis; /* terms as ft_basis_read takes them; NULL: the default ones */
    int threads;       /* 0: as OpenMP decides */
    /* Runs that counted without addresses (counted_sizes.h), and their files. */
    const struct ft_histograms *counted;
    const char *const *counted_paths;
    size_t counted_count;
};

#endif
