/*
 * The text that names an allocation site: "malloc: read_all (io.c:12) < main (main.c:30)".
 */
#ifndef FT_ENGINE_DATA_ALLOCATION_SITE_H
#define FT_ENGINE_DATA_ALLOCATION_SITE_H

#include "formats/trace/trace.h"

/* At most this many calls are considered, innermost first. */
#define FT_SITE_FRAMES_MAX 16

/* The function returns to return_pcs[0], its caller to [1], and so on. Names up to `callers`
 * routines (data_objects.h says which are skipped); a recursion is named once. Malloc'ed; NULL when
 * out of memory. */
char *ft_allocation_site_text(const struct ft_trace *trace, const char *function,
                              const uint64_t *return_pcs, size_t count, unsigned callers);

#endif
