/*
 * `verify` of a histogram file: everything read and each trace's results checked for conservation
 * (formats/conservation.h). Prints what was found.
 */
#ifndef FT_FORMATS_VERIFY_HISTOGRAMS_H
#define FT_FORMATS_VERIFY_HISTOGRAMS_H

#include "formats/base/status.h"

int ft_verify_histograms(const char *path, struct ft_diag *diag);

#endif
