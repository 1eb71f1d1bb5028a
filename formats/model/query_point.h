/*
 * The size that a model is asked about, as a user gives it: values of the model's own parameters;
 * or, of a model over parameters, the size of the data, FT_DATA_SIZE, which it has at one value of
 * its first parameter; or, of a model over the size of the data, values of what its traces
 * recorded, as far as they told how the data grow with it.
 *
 * Plain values; the model must outlive them. Thread safe.
 */
#ifndef FT_FORMATS_MODEL_QUERY_POINT_H
#define FT_FORMATS_MODEL_QUERY_POINT_H

#include "formats/model/model.h"

/* As given; 0: not. */
struct ft_query_values {
    double values[FT_PARAMETERS_MAX]; /* of the model's parameters */
    double others[FT_PARAMETERS_MAX]; /* of what it can be asked at instead */
};

/* The name of what else the model can be asked at; NULL where there is nothing more. */
const char *ft_query_point_other(const struct ft_model *model, size_t other);
bool ft_query_point_has_other(const struct ft_query_values *asked);

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
/* The value that it stands for as a replica of the model knows it: what this differs by, nobody
 * knows. */
double ft_query_point_by_replica(const struct ft_model *model, size_t replica,
                                 const struct ft_query_point *size);

/* "N = 96 is where the data are s = 2 MiB" or "s = 2 MiB is what the data are at N = 96"; empty
 * where the model's own parameter was given. */
#define FT_QUERY_POINT_TEXT 512
char *ft_query_point_text(char text[FT_QUERY_POINT_TEXT], const struct ft_model *model,
                          const struct ft_query_point *size);

#endif
