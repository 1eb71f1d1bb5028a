#include "formats/cli/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *ft_json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value)
        return value;
    char *copy = strdup(text);
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = copy ? json_string(copy) : NULL;
    free(copy);
    return value;
}

json_t *ft_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void ft_json_append(json_t **array, json_t *item)
{
    if (!*array) {
        json_decref(item);
    } else if (!item || json_array_append_new(*array, item) != 0) {
        json_decref(*array);
        *array = NULL;
    }
}

json_t *ft_json_merge(json_t *into, json_t *from)
{
    if (!into || !from || json_object_update(into, from) != 0) {
        json_decref(into);
        into = NULL;
    }
    json_decref(from);
    return into;
}

static int write_value(json_t *value, size_t flags, FILE *stream, struct ft_diag *diag)
{
    if (!value)
        return ft_fail_memory(diag, "the JSON text");
    int failed = json_dumpf(value, stream, flags | JSON_REAL_PRECISION(15));
    json_decref(value);
    if (failed || fputc('\n', stream) == EOF)
        return ft_fail(diag, FT_ERROR_IO, "cannot write the JSON output: %s",
                       errno ? strerror(errno) : "unknown error");
    return FT_OK;
}

int ft_json_write(json_t *value, FILE *stream, struct ft_diag *diag)
{
    return write_value(value, JSON_INDENT(2), stream, diag);
}

int ft_json_write_line(json_t *value, FILE *stream, struct ft_diag *diag)
{
    return write_value(value, JSON_COMPACT, stream, diag);
}
