/*
 * Parameters from the paths of builds: where sizes are fixed at compile time, a build is often
 * named after its size, ssor-12, or is in a folder that is, N64/bin/lu.
 */
#ifndef FT_FIT_MATCHING_BUILD_NAMES_H
#define FT_FIT_MATCHING_BUILD_NAMES_H

#include <stdbool.h>

#include "formats/histograms/histograms.h"

/* The number in a path at the # of a pattern, which is compared with the end of the path: complete
 * names of files and folders. */
bool ft_build_name_value(const char *path, const char *pattern, double *ret_value);

/* Gives each entry the parameter, with the value in its program's path. FT_ERROR_USAGE if a path
 * does not match, or an entry was captured with another value of the parameter. */
int ft_build_names_read(struct ft_histograms *entries, size_t count, const char *parameter,
                        const char *pattern, struct ft_diag *diag);

#endif
