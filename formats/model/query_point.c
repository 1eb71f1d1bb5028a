/*
 * The size of the data at a value of the parameter is the model's distinct blocks of its smallest
 * block size. From a data size to the value: small steps from the smallest training size, up or
 * down as long as the data grow, until they pass that size; then bisection. If training sizes are
 * integers, the nearest integer is taken.
 */
#include "formats/model/query_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/number_text.h"
#include "formats/base/parse.h"
#include "formats/model/model_values.h"

#define STEP      1.01
#define REACH     1000.0 /* times the largest training size, or below the smallest */
#define VALUE_MIN 1.0    /* value: there are no data below */
#define FINEST    1e-12  /* relative */
#define NOTHING   1e-9   /* relative: a smaller growth is rounding */

/* ---- what was asked ---- */

const char *ft_query_point_other(const struct ft_model *model, size_t other)
{
    if (!model->over_data_size)
        return other == 0 ? FT_DATA_SIZE : NULL;
    return other < model->growth.basis.parameter_count ? model->growth.names[other] : NULL;
}

bool ft_query_point_has_other(const struct ft_query_values *asked)
{
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++)
        if (asked->others[i] != 0)
            return true;
    return false;
}

/* Which of the names it is; FT_PARAMETERS_MAX where it is none. */
static size_t find_other(const struct ft_model *model, const char *name, size_t length)
{
    size_t i = 0;
    const char *other;
    while (i < FT_PARAMETERS_MAX && (other = ft_query_point_other(model, i)) &&
           (strlen(other) != length || memcmp(other, name, length) != 0))
        i++;
    return i < FT_PARAMETERS_MAX && ft_query_point_other(model, i) ? i : FT_PARAMETERS_MAX;
}

static bool has_any(const struct ft_query_values *asked)
{
    bool any = ft_query_point_has_other(asked);
    for (size_t i = 0; i < FT_PARAMETERS_MAX; i++)
        any |= asked->values[i] != 0;
    return any;
}

/* "N=64", or of what else it can be asked at. */
static int read_part(const struct ft_model *model, const char *part, void *context,
                     struct ft_diag *diag)
{
    struct ft_query_values *asked = context;
    size_t length;
    const char *number = ft_split_assignment(part, &length);
    const size_t other = number ? find_other(model, part, length) : FT_PARAMETERS_MAX;
    const size_t width = model->basis.parameter_count;
    const size_t parameter = number ? ft_model_find_parameter(model, part, length) : width;
    const bool is_parameter = parameter < width;
    double second;
    if (!number && ft_parse_double(part, &second) && has_any(asked))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s: a second size, where one is asked about; 'foretrace predict' takes "
                       "several",
                       part);
    if ((is_parameter && asked->values[parameter] != 0) ||
        (!is_parameter && other < FT_PARAMETERS_MAX && asked->others[other] != 0))
        return ft_fail(diag, FT_ERROR_USAGE, "%s: %.*s has a value already", part, (int)length,
                       part);
    if (!is_parameter && other < FT_PARAMETERS_MAX)
        return ft_model_read_size(number, !model->over_data_size, part, &asked->others[other],
                                  diag);
    struct ft_diag inner = {0};
    int status = ft_model_read_value(model, part, asked->values, &inner);
    if (status == FT_OK)
        return FT_OK;
    const char *also = ft_query_point_other(model, 0);
    if (is_parameter || !also)
        return ft_fail(diag, status, "%s", inner.message);
    return ft_fail(diag, status, "%s, or %s=%s", inner.message, also,
                   model->over_data_size ? "VALUE" : "BYTES");
}

int ft_query_point_read(const struct ft_model *model, const char *text,
                        struct ft_query_values *asked, struct ft_diag *diag)
{
    return ft_model_read_parts(model, text, read_part, asked, diag);
}

/* ---- from a size of the data to a value ---- */

static double bytes_at(const struct ft_model *model, double n)
{
    const struct ft_point at = ft_smooth_point_at(&model->basis, &n);
    return ft_function_at(&model->distinct_blocks[0], &at) * (double)model->block_bytes[0];
}

/* Halves between two values whose data are smaller and larger than what is sought. */
static double halve(const struct ft_model *model, double bytes, double low, double high)
{
    while (high - low > FINEST * high) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (bytes_at(model, middle) < bytes)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static bool falls(const struct ft_model *model, double from, double to)
{
    return bytes_at(model, to) < bytes_at(model, from) * (1 - NOTHING);
}

static bool grows(const struct ft_model *model, double from, double to)
{
    return bytes_at(model, to) > bytes_at(model, from) * (1 + NOTHING);
}

/* Whether they fall somewhere between the training sizes; gives where they begin to. */
static bool falls_inside(const struct ft_model *model, double *ret_where)
{
    const double largest = model->training[model->training_count - 1];
    double n = model->training[0], next;
    while (n < largest && !falls(model, n, next = fmin(n * STEP, largest)))
        n = next;
    *ret_where = n;
    return n < largest;
}

/* Walks up from the smallest training size; false where they end growing too early, at *ret_n. */
static bool search_up(const struct ft_model *model, double bytes, double *ret_n)
{
    const double largest = model->training[model->training_count - 1];
    double low = model->training[0], high = low;
    while (bytes_at(model, high) < bytes) {
        double next = fmin(high * STEP, REACH * largest);
        if (next <= high || (next > largest && !grows(model, high, next))) {
            *ret_n = high;
            return false;
        }
        low = high;
        high = next;
    }
    *ret_n = halve(model, bytes, low, high);
    return true;
}

/* The same down. */
static bool search_down(const struct ft_model *model, double bytes, double *ret_n)
{
    const double smallest = model->training[0];
    double low = smallest, high = low;
    while (bytes_at(model, low) > bytes) {
        double next = fmax(low / STEP, fmax(smallest / REACH, VALUE_MIN));
        if (next >= low || !grows(model, next, low)) {
            *ret_n = low;
            return false;
        }
        high = low;
        low = next;
    }
    *ret_n = halve(model, bytes, low, high);
    return true;
}

static bool is_whole(const struct ft_model *model)
{
    for (size_t i = 0; i < model->training_count; i++)
        if (model->training[i] != rint(model->training[i]))
            return false;
    return true;
}

/* Of the integers around it, the one whose data are nearest. */
static double nearest_whole(const struct ft_model *model, double bytes, double n)
{
    double below = fmax(floor(n), 1), above = ceil(n);
    return fabs(bytes_at(model, below) - bytes) < fabs(bytes_at(model, above) - bytes) ? below
                                                                                       : above;
}

static int find_data(const struct ft_model *model, double bytes, double *ret_value,
                     struct ft_diag *diag)
{
    const bool whole = is_whole(model), up = bytes_at(model, model->training[0]) < bytes;
    char asked[FT_NUMBER_TEXT], there[FT_NUMBER_TEXT];
    double n;
    ft_text_bytes(asked, bytes);
    if (falls_inside(model, &n))
        return ft_fail(diag, FT_ERROR_USAGE,
                       FT_DATA_SIZE "=%s: the model's data do not only grow with %s: from %s = "
                                    "%.15g on they fall. Ask at %s=VALUE",
                       asked, model->parameter, model->parameter, whole ? rint(n) : n,
                       model->parameter);
    if (up ? search_up(model, bytes, &n) : search_down(model, bytes, &n)) {
        *ret_value = whole ? nearest_whole(model, bytes, n) : n;
        return FT_OK;
    }
    n = whole ? rint(n) : n;
    return ft_fail(diag, FT_ERROR_USAGE,
                   FT_DATA_SIZE "=%s: the model knows no data %s than %s, at %s = %.15g", asked,
                   up ? "larger" : "smaller", ft_text_bytes(there, bytes_at(model, n)),
                   model->parameter, n);
}

/* ---- from values to a size of the data ---- */

static int find_grown(const struct ft_model *model, const double *values, double *ret_bytes,
                      struct ft_diag *diag)
{
    const struct ft_data_growth *growth = &model->growth;
    for (size_t i = 0; i < growth->basis.parameter_count; i++)
        if (values[i] == 0)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "the data grow with %zu parameters: %s=VALUE is needed, too",
                           growth->basis.parameter_count, growth->names[i]);
    const struct ft_point at = ft_point_at(&growth->basis, values);
    *ret_bytes = ft_function_at(&growth->bytes[0], &at);
    return *ret_bytes >= 1
               ? FT_OK
               : ft_fail(diag, FT_ERROR_USAGE, "%s=%.15g: there the model expects no data at all",
                         growth->names[0], values[0]);
}

const char *ft_query_point_missing(const struct ft_model *model,
                                   const struct ft_query_values *asked)
{
    for (size_t i = ft_query_point_has_other(asked) ? 1 : 0; i < model->basis.parameter_count; i++)
        if (asked->values[i] == 0)
            return model->basis.parameters[i];
    return NULL;
}

int ft_query_point_resolve(const struct ft_model *model, const struct ft_query_values *asked,
                           struct ft_query_point *ret_size, struct ft_diag *diag)
{
    struct ft_query_point size = {.value = asked->values[0], .asked = *asked};
    int status = FT_OK;
    if (ft_query_point_has_other(asked)) {
        if (asked->values[0] != 0)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "%s and %s exclude each other: one follows from the other",
                           model->parameter, ft_query_point_other(model, asked->others[0] == 0));
        status = model->over_data_size ? find_grown(model, asked->others, &size.value, diag)
                                       : find_data(model, asked->others[0], &size.value, diag);
        if (status == FT_OK)
            size.data_bytes = model->over_data_size ? size.value : bytes_at(model, size.value);
    }
    if (status == FT_OK)
        *ret_size = size;
    return status;
}

double ft_query_point_by_replica(const struct ft_model *model, size_t replica,
                                 const struct ft_query_point *size)
{
    const struct ft_data_growth *growth = &model->growth;
    double value = size->value;
    if (!ft_query_point_has_other(&size->asked))
        return value;
    if (!model->over_data_size)
        return find_data(&model->replicas[replica], size->asked.others[0], &value, NULL) == FT_OK
                   ? value
                   : size->value;
    if (replica < growth->replica_count) {
        const struct ft_point at = ft_point_at(&growth->basis, size->asked.others);
        value = ft_function_at(&growth->bytes[1 + replica], &at);
    }
    return fmax(value, 1);
}

/* ---- as text ---- */

char *ft_query_point_text(char text[FT_QUERY_POINT_TEXT], const struct ft_model *model,
                          const struct ft_query_point *size)
{
    const struct ft_data_growth *growth = &model->growth;
    char bytes[FT_NUMBER_TEXT], there[FT_NUMBER_TEXT];
    text[0] = 0;
    if (!ft_query_point_has_other(&size->asked))
        return text;
    if (!model->over_data_size) {
        snprintf(text, FT_QUERY_POINT_TEXT,
                 "%s = %.15g is where the data are nearest to " FT_DATA_SIZE " = %s: %s",
                 model->parameter, size->value, ft_text_bytes(bytes, size->asked.others[0]),
                 ft_text_bytes(there, size->data_bytes));
        return text;
    }
    snprintf(text, FT_QUERY_POINT_TEXT, FT_DATA_SIZE " = %s is what the data are expected to be at",
             ft_text_bytes(bytes, size->value));
    for (size_t i = 0; i < growth->basis.parameter_count; i++) {
        const double value = size->asked.others[i];
        const bool inside = value >= growth->least[i] && value <= growth->largest[i];
        size_t length = strlen(text);
        snprintf(text + length, FT_QUERY_POINT_TEXT - length,
                 "%s %s = %.15g, trained from %.15g to %.15g%s", i > 0 ? " and" : "",
                 growth->names[i], value, growth->least[i], growth->largest[i],
                 inside ? "" : ", so an extrapolation");
    }
    return text;
}
