/*
 * The README.md of an archive: what is what, and how to check and to read it, for somebody who has
 * neither foretrace nor its documentation.
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_README_H
#define FT_PREDICT_COMMANDS_ARCHIVE_README_H

#include "formats/base/status.h"
#include "predict/commands/archive/contents.h"

/* To be freed. */
int ft_archive_readme(const struct ft_archive_contents *contents, bool is_private, char **ret_text,
                      struct ft_diag *diag);

#endif
