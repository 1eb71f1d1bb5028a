/*
 * Parameters from the names of builds: where sizes are fixed at compile time, a build is often
 * called by its size, ssor-12, or stands in a folder that is, N64/bin/lu.
 */
#ifndef FT_FIT_MATCHING_BUILD_NAMES_H
#define FT_FIT_MATCHING_BUILD_NAMES_H

#include <stdbool.h>

#include "formats/histograms/histograms.h"

/* The number that stands in a path in the place of the # of a pattern, which is compared with the
 * end of the path: whole names of files and folders. */
bool ft_build_name_value(const char *path, const char *pattern, double *ret_value);

/* Gives each entry the parameter, with the value that its program's path has. FT_ERROR_USAGE where
 * a path is not like that, or an entry was captured with another value of the parameter. */
int ft_build_names_read(struct ft_histograms *entries, size_t count, const char *parameter,
                        const char *pattern, struct ft_diag *diag);

#endif
