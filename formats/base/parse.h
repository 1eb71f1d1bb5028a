/*
 * Parses numbers given on command lines. Any other text fails with FT_ERROR_USAGE.
 */
#ifndef FT_FORMATS_BASE_PARSE_H
#define FT_FORMATS_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

/* The number that begins at *at, which moves behind it: decimal digits, or a finite decimal number
 * such as -1.5e3. Neither blanks nor hexadecimal. False, and nothing moves, where there is none or
 * it does not fit. */
bool ft_read_u64(const char **at, uint64_t *ret_value);
bool ft_read_double(const char **at, double *ret_value);
/* The same of a whole text. */
bool ft_parse_u64(const char *text, uint64_t *ret_value);
bool ft_parse_double(const char *text, double *ret_value);
/* "NAME=NUMBER": the bytes of the name, at least one, and the number. */
bool ft_parse_assignment(const char *text, size_t *ret_name_length, double *ret_value);

/* Sizes as people write them: "64", "4K", "2M", "1G" (powers of 1024). */
int ft_parse_bytes(const char *text, uint64_t *ret_bytes, struct ft_diag *diag);
/* Times above 0: "90", "90s", "1.5m", "2h". */
int ft_parse_seconds(const char *text, double *ret_seconds, struct ft_diag *diag);

#endif
