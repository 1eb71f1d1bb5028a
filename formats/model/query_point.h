/*
 * The point at which a user evaluates a model (--at): values of its parameters; or, for a model
 * over parameters, the data size, FT_DATA_SIZE, which it reaches at one value of its first
 * parameter; or, for a model over the data size, values of the parameters that its traces recorded,
 * if they revealed how the data grow with them.
 *
 * Plain values; the model must outlive them. Thread safe.
 */
#ifndef FT_FORMATS_MODEL_QUERY_POINT_H
#define FT_FORMATS_MODEL_QUERY_POINT_H

#include "formats/model/model.h"

/* As given; 0: not. */
struct ft_query_values {
    double values[FT_PARAMETERS_MAX]; /* of the model's parameters */
    double others[FT_PARAMETERS_MAX]; /* of the alternatives to them */
};

/* The name of an alternative to the parameters; NULL after the last. */
const char *ft_query_point_other(const struct ft_model *model, size_t other);
bool ft_query_point_has_other(const struct ft_query_values *asked);

/* The first parameter without a value that is needed; NULL where there is none. */
const char *ft_query_point_missing(const struct ft_model *model,
                                   const struct ft_query_values *asked);

/* Adds "N=64,M=10", or one part of it, or "s=4M". FT_ERROR_USAGE where a name is unknown or a value
 * is not above 0. */
int ft_query_point_read(const struct ft_model *model, const char *text,
                        struct ft_query_values *asked, struct ft_diag *diag);

/* What was asked, and the value of the first parameter that it stands for. */
struct ft_query_point {
    double value;
    struct ft_query_values asked;
    double data_bytes; /* the data that are expected there, where they were asked for */
};
/* Of a model over one parameter, or one that was restricted to it. FT_ERROR_USAGE where the data
 * have that size nowhere, or do not grow all the way to it. */
int ft_query_point_resolve(const struct ft_model *model, const struct ft_query_values *asked,
                           struct ft_query_point *ret_size, struct ft_diag *diag);
/* The value that it stands for according to a replica of the model: the spread of these values is
 * the uncertainty of the point. */
double ft_query_point_by_replica(const struct ft_model *model, size_t replica,
                                 const struct ft_query_point *size);

/* "N = 96 is where the data are s = 2 MiB" or "s = 2 MiB is what the data are at N = 96"; empty
 * where the model's own parameter was given. */
#define FT_QUERY_POINT_TEXT 512
char *ft_query_point_text(char text[FT_QUERY_POINT_TEXT], const struct ft_model *model,
                          const struct ft_query_point *size);

#endif
