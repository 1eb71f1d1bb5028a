/*
 * The extent of a marked loop is found by braces (C) or do and end do (Fortran) without a parser:
 * the samples' comments and strings hold none of either.
 */
#include "tests/support/loop_markers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LINES_MAX 1000
/* The last statements of a loop may need no code of their own (`at = child;`), or share that of the
 * one before as one vector instruction. */
#define LINES_WITHOUT_CODE 2

struct source {
    char lines[LINES_MAX + 1][256]; /* from 1, comments taken off */
    char comments[LINES_MAX + 1][256];
    uint32_t count;
    bool fortran;
};

static bool read_source(const char *path, struct source *source)
{
    FILE *file = fopen(path, "r");
    *source = (struct source){.fortran = strstr(path, ".f90") != NULL};
    while (file && source->count < LINES_MAX &&
           fgets(source->lines[source->count + 1], sizeof source->lines[0], file)) {
        char *line = source->lines[++source->count];
        line[strcspn(line, "\n")] = 0;
        char *comment = strstr(line, source->fortran ? "!" : "/*");
        if (comment) {
            strcpy(source->comments[source->count], comment);
            *comment = 0;
        }
        for (size_t length = strlen(line); length > 0 && isspace((unsigned char)line[length - 1]);)
            line[--length] = 0;
    }
    if (file)
        fclose(file);
    return source->count > 0;
}

static int count_char(const char *line, char wanted)
{
    int count = 0;
    for (; *line; line++)
        count += *line == wanted;
    return count;
}

static uint32_t find_end(const struct source *source, uint32_t first)
{
    int depth = 0;
    for (uint32_t i = first; i <= source->count; i++) {
        const char *line = source->lines[i] + strspn(source->lines[i], " ");
        if (source->fortran) {
            depth += strncmp(line, "do ", 3) == 0;
            depth -= strncmp(line, "end do", 6) == 0;
            if (depth == 0)
                return i;
            continue;
        }
        depth += count_char(line, '{') - count_char(line, '}');
        /* A loop without braces ends with its statement, the loop's own head has two semicolons. */
        if (depth == 0 && (strchr(line, '}') || (i > first && strchr(line, ';'))))
            return i;
    }
    return 0;
}

/* Whether a statement ends with this line: then another starts behind it. */
static bool ends_statement(const struct source *source, uint32_t line)
{
    size_t length = strlen(source->lines[line]);
    return source->fortran || length == 0 || strchr(";{}", source->lines[line][length - 1]);
}

static uint32_t find_last_start(const struct source *source, uint32_t first, uint32_t end)
{
    uint32_t last = end;
    while (last > first && (source->lines[last][strspn(source->lines[last], " })")] == 0 ||
                            strstr(source->lines[last], "end ")))
        last--;
    while (last > first + 1 && !ends_statement(source, last - 1))
        last--;
    return last;
}

size_t loop_markers_read(const char *path, struct loop_marker markers[LOOP_MARKERS_MAX])
{
    static struct source source;
    size_t count = 0;
    if (!read_source(path, &source))
        return 0;
    for (uint32_t i = 1; i <= source.count && count < LOOP_MARKERS_MAX; i++) {
        const char *comment = strstr(source.comments[i], "loop: ");
        struct loop_marker *marker = &markers[count];
        if (!comment || sscanf(comment, "loop: %63s", marker->name) != 1)
            continue;
        marker->first_line = i;
        marker->end_line = find_end(&source, i);
        marker->last_start = find_last_start(&source, i, marker->end_line);
        marker->parent = -1;
        for (size_t j = 0; j < count; j++)
            if (markers[j].end_line >= marker->end_line)
                marker->parent = (int)j;
        count++;
    }
    return count;
}

uint32_t loop_markers_find(const struct ft_scopes *scopes, const char *source,
                           const struct loop_marker *marker)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        const struct ft_scope *scope = &scopes->scopes[i];
        if (scope->kind != FT_SCOPE_LOOP || scope->first_line != marker->first_line ||
            strcmp(scope->file, source) != 0)
            continue;
        if (found)
            return 0;
        found = i;
    }
    return found;
}

static bool is_marked(uint32_t scope, const uint32_t *scopes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (scopes[i] == scope)
            return true;
    return false;
}

/* Scopes of a routine as lines that TAP takes for comments. */
static void print_routine(const struct ft_scopes *scopes, uint32_t routine)
{
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        const struct ft_scope *scope = &scopes->scopes[i];
        if (ft_scope_routine(scopes, i) == routine)
            printf("# %*s%s, lines %u-%u, depth %u, entries %llu, iterations %llu\n",
                   2 * scope->loop_depth, "", scope->name, scope->first_line, scope->last_line,
                   scope->loop_depth, (unsigned long long)scope->entry_count,
                   (unsigned long long)scope->iteration_count);
    }
}

static bool is_named(const struct loop_marker *marker, char *const *names, size_t count)
{
    size_t length = strlen(marker->name);
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], marker->name, length) == 0 &&
            (names[i][length] == '=' || names[i][length] == 0))
            return true;
    return false;
}

void loop_markers_check(const struct ft_scopes *scopes, const char *source, char *const *names,
                        size_t name_count, loop_markers_report *report)
{
    struct loop_marker markers[LOOP_MARKERS_MAX];
    uint32_t found[LOOP_MARKERS_MAX] = {0};
    size_t count = loop_markers_read(source, markers);
    report(count > 0, "%s has marked loops", source);
    for (size_t i = 0; i < count; i++) {
        const struct loop_marker *marker = &markers[i];
        found[i] = loop_markers_find(scopes, source, marker);
        if (names && !is_named(marker, names, name_count)) {
            report(found[i] == 0, "%s: did not run", marker->name);
            continue;
        }
        if (!report(found[i] != 0, "%s: one loop starts at line %u", marker->name,
                    marker->first_line))
            continue;
        const struct ft_scope *scope = &scopes->scopes[found[i]];
        report(scope->last_line + LINES_WITHOUT_CODE >= marker->last_start &&
                   scope->last_line <= marker->end_line,
               "%s: ends at line %u, its last statement at %u to %u", marker->name,
               scope->last_line, marker->last_start, marker->end_line);
        if (marker->parent >= 0)
            report(scope->parent == found[marker->parent], "%s: inside %s", marker->name,
                   markers[marker->parent].name);
        else
            report(scopes->scopes[scope->parent].kind == FT_SCOPE_ROUTINE, "%s: outermost",
                   marker->name);
    }
    for (uint32_t i = 0; i < scopes->scope_count; i++) {
        const struct ft_scope *scope = &scopes->scopes[i];
        bool beside = false;
        for (size_t j = 0; j < count; j++)
            beside |= found[j] && ft_scope_routine(scopes, i) == ft_scope_routine(scopes, found[j]);
        if (scope->kind == FT_SCOPE_LOOP && beside && !is_marked(i, found, count)) {
            report(false, "%s, lines %u-%u, is in no source", scope->name, scope->first_line,
                   scope->last_line);
            print_routine(scopes, ft_scope_routine(scopes, i));
        }
    }
}
