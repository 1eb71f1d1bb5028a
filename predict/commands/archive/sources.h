/*
 * Source files that reports and annotations of an archive show, so that these are made again with
 * the same bytes where the source is not at hand: below sources/, under their whole paths
 * (source_file.h).
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_SOURCES_H
#define FT_PREDICT_COMMANDS_ARCHIVE_SOURCES_H

#include "predict/commands/archive/contents.h"

#define FT_ARCHIVE_SOURCES "sources"

/* Adds the files that are at hand, and makes the commands take them from there. is_private: under
 * the paths that private models have. FT_ERROR_USAGE: no command shows source lines, or none is at
 * hand; two files have one private path. */
int ft_archive_add_sources(struct ft_archive_contents *contents, bool is_private,
                           struct ft_diag *diag);

#endif
