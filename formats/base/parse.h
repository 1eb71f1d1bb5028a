/*
 * Parses numbers given on command lines. Any other text fails with FT_ERROR_USAGE.
 */
#ifndef FT_FORMATS_BASE_PARSE_H
#define FT_FORMATS_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

/* Reads the number at *at, and advances *at past it: decimal digits, or a finite decimal number
 * such as -1.5e3. Neither leading blanks nor hexadecimal. False, with *at unchanged, if there is
 * none or it does not fit. */
bool ft_read_u64(const char **at, uint64_t *ret_value);
bool ft_read_double(const char **at, double *ret_value);
/* The same for a whole text. */
bool ft_parse_u64(const char *text, uint64_t *ret_value);
bool ft_parse_double(const char *text, double *ret_value);
/* "4" or "0-3": numbers from the first to the last; as ft_read_u64 otherwise. */
bool ft_read_range(const char **at, uint64_t *ret_first, uint64_t *ret_last);

/* What follows "NAME=", and the bytes of the name, at least one; NULL where the text has no such
 * beginning. */
const char *ft_split_assignment(const char *text, size_t *ret_name_length);
/* "NAME=NUMBER". */
bool ft_parse_assignment(const char *text, size_t *ret_name_length, double *ret_value);
/* The first of "N=100,M=5"; advances *at to the next one. */
bool ft_read_assignment(const char **at, size_t *ret_name_length, double *ret_value);

/* Sizes as people write them: "64", "4K", "2M", "1G" (powers of 1024). */
int ft_parse_bytes(const char *text, uint64_t *ret_bytes, struct ft_diag *diag);
/* Counts: "5000", "20K", "3M", "1G", "2T" (powers of 1000). */
bool ft_parse_count(const char *text, uint64_t *ret_count);
/* Times above 0: "90", "90s", "1.5m", "2h". */
int ft_parse_seconds(const char *text, double *ret_seconds, struct ft_diag *diag);

#endif
