/*
 * How long the copies of memcpy and the like are.
 */
#ifndef FT_FIT_SKELETONS_STRING_COPIES_H
#define FT_FIT_SKELETONS_STRING_COPIES_H

#include "formats/skeleton/skeleton.h"

/* The longest of each routine in a nest of a skeleton's tokens. ret_longest: [scope], in bytes. */
void ft_string_copies_longest(const struct ft_skeleton *skeleton, const struct ft_nest *nest,
                              uint64_t *ret_longest);

#endif
