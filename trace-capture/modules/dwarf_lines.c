/*
 * Line tables to ranges: a row of a unit's table stands for the code up to the next row of its
 * sequence; of several rows at one address the last one counts, as for addr2line. Rows of line 0
 * (code that belongs to no line) and rows outside the executable segments (of sections that the
 * linker dropped) are left out.
 *
 * libdw sorts rows by address and puts the end of a sequence before other rows at its address. Such
 * a row may begin the next sequence, or be an empty row after the last instruction of the ended one
 * (gcc leaves those); it is taken for a beginning only at the start of a routine. For the same
 * reason a range ends no later than the next one starts or its routine ends. Neighbours of the same
 * line become one range.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "trace-capture/modules/module_builder.h"

/* Writes directory/name without "." and ".." components and doubled slashes to a new string. */
static char *joined_path(const char *directory, const char *name)
{
    bool relative = name[0] != '/' && directory && *directory;
    size_t directory_length = relative ? strlen(directory) : 0;
    char *path = malloc(directory_length + strlen(name) + 3);
    char *joined = malloc(directory_length + strlen(name) + 3);
    if (!path || !joined) {
        free(path);
        free(joined);
        return NULL;
    }
    memcpy(joined, relative ? directory : "", directory_length);
    joined[directory_length] = '/';
    strcpy(joined + directory_length + relative, name);

    size_t length = 0;
    bool absolute = joined[0] == '/';
    size_t removable = 0; /* components in path that a ".." may take back */
    for (char *rest = joined, *part; (part = strsep(&rest, "/"));) {
        if (*part == 0 || strcmp(part, ".") == 0)
            continue;
        if (strcmp(part, "..") == 0 && removable > 0) {
            while (length > 0 && path[--length] != '/')
                ;
            removable--;
            continue;
        }
        if (length > 0 || absolute)
            path[length++] = '/';
        length = (size_t)(stpcpy(path + length, part) - path);
        removable += strcmp(part, "..") != 0;
    }
    path[length] = 0;
    free(joined);
    return path;
}

uint32_t ft_module_builder_file(struct ft_module_builder *builder, Dwarf_Die *unit,
                                const char *name)
{
    if (!name || !*name)
        return 0;
    Dwarf_Attribute attribute;
    const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    char *path = joined_path(directory, name);
    if (!path) {
        builder->failed = true;
        return 0;
    }
    uint32_t index = ft_module_builder_string(builder, path, strlen(path));
    free(path);
    return index;
}

/* Of the rows at a routine's start the first is the line that its body begins with, even where the
 * code belongs to a later one. */
static void begin_body(struct ft_module_builder *builder, Dwarf_Addr start, int line)
{
    if (line <= 0 || !ft_module_builder_symbol_at(builder, start))
        return;
    struct ft_symbol body = {.start = start, .body_line = (uint32_t)line};
    ft_module_builder_symbol(builder, &body);
}

void ft_module_builder_unit_lines(struct ft_module_builder *builder, Dwarf_Die *unit)
{
    Dwarf_Lines *rows;
    size_t row_count;
    if (dwarf_getsrclines(unit, &rows, &row_count) != 0)
        return;
    const char *last_name = NULL; /* libdw gives the same pointer for the same file */
    uint32_t last_file = 0;
    Dwarf_Addr sequence_end = 0, last_start = 0;
    for (size_t i = 0; i + 1 < row_count; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i);
        Dwarf_Addr start, end;
        bool ends_sequence;
        int line;
        if (dwarf_lineaddr(row, &start) != 0 || dwarf_lineno(row, &line) != 0 ||
            dwarf_lineendsequence(row, &ends_sequence) != 0 ||
            dwarf_lineaddr(dwarf_onesrcline(rows, i + 1), &end) != 0)
            continue;
        if (ends_sequence)
            sequence_end = start;
        else if (start != last_start)
            begin_body(builder, start, line);
        last_start = start;
        if (ends_sequence || start >= end || line <= 0 || start < builder->code_start ||
            end > builder->code_end ||
            (start == sequence_end && !ft_module_builder_symbol_at(builder, start)))
            continue;
        const char *name = dwarf_linesrc(row, NULL, NULL);
        if (name != last_name) {
            last_name = name;
            last_file = ft_module_builder_file(builder, unit, name);
        }
        struct ft_line range = {start, end, last_file, (uint32_t)line};
        ft_module_builder_line(builder, &range);
    }
}

static int compare_lines(const void *left, const void *right)
{
    const struct ft_line *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (a->file > b->file) - (a->file < b->file);
}

/* Cuts each range at the next one and at the end of its routine; joins neighbours of one line. */
static void make_disjoint(struct ft_module *module)
{
    size_t kept = 0, symbol = 0;
    for (size_t i = 0; i < module->line_count; i++) {
        struct ft_line range = module->lines[i];
        struct ft_line *last = kept ? &module->lines[kept - 1] : NULL;
        if (i > 0 && module->lines[i - 1].start == range.start)
            continue; /* the shorter one came first */
        if (i + 1 < module->line_count && module->lines[i + 1].start < range.end)
            range.end = module->lines[i + 1].start;
        while (symbol < module->symbol_count && module->symbols[symbol].end <= range.start)
            symbol++;
        if (symbol < module->symbol_count && module->symbols[symbol].start <= range.start &&
            module->symbols[symbol].end < range.end)
            range.end = module->symbols[symbol].end;
        if (last && last->end == range.start && last->file == range.file &&
            last->line == range.line)
            last->end = range.end;
        else
            module->lines[kept++] = range;
    }
    module->line_count = kept;
}

void ft_module_order_lines(struct ft_module *module)
{
    if (module->line_count)
        qsort(module->lines, module->line_count, sizeof *module->lines, compare_lines);
    make_disjoint(module);
}
