#include "predict/measured/text_fields.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

void ft_measured_lines_fini(struct ft_measured_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->items[i]);
    free((void *)lines->items);
}

static int add_line(struct ft_measured_lines *lines, const char *line, struct ft_diag *diag)
{
    if (!FT_RESERVE(lines->items, lines->capacity, lines->count + 1) ||
        !(lines->items[lines->count] = strndup(line, strcspn(line, "\r\n"))))
        return ft_fail_memory(diag, lines->path);
    lines->count++;
    return FT_OK;
}

int ft_measured_lines_read(const char *path, struct ft_measured_lines *ret_lines,
                           struct ft_diag *diag)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t bytes = 0;
    int status = file ? FT_OK : ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    struct ft_measured_lines lines = {.path = path};
    while (status == FT_OK && getline(&line, &bytes, file) >= 0)
        status = add_line(&lines, line, diag);
    if (status == FT_OK && ferror(file))
        status = ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    free(line);
    if (file)
        (void)fclose(file);
    if (status == FT_OK)
        *ret_lines = lines;
    else
        ft_measured_lines_fini(&lines);
    return status;
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]))
        text[--length] = 0;
    return text;
}

/* Undoes the quotes of a field that begins with one, in place; gives what follows it. */
static char *unquote(char *field)
{
    char *to = field;
    const char *from = field + 1;
    while (*from && (from[0] != '"' || from[1] == '"')) {
        from += from[0] == '"';
        *to++ = *from++;
    }
    char *rest = field + (from - field) + (*from == '"');
    *to = 0;
    return rest;
}

int ft_measured_fields_cut(const char *line, char separator, size_t fields_max,
                           struct ft_measured_fields *ret_fields, struct ft_diag *diag)
{
    struct ft_measured_fields fields = {.text = strdup(line)};
    if (!fields.text)
        return ft_fail_memory(diag, "a line");
    for (char *at = fields.text; at && fields.count < FT_MEASURED_FIELDS_MAX;) {
        char *field = at, *end = *at == '"' ? unquote(at) : at;
        const bool is_last = fields.count + 1 >= fields_max;
        at = is_last ? NULL : strchr(end, separator);
        if (at)
            *at++ = 0;
        fields.items[fields.count++] = trim(field);
    }
    *ret_fields = fields;
    return FT_OK;
}

void ft_measured_fields_fini(struct ft_measured_fields *fields)
{
    free(fields->text);
    *fields = (struct ft_measured_fields){0};
}
