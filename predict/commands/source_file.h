/*
 * Source files of programs under study, as far as they are at hand, as they are now: at the paths
 * that debugging information has, or below a folder that has them under these paths, as an archive
 * does.
 */
#ifndef FT_PREDICT_COMMANDS_SOURCE_FILE_H
#define FT_PREDICT_COMMANDS_SOURCE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "formats/base/status.h"

#define FT_SOURCES_HELP "source files are below FOLDER under their whole paths, as in an archive"

/* The path below such a folder: without what it begins with ("/home/me/a.c" is "home/me/a.c"), and
 * with "__" in the place of "..". False: it has none, or no room. */
bool ft_source_name(const char *path, char *name, size_t bytes);
/* FT_ERROR_USAGE: --sources names no folder. NULL: it was not given. */
int ft_sources_check(const char *folder, struct ft_diag *diag);
/* folder: NULL: the file is where its path says. NULL where there is no such file, or one that is
 * no text to read, such as a pipe. */
FILE *ft_source_open(const char *folder, const char *path);

#endif
