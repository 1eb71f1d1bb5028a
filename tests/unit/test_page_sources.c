/*
 * Source lines around scopes of a page, also of scopes whose lines a damaged file has made up.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "predict/commands/page/sources.h"
#include "predict/commands/source_file.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

enum { LINES = 30 };

static void write_lines(void)
{
    FILE *file = fopen("a.c", "w");
    for (int line = 1; line <= LINES; line++)
        fprintf(file, "line %d\n", line);
    (void)fclose(file);
}

/* Lines that the page has of a scope from one line to another; "": none. */
static void is_of(uint32_t first, uint32_t last, const char *expected)
{
    char file[] = "a.c", text[64] = "";
    struct ft_scope scope = {.file = file, .first_line = first, .last_line = last};
    const struct ft_scopes scopes = {.scopes = &scope, .scope_count = 1};
    const uint32_t list[] = {0};
    json_t *sources = ft_page_sources(&scopes, list, 1, NULL);
    const json_t *pieces = json_object_get(sources, file);
    const json_t *piece = json_array_get(pieces, 0);
    if (piece)
        snprintf(text, sizeof text, "%d+%zu",
                 (int)json_integer_value(json_object_get(piece, "first")),
                 json_array_size(json_object_get(piece, "lines")));
    tap_ok(sources && json_array_size(pieces) <= 1 && strcmp(text, expected) == 0,
           "lines %u to %u: %s", first, last, text[0] ? text : "none");
    json_decref(sources);
}

int main(void)
{
    struct ft_diag diag = {0};
    enter_temporary_folder();
    write_lines();
    is_of(10, 12, "6+11");
    is_of(2, 2, "1+6");
    is_of(28, 30, "24+7");
    is_of(0, 12, "");
    is_of(12, 10, "");
    is_of(10, UINT32_MAX, "");
    is_of(UINT32_MAX, UINT32_MAX, "");
    is_of(UINT32_MAX - 1, UINT32_MAX - 2, "");
    is_of(10, 999999, "");
    tap_ok(ft_sources_check(NULL, &diag) == FT_OK && ft_sources_check(".", &diag) == FT_OK,
           "a folder, or none");
    tap_ok(ft_sources_check("nowhere", &diag) == FT_ERROR_USAGE &&
               strstr(diag.message, "--sources nowhere: No such file"),
           "%s", diag.message);
    tap_ok(ft_sources_check("a.c", &diag) == FT_ERROR_USAGE && strstr(diag.message, "is no folder"),
           "%s", diag.message);
    return tap_plan_done();
}
