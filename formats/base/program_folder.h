/*
 * Finds files that belong to the running program: beside it, as built or installed.
 */
#ifndef FT_FORMATS_BASE_PROGRAM_FOLDER_H
#define FT_FORMATS_BASE_PROGRAM_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* <folder of the running program>/<below>, if it is there and can be read. */
bool ft_beside_program(const char *below, char ret_path[PATH_MAX]);

#endif
