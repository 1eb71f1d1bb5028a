/*
 * An archive's files without what tells of person and place (formats/trace/private_parts.h): traces
 * are copied without it, results made again from these by their commands, small texts copied with
 * shortened paths. What programs printed is left out: nobody knows what it says; and source files
 * that traces keep, if they are not asked for.
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_PRIVATE_FILES_H
#define FT_PREDICT_COMMANDS_ARCHIVE_PRIVATE_FILES_H

#include <stdbool.h>

#include "formats/base/status.h"
#include "predict/commands/archive/contents.h"
#include "predict/plan/held_signals.h"

struct ft_private_terms {
    bool with_sources, shows_commands;
};

/* Makes the files in `folder`, which is empty; then they are the members' sources. FT_ERROR_USAGE:
 * a file cannot be made so, or still names the home folder. Prints the commands, if asked to; warns
 * of texts that have the names of host or user. */
int ft_archive_make_private(struct ft_archive_contents *contents, const char *folder,
                            const struct ft_held_signals *signals,
                            const struct ft_private_terms *terms, struct ft_diag *diag);

#endif
