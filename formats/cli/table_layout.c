/*
 * Left-aligned texts lose their middle, the widest column first, down to MIN_TEXT characters; if
 * that does not do, the last column that is left goes and all others get their widths back.
 * Blanks are printed only before what follows them, so no line ends with any.
 */
#include "formats/cli/table_layout.h"

#include <ctype.h>
#include <string.h>

#include "formats/cli/terminal.h"

#define MIN_TEXT 20
#define ELLIPSIS "..."

/* The parts of a cell of numbers: bytes of the number and of its unit; false: a text. */
static bool split(const char *text, size_t *ret_number, size_t *ret_unit)
{
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*digits))
        return false;
    *ret_number = (size_t)(digits - text) + strspn(digits, "0123456789.e+-");
    const char *unit = text + *ret_number;
    if (*unit && *unit != ' ')
        return false;
    const bool has_unit =
        *unit && unit[1] && !strchr("+-(", unit[1]) && strncmp(unit, " to ", 4) != 0;
    *ret_unit = has_unit ? 1 + strcspn(unit + 1, " ") : 0;
    return true;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t numbers_width(const struct ft_table_column_layout *column)
{
    return column->number + column->unit + column->rest;
}

void ft_table_layout_add(struct ft_table_column_layout *column, const char *text)
{
    size_t number, unit;
    if (column->right && split(text, &number, &unit)) {
        column->number = larger(column->number, number);
        column->unit = larger(column->unit, unit);
        column->rest = larger(column->rest, ft_text_width(text) - number - unit);
    } else {
        column->natural = larger(column->natural, ft_text_width(text));
    }
}

/* The width of a line with the columns that are shown. */
static size_t total_of(const struct ft_table_column_layout *columns, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        if (!columns[i].hidden)
            total += columns[i].width + (total > 0 ? FT_TABLE_GAP : 0);
    return total;
}

/* Shortens texts; false if that is not enough. */
static bool shrink(struct ft_table_column_layout *columns, size_t count, size_t line_width,
                   size_t min)
{
    while (total_of(columns, count) > line_width) {
        struct ft_table_column_layout *widest = NULL;
        for (size_t i = 0; i < count; i++)
            if (!columns[i].hidden && !columns[i].right && columns[i].width > min &&
                (!widest || columns[i].width > widest->width))
                widest = &columns[i];
        if (!widest)
            return false;
        widest->width--;
    }
    return true;
}

static bool hide_one(struct ft_table_column_layout *columns, size_t count)
{
    for (int first = 1; first >= 0; first--)
        for (size_t i = count; i-- > 1;)
            if (!columns[i].hidden && columns[i].drop_first == (first == 1)) {
                columns[i].hidden = true;
                return true;
            }
    return false;
}

size_t ft_table_layout_fit(struct ft_table_column_layout *columns, size_t count, size_t line_width)
{
    size_t hidden = 0;
    for (;;) {
        for (size_t i = 0; i < count; i++)
            columns[i].width = larger(larger(columns[i].natural, numbers_width(&columns[i])),
                                      ft_text_width(columns[i].title));
        if (shrink(columns, count, line_width, MIN_TEXT))
            return hidden;
        if (!hide_one(columns, count))
            break;
        hidden++;
    }
    shrink(columns, count, line_width, sizeof ELLIPSIS);
    return hidden;
}

bool ft_table_layout_is_shortened(const struct ft_table_column_layout *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!columns[i].hidden && columns[i].width < columns[i].natural)
            return true;
    return false;
}

static void print_blanks(size_t *pending, FILE *stream)
{
    fprintf(stream, "%*s", (int)*pending, "");
    *pending = 0;
}

/* So many characters of a text, or those after so many. */
static const char *after(const char *text, size_t characters)
{
    while (*text && characters > 0) {
        text++;
        while (((unsigned char)*text & 0xC0) == 0x80)
            text++;
        characters--;
    }
    return text;
}

/* A text in so many columns; too long a one keeps its ends. */
static void print_text(const char *text, size_t width, bool right, size_t *pending, FILE *stream)
{
    const size_t length = ft_text_width(text);
    if (length <= width) {
        *pending += right ? width - length : 0;
        if (length > 0)
            print_blanks(pending, stream);
        fputs(text, stream);
        *pending += right ? 0 : width - length;
        return;
    }
    const size_t kept = width - (sizeof ELLIPSIS - 1), head = kept / 2;
    print_blanks(pending, stream);
    fprintf(stream, "%.*s" ELLIPSIS "%s", (int)(after(text, head) - text), text,
            after(text, length - (kept - head)));
}

/* A number, its unit and what follows, each below those of the rows above. */
static void print_number(const struct ft_table_column_layout *column, const char *text,
                         size_t number, size_t unit, size_t *pending, FILE *stream)
{
    const char *rest = text + number + unit;
    *pending += column->width - numbers_width(column) + column->number - number;
    print_blanks(pending, stream);
    fprintf(stream, "%.*s", (int)(number + unit), text);
    *pending += column->unit - unit;
    if (*rest)
        print_blanks(pending, stream);
    fputs(rest, stream);
    *pending += column->rest - ft_text_width(rest);
}

void ft_table_layout_print(const struct ft_table_column_layout *column, const char *text,
                           size_t *pending_blanks, FILE *stream)
{
    size_t number, unit;
    /* A title such as "4 KiB" may be wider than the numbers below it. */
    if (column->right && split(text, &number, &unit) && number <= column->number &&
        unit <= column->unit) {
        print_number(column, text, number, unit, pending_blanks, stream);
        return;
    }
    /* A word among numbers ends where they do, if it is not too long. */
    const bool fits = column->right && ft_text_width(text) <= column->width - column->rest;
    print_text(text, column->width - (fits ? column->rest : 0), column->right, pending_blanks,
               stream);
    *pending_blanks += fits ? column->rest : 0;
}
