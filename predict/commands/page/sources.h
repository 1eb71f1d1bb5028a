/*
 * Source lines around routines and loops, from files that are at hand (source_file.h).
 */
#ifndef FT_PREDICT_COMMANDS_PAGE_SOURCES_H
#define FT_PREDICT_COMMANDS_PAGE_SOURCES_H

#include "formats/cli/json.h"
#include "formats/histograms/entry.h"

/* By a file's name, lists of lines that follow each other: of scopes, the heaviest first, whose
 * files can be read. folder: that has those that were not kept; NULL: they are where they were.
 * NULL: out of memory. */
json_t *ft_page_sources(const struct ft_scopes *scopes, const uint32_t *list, size_t count,
                        const char *folder);

/* Warns where a folder that was given has none of the files; folder: NULL: none was. */
void ft_page_warn_of_sources(const char *command, const char *folder, const json_t *sources);

#endif
