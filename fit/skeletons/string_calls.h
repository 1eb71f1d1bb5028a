/*
 * Calls of the C library's memset, memcpy and memmove as what they do: so many granules filled or
 * copied, whatever instructions a length takes. From a length on these routines use a repeated
 * string instruction, whose accesses also depend on where in a granule they begin
 * (docs/trace-format.md, "String instructions"), below it vectors that overlap at the ends. Calls
 * of one place in the program then differ from size to size in more than numbers.
 */
#ifndef FT_FIT_SKELETONS_STRING_CALLS_H
#define FT_FIT_SKELETONS_STRING_CALLS_H

#include "formats/skeleton/skeleton.h"

/* What a routine does besides, and by which references: as a call of the largest size does. */
struct ft_string_template {
    uint32_t routine;     /* its token */
    uint32_t load, store; /* tokens of whole granules; a fill has no load: 0 */
    uint32_t before;      /* of an access before, of the routine's own data... */
    uint64_t before_address;
    bool has_before;
    uint32_t after; /* ...and one behind, of the stack */
    bool has_after;
};
struct ft_string_templates {
    struct ft_string_template *templates;
    size_t count, capacity;
};
void ft_string_templates_fini(struct ft_string_templates *templates);
/* None where no call of the largest size uses a string instruction. */
int ft_string_templates_find(const struct ft_skeleton *largest,
                             struct ft_string_templates *ret_templates, struct ft_diag *diag);

/* The nest of a skeleton's first thread, with the ids of the largest in its tokens. Calls stay as
 * they are where they are short, on the stack, or longer from one iteration to the next. ret_nest:
 * the caller's. */
int ft_string_calls_write(const struct ft_string_templates *templates,
                          const struct ft_skeleton *skeleton, const uint32_t *renamed,
                          struct ft_nest *ret_nest, struct ft_diag *diag);

#endif
