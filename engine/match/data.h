/*
 * Matches the data of two builds of a program by name: variables, allocation sites, stack frames.
 * First by the full name; then without line numbers and compiler suffixes (`counts.0`), in order,
 * if a name is equally frequent on both sides, because an edit moves all sites of a routine.
 */
#ifndef FT_ENGINE_MATCH_DATA_H
#define FT_ENGINE_MATCH_DATA_H

#include "engine/data/data_of_groups.h"
#include "formats/base/status.h"

/* numbers[side][name]: the same number on both sides for the same data, malloc'ed. */
int ft_data_match(const struct ft_data_of_groups *const sides[2], uint32_t *ret_numbers[2],
                  struct ft_diag *diag);

#endif
