/*
 * Source files of programs under study, as far as they are at hand: those that the trace kept
 * (capture --source), as they were; others as they are now, at the paths that debugging information
 * has, or below a folder that has them under these paths, as an archive does.
 */
#ifndef FT_PREDICT_COMMANDS_SOURCE_FILE_H
#define FT_PREDICT_COMMANDS_SOURCE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/base/source_files.h"
#include "formats/base/status.h"

#define FT_SOURCES_HELP                                                                            \
    "source files that were not kept are below FOLDER under their whole paths, as in an archive"

/* The path below such a folder: without what it begins with ("/home/me/a.c" is "home/me/a.c"), and
 * with "__" in the place of "..". False: it has none, or no room. */
bool ft_source_name(const char *path, char *name, size_t bytes);
/* FT_ERROR_USAGE: --sources names no folder. NULL: it was not given. */
int ft_sources_check(const char *folder, struct ft_diag *diag);
/* Where files are looked for. */
struct ft_source_place {
    const struct ft_source_files
        *kept;          /* these first, of the trace or what was made of it; NULL: none */
    const char *folder; /* then below it; NULL: where their paths say */
};

/* NULL where there is no such file, or one that is no text to read, such as a pipe. What was kept
 * must outlive the stream. */
FILE *ft_source_open(const struct ft_source_place *place, const char *path);

#endif
