/*
 * What single files give to an archive. Which commands made them is what they say themselves:
 * traces the program and its arguments, histograms and models the options and the hashes of the
 * traces that they were made of. Of other files somebody has to say it.
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_FILE_CONTENTS_H
#define FT_PREDICT_COMMANDS_ARCHIVE_FILE_CONTENTS_H

#include "formats/base/status.h"
#include "predict/commands/archive/contents.h"

int ft_archive_add_files(struct ft_archive_contents *contents, char *const *paths, size_t count,
                         struct ft_diag *diag);
/* A command as it was typed: "predict --at N=160 -m zen.yaml model.h5 >forecast.txt". Files that it
 * names are those of the archive, by their paths; it must write one of them. */
int ft_archive_add_typed(struct ft_archive_contents *contents, const char *text,
                         struct ft_diag *diag);

#endif
