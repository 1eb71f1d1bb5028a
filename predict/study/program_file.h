/*
 * The file of a program that is to be run, as a shell would find it.
 */
#ifndef FT_PREDICT_STUDY_PROGRAM_FILE_H
#define FT_PREDICT_STUDY_PROGRAM_FILE_H

#include "formats/base/status.h"

/* To be freed; NULL where there is none, or without memory. */
char *ft_study_program_file(const char *word);
/* FT_ERROR_USAGE where it cannot be run. What has a {NAME} is not known yet, and accepted. */
int ft_study_program_check(const char *word, struct ft_diag *diag);

#endif
