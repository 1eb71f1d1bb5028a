/*
 * Source lines around what is shown, from files that are at hand (source_file.h). The heaviest
 * scopes come first; a report keeps at most BYTES_MAX of them.
 */
#include "predict/commands/page/sources.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/cli/terminal.h"
#include "predict/commands/source_file.h"

#define AROUND    4U /* lines before and after a scope */
#define LINES_MAX 1000000U
#define BYTES_MAX ((size_t)3 << 19)

/* Which lines of a file are wanted. */
struct wanted {
    const char *path;
    bool *lines; /* [LINES_MAX + 1] */
    uint32_t first, last;
};

static void want_scope(struct wanted *wanted, const struct ft_scope *scope)
{
    /* A damaged file may have any lines. */
    if (scope->first_line == 0 || scope->last_line < scope->first_line ||
        scope->last_line > LINES_MAX - AROUND || strcmp(scope->file, wanted->path) != 0)
        return;
    const uint32_t first = scope->first_line > AROUND ? scope->first_line - AROUND : 1;
    const uint32_t last = scope->last_line + AROUND;
    memset(wanted->lines + first, true, (last - first + 1) * sizeof *wanted->lines);
    wanted->first = wanted->first == 0 || first < wanted->first ? first : wanted->first;
    wanted->last = last > wanted->last ? last : wanted->last;
}

/* Lists of lines that follow each other, each with the number of its first one. */
static json_t *read_lines(FILE *file, const struct wanted *wanted, size_t *bytes)
{
    json_t *pieces = json_array(), *lines = NULL;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    for (uint32_t number = 1; number <= wanted->last && *bytes < BYTES_MAX; number++) {
        length = getline(&line, &capacity, file);
        if (length < 0)
            break;
        if (!wanted->lines[number]) {
            lines = NULL;
            continue;
        }
        line[strcspn(line, "\r\n")] = 0;
        if (!lines) {
            lines = json_array();
            ft_json_append(&pieces,
                           json_pack("{s:I, s:o}", "first", (json_int_t)number, "lines", lines));
        }
        json_array_append_new(lines, ft_json_text(line));
        *bytes += (size_t)length;
    }
    free(line);
    return pieces;
}

static json_t *file_json(const struct ft_source_place *place, const struct wanted *wanted,
                         size_t *bytes)
{
    FILE *file = ft_source_open(place, wanted->path);
    if (!file)
        return NULL;
    json_t *pieces = read_lines(file, wanted, bytes);
    fclose(file);
    return pieces;
}

/* The scopes that lines are wanted of, the heaviest first. */
struct scope_list {
    const struct ft_scopes *scopes;
    const uint32_t *items;
    size_t count;
    struct ft_source_place place;
};

static int add_file(const struct scope_list *list, const char *path, bool *lines, size_t *bytes,
                    json_t *sources)
{
    struct wanted wanted = {.path = path, .lines = lines};
    memset(lines, false, (LINES_MAX + 1) * sizeof *lines);
    for (size_t i = 0; i < list->count; i++)
        want_scope(&wanted, &list->scopes->scopes[list->items[i]]);
    json_t *pieces = wanted.last > 0 ? file_json(&list->place, &wanted, bytes) : NULL;
    return pieces && json_object_set_new(sources, path, pieces) != 0 ? -1 : 0;
}

json_t *ft_page_sources(const struct ft_scopes *scopes, const uint32_t *list, size_t count,
                        const char *folder)
{
    const struct scope_list wanted = {scopes, list, count, {&scopes->sources, folder}};
    json_t *sources = json_object(), *seen = json_object();
    bool *lines = calloc(LINES_MAX + 1, sizeof *lines);
    size_t bytes = 0;
    int failed = !sources || !seen || !lines;
    for (size_t i = 0; i < count && !failed; i++) {
        const char *path = scopes->scopes[list[i]].file;
        /* A name from DWARF may be no UTF-8; such a key is not for JSON. */
        if (!*path || json_object_get(seen, path) || bytes >= BYTES_MAX)
            continue;
        if (json_object_set_new(seen, path, json_true()) == 0)
            failed = add_file(&wanted, path, lines, &bytes, sources);
    }
    free(lines);
    json_decref(seen);
    if (!failed)
        return sources;
    json_decref(sources);
    return NULL;
}

void ft_page_warn_of_sources(const char *command, const char *folder, const json_t *sources)
{
    if (folder && json_object_size(sources) == 0)
        ft_print_wrapped(
            stderr, 2,
            "foretrace %s: warning: --sources %s: has no source file of what is shown; "
            "/home/me/a.c is expected as %s/home/me/a.c\n",
            command, folder, folder);
}
