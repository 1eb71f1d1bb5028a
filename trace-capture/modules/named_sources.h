/*
 * The source files that lines of executed code name, and routines and inlined calls with it, as far
 * as they can be read when a capture ends. One thread.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_NAMED_SOURCES_H
#define FT_TRACE_CAPTURE_MODULES_NAMED_SOURCES_H

#include "formats/base/source_files.h"
#include "formats/trace/modules.h"
#include "trace-capture/modules/executed_code.h"

struct ft_named_sources {
    char **paths; /* as they come, some more than once */
    size_t count, capacity;
};

/* Of a module with all its lines. */
int ft_named_sources_add(struct ft_named_sources *named, const struct ft_module *module,
                         const struct ft_module_code *code, struct ft_diag *diag);
/* Reads them: regular files that hold a text, within the limits of struct ft_source_files; others
 * are left out. Sorts the names. */
int ft_named_sources_read(struct ft_named_sources *named, struct ft_source_files *ret_files,
                          struct ft_diag *diag);
void ft_named_sources_fini(struct ft_named_sources *named);

#endif
