/*
 * What the command line of `study` asks for.
 */
#ifndef FT_PREDICT_COMMANDS_STUDY_QUESTION_H
#define FT_PREDICT_COMMANDS_STUDY_QUESTION_H

#include "formats/cli/options.h"
#include "predict/study/study.h"

/* Options read: "at", "machine", "no-host", "output", "define", "source", and those of `plan`. All
 * but the target where --at is not given. FT_ERROR_USAGE for what cannot be studied. */
int ft_study_question_read(const struct ft_arguments *arguments, struct ft_study *ret_study,
                           struct ft_diag *diag);

/* Whether sizes are of a list that the user gave. */
bool ft_study_has_listed_sizes(const struct ft_study *study);

#endif
