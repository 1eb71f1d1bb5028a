/*
 * What is given where a file of ours is expected, and has none of our formats: a folder, or an
 * archive.
 */
#ifndef FT_FORMATS_BASE_INPUT_FORM_H
#define FT_FORMATS_BASE_INPUT_FORM_H

#include "formats/base/status.h"

/* FT_ERROR_DATA of a folder, with the path of the model in it where there is one, as in those of
 * studies. Else FT_OK. */
int ft_check_no_folder(const char *path, struct ft_diag *diag);
/* The same of what zstd has compressed, as archives are. What is left of a trace whose HDF5 parts
 * are gone may begin so, too. */
int ft_check_input_form(const char *path, struct ft_diag *diag);

#endif
