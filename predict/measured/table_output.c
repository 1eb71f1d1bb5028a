/*
 * A table: the first line names its columns. One is called routine, region, function or symbol;
 * each other one is an event (events.h), such as PAPI_L2_DCM, or a level's misses, such as "L2
 * misses". A row whose routine is empty or "program" is of the whole program. What instrumented
 * programs print, by PAPI's or other means.
 */
#include <string.h>
#include <strings.h>

#include "formats/base/parse.h"
#include "predict/measured/readers.h"

static char separator_of(const char *line)
{
    return strchr(line, '\t') ? '\t' : strchr(line, ';') ? ';' : ',';
}

static size_t find_routine(const struct ft_measured_fields *head)
{
    static const char *const names[] = {"routine", "region", "function", "symbol"};
    for (size_t i = 0; i < head->count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcasecmp(head->items[i], names[k]) == 0)
                return i;
    return head->count;
}

/* The first line that says something. */
static size_t head_line(const struct ft_measured_lines *lines)
{
    size_t i = 0;
    while (i < lines->count && (!lines->items[i][0] || lines->items[i][0] == '#'))
        i++;
    return i;
}

bool ft_measured_is_table(const struct ft_measured_lines *lines)
{
    struct ft_measured_fields head;
    const size_t at = head_line(lines);
    if (at == lines->count ||
        ft_measured_fields_cut(lines->items[at], separator_of(lines->items[at]),
                               FT_MEASURED_FIELDS_MAX, &head, NULL) != FT_OK)
        return false;
    const bool has_routine = find_routine(&head) < head.count;
    ft_measured_fields_fini(&head);
    return has_routine;
}

static int read_row(const struct ft_measured_fields *head, const struct ft_measured_fields *row,
                    size_t routine, struct ft_measured *measured, struct ft_diag *diag)
{
    const char *name = row->items[routine];
    const bool is_program = !*name || strcmp(name, "program") == 0;
    int status = FT_OK;
    for (size_t i = 0; status == FT_OK && i < row->count; i++) {
        struct ft_measured_event event;
        double value;
        if (i == routine || !ft_parse_double(row->items[i], &value))
            continue;
        const bool known = ft_measured_column_find(head->items[i], &event);
        status = ft_measured_add(measured, is_program ? NULL : name, head->items[i],
                                 known ? &event : NULL, value, diag);
    }
    return status;
}

int ft_measured_table(const struct ft_measured_lines *lines, struct ft_measured *measured,
                      struct ft_diag *diag)
{
    const size_t at = head_line(lines);
    const char separator = separator_of(lines->items[at]);
    struct ft_measured_fields head;
    FT_TRY(
        ft_measured_fields_cut(lines->items[at], separator, FT_MEASURED_FIELDS_MAX, &head, diag));
    const size_t routine = find_routine(&head);
    int status = FT_OK;
    for (size_t i = at + 1; status == FT_OK && i < lines->count; i++) {
        struct ft_measured_fields row;
        if (!lines->items[i][0] || lines->items[i][0] == '#')
            continue;
        status =
            ft_measured_fields_cut(lines->items[i], separator, FT_MEASURED_FIELDS_MAX, &row, diag);
        if (status != FT_OK)
            break;
        if (row.count != head.count)
            status = ft_fail(diag, FT_ERROR_DATA, "%s: line %zu: %zu fields, the head has %zu",
                             lines->path, i + 1, row.count, head.count);
        else
            status = read_row(&head, &row, routine, measured, diag);
        ft_measured_fields_fini(&row);
    }
    ft_measured_fields_fini(&head);
    return status;
}
