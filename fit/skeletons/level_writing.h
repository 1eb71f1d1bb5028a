/*
 * Writes a list of levels (level_lists.h), as the nodes of a tree of nests are written
 * (nest_writing.h).
 */
#ifndef FT_FIT_SKELETONS_LEVEL_WRITING_H
#define FT_FIT_SKELETONS_LEVEL_WRITING_H

#include "fit/skeletons/nest_writing.h"

ft_levels_writer ft_levels_write;

/* The levels that a number is of, or NULL; which of those written, and which of its numbers: 0 is
 * the count. */
const struct ft_written_levels *ft_levels_of_number(const struct ft_nest_writing *writing,
                                                    size_t number, size_t *ret_level,
                                                    size_t *ret_within);

#endif
