/*
 * Every cell has two texts, one to be shown and one for CSV, so that writing is only padding.
 */
#include "formats/cli/table.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/cli/style.h"
#include "formats/cli/table_cells.h"
#include "formats/cli/table_layout.h"
#include "formats/cli/terminal.h"

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
    struct ft_table_column column = {keep(table, title), keep(table, key), right, false};
    table->columns[table->column_count++] = column;
}

void ft_table_drop_first(struct ft_table *table)
{
    if (table->column_count > 0)
        table->columns[table->column_count - 1].drop_first = true;
}

void ft_table_stress_row(struct ft_table *table)
{
    table->stressed = table->column_count > 0 ? table->cell_count / table->column_count : 0;
}

static void add(struct ft_table *table, const char *text, const char *csv, const double *number)
{
    if (!FT_RESERVE(table->cells, table->cell_capacity, table->cell_count + 1)) {
        table->failed = true;
        return;
    }
    size_t position = keep(table, text);
    table->cells[table->cell_count++] =
        (struct ft_table_cell){position, strcmp(text, csv) == 0 ? position : keep(table, csv),
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

static void write_line(const struct ft_table *table, const struct ft_table_column_layout *layouts,
                       const char *(*text_at)(const struct ft_table *table, size_t index),
                       size_t first, const char *end, FILE *stream)
{
    size_t pending = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        if (layouts[i].hidden)
            continue;
        pending += i > 0 ? FT_TABLE_GAP : 0;
        ft_table_layout_print(&layouts[i], text_at(table, first + i), &pending, stream);
    }
    fprintf(stream, "%s\n", end);
}

static const char *title_at(const struct ft_table *table, size_t index)
{
    return table->characters + table->columns[index].title;
}

static const char *cell_at(const struct ft_table *table, size_t index)
{
    return table->characters + table->cells[index].text;
}

static int write_text(const struct ft_table *table, FILE *stream, struct ft_diag *diag)
{
    const size_t count = table->column_count;
    struct ft_table_column_layout *layouts = calloc(count + 1, sizeof *layouts);
    if (!layouts)
        return ft_fail_memory(diag, "a table");
    for (size_t i = 0; i < count; i++)
        layouts[i] = (struct ft_table_column_layout){.title = title_at(table, i),
                                                     .right = table->columns[i].right,
                                                     .drop_first = table->columns[i].drop_first};
    for (size_t i = 0; i < table->cell_count; i++)
        ft_table_layout_add(&layouts[i % count], cell_at(table, i));
    const size_t hidden = ft_table_layout_fit(layouts, count, ft_terminal_columns());
    const bool is_shortened = ft_table_layout_is_shortened(layouts, count);
    write_line(table, layouts, title_at, 0, "", stream);
    for (size_t i = 0; i + count <= table->cell_count; i += count) {
        const enum ft_style style =
            i / count + 1 == table->stressed ? FT_STYLE_STRONG : FT_STYLE_PLAIN;
        fputs(ft_style_begin(stream, style), stream);
        write_line(table, layouts, cell_at, i, ft_style_end(stream, style), stream);
    }
    free(layouts);
    if (hidden > 0)
        fprintf(stream, "(%zu more column%s: --wide)\n", hidden, hidden == 1 ? "" : "s");
    else if (is_shortened)
        fputs("(in full: --wide)\n", stream);
    return FT_OK;
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
    if (csv)
        write_csv(table, stream);
    else if (count > 0)
        FT_TRY(write_text(table, stream, diag));
    if (ferror(stream))
        return ft_fail(diag, FT_ERROR_IO, "cannot write the table: %s",
                       errno ? strerror(errno) : "unknown error");
    return FT_OK;
}
