/*
 * `foretrace archive rerun`: makes the files of an archive again that its commands make of others
 * of its files, in another folder, and compares them byte for byte, by their SHA-256 sums.
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_RERUN_H
#define FT_PREDICT_COMMANDS_ARCHIVE_RERUN_H

#include <stdbool.h>

#include "formats/base/status.h"
#include "predict/plan/held_signals.h"

/* folder: where files are made, which is there and empty. Prints each command and what came of it,
 * or all of it as JSON at the end. FT_ERROR_DATA: the archive is damaged; FT_ERROR_FAILURE: a
 * command failed, or bytes differ. */
int ft_archive_rerun(const char *path, const char *folder, bool as_json,
                     const struct ft_held_signals *signals, struct ft_diag *diag);

#endif
