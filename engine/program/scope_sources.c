#include "engine/program/scope_sources.h"

#include <stdlib.h>
#include <string.h>

/* Which files scopes name: [file]. */
static void list_named(const struct ft_source_files *files, const struct ft_scopes *scopes,
                       bool *named)
{
    const char *last = ""; /* scopes of a file mostly follow each other */
    for (size_t i = 0; i < scopes->scope_count; i++) {
        const char *path = scopes->scopes[i].file;
        const struct ft_source_file *file =
            strcmp(path, last) == 0 ? NULL : ft_source_files_find(files, path);
        if (file)
            named[file - files->items] = true;
        last = path;
    }
}

int ft_scope_sources_copy(const struct ft_trace *trace, struct ft_scopes *scopes,
                          struct ft_diag *diag)
{
    const struct ft_source_files *files = ft_trace_sources(trace);
    if (files->count == 0)
        return FT_OK;
    bool *named = calloc(files->count, sizeof *named);
    if (!named)
        return ft_fail_memory(diag, "the source files");
    list_named(files, scopes, named);
    const int status = ft_source_files_copy(files, named, &scopes->sources, diag);
    free(named);
    return status;
}
