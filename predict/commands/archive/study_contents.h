/*
 * What a study's folder (predict/study/) gives to an archive: files and commands of all its steps,
 * and the machine files that these read.
 */
#ifndef FT_PREDICT_COMMANDS_ARCHIVE_STUDY_CONTENTS_H
#define FT_PREDICT_COMMANDS_ARCHIVE_STUDY_CONTENTS_H

#include "formats/base/status.h"
#include "predict/commands/archive/contents.h"

/* FT_ERROR_USAGE where the study has not been done to its end. */
int ft_archive_add_study(struct ft_archive_contents *contents, const char *folder,
                         struct ft_diag *diag);

#endif
