/*
 * The path that most calls of malloc, calloc or free take at one place of the program, of the
 * largest size: its accesses by what they are relative to. calloc's is without the memset behind
 * it, of which there is only how it clears (string_templates.h): by so many vectors.
 */
#ifndef FT_FIT_SKELETONS_HEAP_TEMPLATES_H
#define FT_FIT_SKELETONS_HEAP_TEMPLATES_H

#include "fit/skeletons/string_templates.h"

/* What a number of a call is relative to. */
enum ft_heap_base {
    FT_HEAP_NONE,
    FT_HEAP_STACK, /* the first access of the call to the stack */
    FT_HEAP_START, /* of the block that is allocated or freed */
    FT_HEAP_END    /* of what may be used of it */
};
#define FT_HEAP_BASES 4
struct ft_heap_number {
    enum ft_heap_base base;
    uint64_t value;
};

/* A call in a nest, in its first execution: the place of each base, and a number that moves with
 * it, counted from the call's first one; FT_HEAP_NO_NUMBER: the call has none. */
#define FT_HEAP_NO_NUMBER SIZE_MAX
struct ft_heap_call {
    uint64_t places[FT_HEAP_BASES];
    size_t numbers[FT_HEAP_BASES];
};

struct ft_heap_template {
    uint64_t context;  /* a hash of the routines and loops around (irregular_search.h), and of the
                          last access before it: that of the call instruction */
    uint32_t routine;  /* its token */
    uint64_t shape;    /* a hash of its tokens */
    uint64_t calls;    /* of the shape */
    bool is_common;    /* most calls there are of it */
    bool has_others;   /* accesses to free chunks, or blocks that are not behind its own */
    uint64_t accesses; /* of each */
    const uint32_t *tokens; /* the nest's */
    size_t token_count;
    struct ft_heap_number *numbers;
    size_t number_count;
    const struct ft_string_template *clear; /* NULL: there is no memset behind it */
    uint64_t clear_stack;                   /* where that loads, relative to FT_HEAP_STACK */
};
struct ft_heap_templates {
    struct ft_heap_template *templates;
    size_t count, capacity;
    bool *frees, *allocates; /* [routine of the largest]: free; malloc and calloc */
    uint32_t routine_count;
};
void ft_heap_templates_fini(struct ft_heap_templates *templates);
/* nest: the largest size's. It and the memsets must outlive the templates. */
int ft_heap_templates_find(const struct ft_skeleton *largest, const struct ft_nest *nest,
                           const struct ft_string_templates *memsets,
                           struct ft_heap_templates *ret_templates, struct ft_diag *diag);
/* NULL: there is none. */
const struct ft_heap_template *ft_heap_template_of(const struct ft_heap_templates *templates,
                                                   uint64_t context, uint32_t routine);

/* Bytes of each block; the caller's. NULL: out of memory. */
uint64_t *ft_heap_block_bytes(const struct ft_block_events *blocks);
bool ft_heap_is_call(const struct ft_heap_templates *templates, uint32_t token);
/* Of a call's tokens from `at` to `end`, with its numbers from `number` on. */
void ft_heap_call_read(const struct ft_heap_templates *templates, const struct ft_nest *nest,
                       const uint64_t *block_bytes, uint32_t block_count, size_t at, size_t number,
                       struct ft_heap_call *ret_call);
/* How often a call runs: as often as its first access. before: [token] (nest_executions.h). */
uint64_t ft_heap_call_times(const struct ft_nest *nest, const uint64_t *before, size_t at);
uint64_t ft_heap_call_shape(const struct ft_nest *nest, size_t at);
/* The place of the first access in what begins there that is not to the stack, and of the last that
 * is; 0: there is none. */
struct ft_heap_ends {
    uint64_t first, last_stack;
};
struct ft_heap_ends ft_heap_ends(const struct ft_nest *nest, size_t at, size_t number);

#endif
