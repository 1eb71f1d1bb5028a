/*
 * Which accesses the C library's memset, memcpy and memmove make where they use a repeated string
 * instruction (docs/trace-format.md, "String instructions"), as from a length on they do. Where no
 * call of the largest size is that long, vectors stand for all that a call does.
 */
#ifndef FT_FIT_SKELETONS_STRING_TEMPLATES_H
#define FT_FIT_SKELETONS_STRING_TEMPLATES_H

#include "formats/skeleton/skeleton.h"

/* glibc's x86_rep_stosb_threshold, from which on memset uses one; that of MOVSB is as long or
 * longer. */
#define FT_STRING_LONG_BYTES   2048U
#define FT_STRING_VECTOR_BYTES 16U /* what is smaller stands beside the vectors */

/* An access of a call, or all of those to granules: of its string instruction, or vectors. */
struct ft_string_access {
    uint32_t load, store; /* tokens; 0: none. Only granules of a copy, and its end, have both */
    enum {
        FT_STRING_DATA,     /* of the routine itself, at an address */
        FT_STRING_STACK,    /* behind the others */
        FT_STRING_VECTOR,   /* `at` bytes behind what the call begins to load, or to store */
        FT_STRING_GRANULES, /* from there on to the end */
        FT_STRING_VECTORS,  /* likewise, as many as fit */
        FT_STRING_END       /* a vector up to the end, over the last of these */
    } kind;
    uint64_t at;
    uint32_t bytes; /* of a vector, of the last two */
};
#define FT_STRING_ACCESSES_MAX 16U
/* What a routine does and by which references: as a call of the largest size does that uses a
 * string instruction, or by vectors of one, if none does. */
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
/* None where no call of the largest size uses a string instruction, or vectors. */
int ft_string_templates_find(const struct ft_skeleton *largest,
                             struct ft_string_templates *ret_templates, struct ft_diag *diag);
/* NULL: none of the routine, a token. */
const struct ft_string_template *ft_string_template_of(const struct ft_string_templates *templates,
                                                       uint32_t routine);

/* Whether a reference is a repeated string instruction's to whole granules, or to those that are
 * touched in part. */
bool ft_string_is_whole(const struct ft_skeleton *skeleton, uint32_t reference);
bool ft_string_is_partial(const struct ft_skeleton *skeleton, uint32_t reference);
/* Whether places are of one block: calloc clears up to 15 bytes behind one, which are in none. */
static inline bool ft_string_is_near(uint64_t place, uint64_t start)
{
    return place - (start - FT_PLACE_STEP / 2) < FT_PLACE_STEP;
}

#endif
