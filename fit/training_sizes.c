/*
 * Which parameters vary over the traces; whether there are enough sizes, and enough different ones,
 * for a model over them (are_independent: no combination of 1, a, b and a b is constant); the
 * traces in order of their sizes.
 */
#include "fit/training_sizes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_TERMS  4     /* 1, a, b, a b */
#define INDEPENDENT 1e-14 /* of the square of a column: what others must leave of it */

/* Whether two entries that have it differ. */
static bool varies(const struct ft_histograms *entries, size_t count, const char *name)
{
    const struct ft_parameter *first = NULL;
    for (size_t e = 0; e < count; e++) {
        const struct ft_parameter *other = ft_metadata_parameter(&entries[e].metadata, name);
        if (first && other && other->value != first->value)
            return true;
        first = first ? first : other;
    }
    return false;
}

/* A parameter of any entry, each name once: NULL after the last. */
static const char *nth_name(const struct ft_histograms *entries, size_t count, size_t n)
{
    for (size_t e = 0; e < count; e++)
        for (size_t i = 0; i < entries[e].metadata.parameter_count; i++) {
            const char *name = entries[e].metadata.parameters[i].name;
            bool known = false;
            for (size_t before = 0; before < e && !known; before++)
                known = ft_metadata_parameter(&entries[before].metadata, name) != NULL;
            if (!known && n-- == 0)
                return name;
        }
    return NULL;
}

/* "N, ROWS": the names that vary, or all. Gives how many there are. */
static size_t list_names(const struct ft_histograms *entries, size_t count, bool all, char *text,
                         size_t room)
{
    const char *name;
    size_t found = 0;
    text[0] = 0;
    for (size_t n = 0; (name = nth_name(entries, count, n)); n++)
        if (all || varies(entries, count, name)) {
            size_t length = strlen(text);
            snprintf(text + length, room - length, "%s%s", found++ > 0 ? ", " : "", name);
        }
    return found;
}

int ft_training_refuse_few(size_t count, size_t sizes_min, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_USAGE,
                   "%zu trace%s: a model needs traces of at least %zu sizes, better 5; "
                   "'foretrace plan' proposes which",
                   count, count == 1 ? "" : "s", sizes_min);
}

static bool is_recorded(const struct ft_histograms *entries, size_t count, const char *name)
{
    for (size_t e = 0; e < count; e++)
        if (ft_metadata_parameter(&entries[e].metadata, name))
            return true;
    return false;
}

/* The names that were asked for, or else all that vary. */
static int choose_names(const struct ft_histograms *entries, size_t count, const char *const *asked,
                        size_t asked_count, const char **ret_names, size_t *ret_count,
                        struct ft_diag *diag)
{
    char names[512], all[512];
    const char *name = NULL;
    *ret_count = 0;
    list_names(entries, count, true, all, sizeof all);
    if (asked_count > FT_PARAMETERS_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "%zu parameters: a model runs over at most %u",
                       asked_count, FT_PARAMETERS_MAX);
    for (size_t i = 0; i < asked_count; i++) {
        if (!is_recorded(entries, count, asked[i]))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "no trace recorded a parameter '%s' (recorded: %s): pass -D "
                           "%s=VALUE to capture",
                           asked[i], all, asked[i]);
        ret_names[(*ret_count)++] = asked[i];
    }
    size_t varying = list_names(entries, count, false, names, sizeof names);
    if (asked_count == 0 && varying > FT_PARAMETERS_MAX)
        return ft_fail(
            diag, FT_ERROR_USAGE,
            "%zu parameters vary (%s), but a model runs over at most %u: use traces in which "
            "no others vary",
            varying, names, FT_PARAMETERS_MAX);
    for (size_t n = 0; asked_count == 0 && (name = nth_name(entries, count, n)); n++)
        if (varies(entries, count, name))
            ret_names[(*ret_count)++] = name;
    for (size_t n = 0; asked_count > 0 && (name = nth_name(entries, count, n)); n++) {
        bool chosen = !varies(entries, count, name);
        for (size_t i = 0; i < asked_count; i++)
            chosen = chosen || strcmp(asked[i], name) == 0;
        if (!chosen)
            return ft_fail(diag, FT_ERROR_USAGE,
                           "several parameters vary (%s), but %s is not one of the model's: "
                           "name it too, or use traces in which it is the same",
                           names, name);
    }
    return FT_OK;
}

/* Traces that a model over so many parameters needs: each parameter, any two of them together, and
 * one to spare. */
static size_t several_sizes_min(size_t parameters)
{
    return parameters * (parameters + 1) / 2 + 2;
}

int ft_training_parameters(const struct ft_histograms *entries, size_t count, size_t sizes_min,
                           const char *const *asked, size_t asked_count, const char **ret_names,
                           size_t *ret_count, struct ft_diag *diag)
{
    char all[512];
    if (list_names(entries, count, true, all, sizeof all) == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "no trace recorded a parameter: pass -D NAME=VALUE to capture, with "
                       "the problem size as the value");
    int status = choose_names(entries, count, asked, asked_count, ret_names, ret_count, diag);
    if (status)
        return status;
    if (count < sizes_min)
        return ft_training_refuse_few(count, sizes_min, diag);
    if (*ret_count == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s is the same in all traces: capture the program at several sizes, each "
                       "with its own -D NAME=VALUE",
                       all);
    if (*ret_count > 1 && count < several_sizes_min(*ret_count))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%zu traces: a model over %zu parameters (%s) needs at least %zu, "
                       "ideally all combinations of a few values of each",
                       count, *ret_count, all, several_sizes_min(*ret_count));
    return FT_OK;
}

static int refuse_unsized(const struct ft_histograms *entry, const char *parameter,
                          struct ft_diag *diag)
{
    char *command = ft_metadata_command(&entry->metadata);
    int status = ft_fail(diag, FT_ERROR_USAGE,
                         "the trace of '%.250s' (content hash %s) did not record %s: capture "
                         "it with -D %s=VALUE, or leave it out",
                         command ? command : "", entry->trace_hash, parameter, parameter);
    free(command);
    return status;
}

double ft_training_data_bytes(const struct ft_histograms *entry)
{
    return (double)(entry->distinct_blocks[0] * entry->block_bytes[0]);
}

static int find_value(const struct ft_histograms *entry, const char *parameter, double *ret_value,
                      struct ft_diag *diag)
{
    if (!parameter) {
        *ret_value = ft_training_data_bytes(entry);
    } else {
        const struct ft_parameter *found = ft_metadata_parameter(&entry->metadata, parameter);
        if (!found)
            return refuse_unsized(entry, parameter, diag);
        *ret_value = found->value;
    }
    if (!(*ret_value > 0))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s = %.15g in trace %s: a model's parameters must be above 0",
                       parameter ? parameter : FT_DATA_SIZE, *ret_value, entry->trace_hash);
    return FT_OK;
}

int ft_training_compare(const double *a, const double *b, size_t width)
{
    for (size_t i = 0; i < width; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

int ft_training_values(const struct ft_histograms *entry, const char *const *parameters,
                       size_t width, double *ret_values, struct ft_diag *diag)
{
    for (size_t i = 0; i < width; i++)
        FT_TRY(find_value(entry, parameters ? parameters[i] : NULL, &ret_values[i], diag));
    return FT_OK;
}

/* Puts an entry in its place among those sorted so far. */
static int sort_in(const struct ft_histograms *entry, const char *const *parameters, size_t width,
                   size_t sorted_count, const struct ft_histograms **sorted, double *values,
                   struct ft_diag *diag)
{
    double entry_values[FT_PARAMETERS_MAX];
    FT_TRY(ft_training_values(entry, parameters, width, entry_values, diag));
    size_t at = sorted_count;
    for (; at > 0 && ft_training_compare(values + (at - 1) * width, entry_values, width) > 0;
         at--) {
        memcpy(values + at * width, values + (at - 1) * width, width * sizeof *values);
        sorted[at] = sorted[at - 1];
    }
    memcpy(values + at * width, entry_values, width * sizeof *values);
    sorted[at] = entry;
    return FT_OK;
}

char *ft_training_values_text(char *text, size_t room, const char *const *parameters, size_t width,
                              const double *values)
{
    text[0] = 0;
    for (size_t i = 0; i < width; i++) {
        size_t length = strlen(text);
        snprintf(text + length, room - length, "%s%s = %.15g", i > 0 ? ", " : "",
                 parameters ? parameters[i] : FT_DATA_SIZE, values[i]);
    }
    return text;
}

/* Whether the entry can be in one model with those before it. */
static int check_entry(const struct ft_histograms *const *sorted, const double *values,
                       size_t index, const char *const *parameters, size_t width,
                       struct ft_diag *diag)
{
    const struct ft_histograms *first = sorted[0], *before = sorted[index - 1];
    const struct ft_histograms *entry = sorted[index];
    char text[256];
    ft_training_values_text(text, sizeof text, parameters, width, values + index * width);
    if (ft_training_compare(values + index * width, values + (index - 1) * width, width) == 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "two traces have %s (content hashes %s and %s%s): pass only one of "
                       "them",
                       text, before->trace_hash, entry->trace_hash,
                       strcmp(before->trace_hash, entry->trace_hash) == 0 ? ", the same trace"
                                                                          : "");
    if (entry->size_count != first->size_count ||
        memcmp(entry->block_bytes, first->block_bytes,
               first->size_count * sizeof *first->block_bytes) != 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s and the smallest size were replayed with different block sizes: replay "
                       "all with the same -b",
                       text);
    return FT_OK;
}

int ft_training_order(const struct ft_histograms *entries, size_t count,
                      const char *const *parameters, size_t width,
                      const struct ft_histograms **ret_sorted, double *ret_values,
                      struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t e = 0; !status && e < count; e++)
        status = sort_in(&entries[e], parameters, width, e, ret_sorted, ret_values, diag);
    for (size_t e = 1; !status && e < count; e++)
        status = check_entry(ret_sorted, ret_values, e, parameters, width, diag);
    return status;
}

/* Whether terms are independent over the rows: Gram-Schmidt on columns of length 1. */
static bool are_independent(double columns[][PAIR_TERMS], size_t rows, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        double length = 0, left = 0;
        for (size_t i = 0; i < rows; i++)
            length += columns[i][j] * columns[i][j];
        for (size_t k = 0; k < j; k++) {
            double part = 0;
            for (size_t i = 0; i < rows; i++)
                part += columns[i][k] * columns[i][j];
            for (size_t i = 0; i < rows; i++)
                columns[i][j] -= part * columns[i][k];
        }
        for (size_t i = 0; i < rows; i++)
            left += columns[i][j] * columns[i][j];
        if (!(left > INDEPENDENT * length))
            return false;
        for (size_t i = 0; i < rows; i++)
            columns[i][j] /= sqrt(left);
    }
    return true;
}

/* Parameters a and b, and with `together` their product. */
static bool are_told_apart(const double *values, size_t count, size_t width, size_t a, size_t b,
                           bool together, double columns[][PAIR_TERMS])
{
    for (size_t i = 0; i < count; i++) {
        columns[i][0] = 1;
        columns[i][1] = values[i * width + a];
        columns[i][2] = values[i * width + b];
        columns[i][3] = columns[i][1] * columns[i][2];
    }
    return are_independent(columns, count, together ? 4 : 3);
}

int ft_training_check_identifiable(const double *values, size_t count, const char *const *names,
                                   size_t width, struct ft_diag *diag)
{
    double(*columns)[PAIR_TERMS] = calloc(count, sizeof *columns);
    int status = columns ? FT_OK : ft_fail_memory(diag, "the training sizes");
    for (size_t a = 0; a < width; a++)
        for (size_t b = a + 1; !status && b < width; b++) {
            if (!are_told_apart(values, count, width, a, b, false, columns))
                status = ft_fail(diag, FT_ERROR_USAGE,
                                 "%s and %s grow together in all traces: capture some in "
                                 "which one grows and the other does not, or use traces in "
                                 "which one is the same",
                                 names[a], names[b]);
            else if (!are_told_apart(values, count, width, a, b, true, columns))
                status = ft_fail(diag, FT_ERROR_USAGE,
                                 "no trace has both %s and %s above their smallest values, "
                                 "so their joint effect is unknown: capture all combinations "
                                 "of a few values of each",
                                 names[a], names[b]);
        }
    free(columns);
    return status;
}
