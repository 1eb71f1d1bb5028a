/*
 * Every cell has two texts, one to be shown and one for CSV, so that writing is only padding. All
 * texts are in one array of characters; cells hold positions in it.
 */
#include "formats/cli/table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/cli/json.h"

struct column {
    size_t title, key; /* positions in characters */
    bool right;
};

struct cell {
    size_t text, csv;
    bool is_number;
    double number;
};

struct ft_table {
    struct column *columns;
    size_t column_count, column_capacity;
    struct cell *cells; /* row by row */
    size_t cell_count, cell_capacity;
    char *characters;
    size_t character_count, character_capacity;
    bool failed;
};

struct ft_table *ft_table_create(void)
{
    return calloc(1, sizeof(struct ft_table));
}

void ft_table_destroy(struct ft_table *table)
{
    if (!table)
        return;
    free(table->columns);
    free(table->cells);
    free(table->characters);
    free(table);
}

static size_t keep(struct ft_table *table, const char *text)
{
    size_t bytes = strlen(text) + 1;
    size_t position = table->character_count;
    if (!FT_RESERVE(table->characters, table->character_capacity, position + bytes)) {
        table->failed = true;
        return 0;
    }
    memcpy(table->characters + position, text, bytes);
    table->character_count += bytes;
    return position;
}

void ft_table_column(struct ft_table *table, const char *title, const char *key, bool right)
{
    if (!FT_RESERVE(table->columns, table->column_capacity, table->column_count + 1)) {
        table->failed = true;
        return;
    }
    struct column column = {keep(table, title), keep(table, key), right};
    table->columns[table->column_count++] = column;
}

static void add(struct ft_table *table, const char *text, const char *csv, const double *number)
{
    if (!FT_RESERVE(table->cells, table->cell_capacity, table->cell_count + 1)) {
        table->failed = true;
        return;
    }
    size_t position = keep(table, text);
    table->cells[table->cell_count++] =
        (struct cell){position, strcmp(text, csv) == 0 ? position : keep(table, csv),
                      number != NULL, number ? *number : 0};
}

void ft_table_text(struct ft_table *table, const char *text)
{
    add(table, text, text, NULL);
}

void ft_table_format(struct ft_table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        table->failed = true;
        return;
    }
    add(table, text, text, NULL);
    free(text);
}

void ft_table_labelled(struct ft_table *table, const char *text, double value)
{
    char csv[FT_NUMBER_TEXT];
    snprintf(csv, sizeof csv, "%.15g", value);
    add(table, text, csv, &value);
}

void ft_table_count(struct ft_table *table, double value)
{
    char text[FT_NUMBER_TEXT];
    ft_table_labelled(table, ft_text_count(text, value), value);
}

void ft_table_share(struct ft_table *table, double share)
{
    char text[FT_NUMBER_TEXT];
    ft_table_labelled(table, ft_text_share(text, share), share);
}

void ft_table_percent(struct ft_table *table, double ratio)
{
    char text[FT_NUMBER_TEXT];
    ft_table_labelled(table, ft_text_percent(text, ratio), ratio);
}

void ft_table_bytes(struct ft_table *table, double bytes)
{
    char text[FT_NUMBER_TEXT];
    ft_table_labelled(table, ft_text_bytes(text, bytes), bytes);
}

void ft_table_seconds(struct ft_table *table, double seconds)
{
    char text[FT_NUMBER_TEXT];
    ft_table_labelled(table, ft_text_seconds(text, seconds), seconds);
}

void ft_table_empty(struct ft_table *table)
{
    add(table, "-", "", NULL);
}

/* Columns that a UTF-8 text takes on a terminal: its characters. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void write_padded(FILE *stream, const char *text, size_t width, bool right, bool last)
{
    size_t padding = width - width_of(text);
    fprintf(stream, "%*s%s%*s%s", right ? (int)padding : 0, "", text,
            right || last ? 0 : (int)padding, "", last ? "\n" : "  ");
}

static void write_people(const struct ft_table *table, const size_t *widths, FILE *stream)
{
    size_t count = table->column_count;
    for (size_t i = 0; i < count; i++)
        write_padded(stream, table->characters + table->columns[i].title, widths[i],
                     table->columns[i].right, i + 1 == count);
    for (size_t i = 0; i < table->cell_count; i++)
        write_padded(stream, table->characters + table->cells[i].text, widths[i % count],
                     table->columns[i % count].right, (i + 1) % count == 0);
}

static void write_field(FILE *stream, const char *text, bool last)
{
    if (strpbrk(text, ",\"\r\n")) {
        fputc('"', stream);
        for (; *text; text++)
            fprintf(stream, *text == '"' ? "\"%c" : "%c", *text);
        fputc('"', stream);
    } else {
        fputs(text, stream);
    }
    fputc(last ? '\n' : ',', stream);
}

static void write_csv(const struct ft_table *table, FILE *stream)
{
    size_t count = table->column_count;
    for (size_t i = 0; i < count; i++)
        write_field(stream, table->characters + table->columns[i].key, i + 1 == count);
    for (size_t i = 0; i < table->cell_count; i++)
        write_field(stream, table->characters + table->cells[i].csv, (i + 1) % count == 0);
}

int ft_table_write(const struct ft_table *table, FILE *stream, bool csv, struct ft_diag *diag)
{
    if (table->failed)
        return ft_fail_memory(diag, "a table");
    size_t count = table->column_count;
    assert(count > 0 || table->cell_count == 0);
    if (csv) {
        write_csv(table, stream);
    } else {
        size_t *widths = calloc(count ? count : 1, sizeof *widths);
        if (!widths)
            return ft_fail_memory(diag, "a table");
        for (size_t i = 0; i < count; i++)
            widths[i] = width_of(table->characters + table->columns[i].title);
        for (size_t i = 0; i < table->cell_count; i++) {
            size_t width = width_of(table->characters + table->cells[i].text);
            if (width > widths[i % count])
                widths[i % count] = width;
        }
        write_people(table, widths, stream);
        free(widths);
    }
    if (ferror(stream))
        return ft_fail(diag, FT_ERROR_IO, "cannot write the table: %s",
                       errno ? strerror(errno) : "unknown error");
    return FT_OK;
}

/* Empty cells have no text for programs, but one for readers. */
static json_t *cell_json(const struct ft_table *table, const struct cell *cell)
{
    const char *csv = table->characters + cell->csv;
    if (cell->is_number)
        return ft_json_number(cell->number);
    return *csv || !table->characters[cell->text] ? ft_json_text(csv) : json_null();
}

json_t *ft_table_json(const struct ft_table *table)
{
    json_t *rows = table->failed ? NULL : json_array();
    size_t count = table->column_count;
    for (size_t i = 0; rows && i + count <= table->cell_count && count > 0; i += count) {
        json_t *row = json_object();
        for (size_t j = 0; j < count; j++)
            if (json_object_set_new(row, table->characters + table->columns[j].key,
                                    cell_json(table, &table->cells[i + j])) != 0) {
                json_decref(row);
                row = NULL;
            }
        ft_json_append(&rows, row);
    }
    return rows;
}
