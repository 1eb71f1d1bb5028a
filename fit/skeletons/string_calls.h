/*
 * Calls of the C library's memset, memcpy and memmove as what they do: so many granules filled or
 * copied, whatever instructions a length takes. From a length on these routines use a repeated
 * string instruction, whose accesses also depend on where in a granule they begin, below it vectors
 * that overlap at the ends. Calls of one place in the program then differ from size to size in more
 * than numbers.
 */
#ifndef FT_FIT_SKELETONS_STRING_CALLS_H
#define FT_FIT_SKELETONS_STRING_CALLS_H

#include "fit/skeletons/string_templates.h"

/* The nest of a skeleton's first thread, with the ids of the largest in its tokens. Calls stay as
 * they are where they are short, on the stack, or longer from one iteration to the next. ret_nest:
 * the caller's; *ret_found: set where a call was written. */
int ft_string_calls_write(const struct ft_string_templates *templates,
                          const struct ft_skeleton *skeleton, const uint32_t *renamed,
                          struct ft_nest *ret_nest, bool *ret_found, struct ft_diag *diag);

#endif
