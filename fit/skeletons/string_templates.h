/*
 * Calls of the C library's memset, memcpy and memmove as what they do: so many granules filled or
 * copied, whatever instructions a length takes. From a length on these routines use a repeated
 * string instruction, whose accesses also depend on where in a granule they begin
 * (docs/trace-format.md, "String instructions"), below it vectors that overlap at the ends. Calls
 * of one place in the program then differ from size to size in more than numbers.
 */
#ifndef FT_FIT_SKELETONS_STRING_TEMPLATES_H
#define FT_FIT_SKELETONS_STRING_TEMPLATES_H

#include "formats/skeleton/skeleton.h"

/* An access of a call that uses a string instruction, or all of that one's. */
struct ft_string_access {
    uint32_t load, store; /* tokens; 0: none. Only the string instruction of a copy has both */
    enum {
        FT_STRING_DATA,    /* of the routine itself, at an address */
        FT_STRING_STACK,   /* behind the others */
        FT_STRING_VECTOR,  /* `at` bytes behind what the call begins to load, or to store */
        FT_STRING_GRANULES /* from there on to the end */
    } kind;
    uint64_t at;
};
#define FT_STRING_ACCESSES_MAX 16U
/* What a routine does and by which references, as a call of the largest size does. */
struct ft_string_template {
    uint32_t routine; /* its token */
    bool is_copy;
    struct ft_string_access accesses[FT_STRING_ACCESSES_MAX];
    size_t count;
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
int ft_string_templates_write(const struct ft_string_templates *templates,
                              const struct ft_skeleton *skeleton, const uint32_t *renamed,
                              struct ft_nest *ret_nest, struct ft_diag *diag);

/* The longest copy of each routine in a nest of a skeleton's tokens; longest: [scope], in bytes. */
void ft_string_copies_longest(const struct ft_skeleton *skeleton, const struct ft_nest *nest,
                              uint64_t *ret_longest);

#endif
