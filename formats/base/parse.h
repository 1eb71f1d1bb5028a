/*
 * Parses numbers given on command lines. Any other text fails with FT_ERROR_USAGE.
 */
#ifndef FT_FORMATS_BASE_PARSE_H
#define FT_FORMATS_BASE_PARSE_H

#include <stdint.h>

#include "formats/base/status.h"

/* Sizes as people write them: "64", "4K", "2M", "1G" (powers of 1024). */
int ft_parse_bytes(const char *text, uint64_t *ret_bytes, struct ft_diag *diag);
/* Times above 0: "90", "90s", "1.5m", "2h". */
int ft_parse_seconds(const char *text, double *ret_seconds, struct ft_diag *diag);

#endif
