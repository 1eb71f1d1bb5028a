/*
 * The source files that lines of executed code name, and routines and inlined calls with it, as far
 * as they can be read when a capture ends. One thread.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_NAMED_SOURCES_H
#define FT_TRACE_CAPTURE_MODULES_NAMED_SOURCES_H

#include "formats/base/source_files.h"
#include "formats/trace/modules.h"
#include "trace-capture/modules/executed_code.h"
#include "trace-capture/modules/source_outcome.h"

struct ft_named_source {
    char *path;
    bool is_of_system; /* named by a library of the system, whose source files nobody misses */
    int64_t built_s;   /* when what names it was last written, in Unix time; INT64_MAX: unknown */
};

struct ft_named_sources {
    struct ft_named_source *items; /* as they come, some more than once */
    size_t count, capacity;
};

/* Of a module with all its lines; path: of its file. */
int ft_named_sources_add(struct ft_named_sources *named, const struct ft_module *module,
                         const char *path, const struct ft_module_code *code, struct ft_diag *diag);
/* Reads them: regular files that hold a text, within the limits of struct ft_source_files; others
 * are left out, and counted in *outcome. Sorts the names. */
int ft_named_sources_read(struct ft_named_sources *named, struct ft_source_files *ret_files,
                          struct ft_source_outcome *outcome, struct ft_diag *diag);
void ft_named_sources_fini(struct ft_named_sources *named);

#endif
