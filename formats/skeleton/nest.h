/*
 * A loop nest as two flat arrays: tokens say what runs in which order, numbers where and how often.
 *
 *   ACCESS reference                      an access; its address is the next number
 *   ROUTINE, LOOP  id, length, body       what ran in an activation, an entry; no number
 *   ONCE           -, length, body        an iteration of the loop around; no number
 *   REPEAT         -, length, n, body     iterations: their count, then the body's n numbers in the
 *                                         first iteration, then by how much each of these changes
 *                                         from one iteration to the next
 *   IRREGULAR      id                     what depends on data (irregular.h); no number
 *
 * Trip counts and strides of inner loops are numbers of the outer body, so they may change with
 * outer iterations: every number is multilinear in the counters around it. Modulo 2^64.
 */
#ifndef FT_FORMATS_SKELETON_NEST_H
#define FT_FORMATS_SKELETON_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

enum ft_nest_kind {
    FT_NEST_ACCESS,
    FT_NEST_ROUTINE,
    FT_NEST_LOOP,
    FT_NEST_ONCE,
    FT_NEST_REPEAT,
    FT_NEST_IRREGULAR
};
#define FT_NEST_ID_BITS 28
#define FT_NEST_ID_MAX  ((UINT32_C(1) << FT_NEST_ID_BITS) - 1)

static inline uint32_t ft_nest_token(enum ft_nest_kind kind, uint32_t id)
{
    return (uint32_t)kind << FT_NEST_ID_BITS | id;
}
static inline enum ft_nest_kind ft_nest_kind(uint32_t token)
{
    return (enum ft_nest_kind)(token >> FT_NEST_ID_BITS);
}
static inline uint32_t ft_nest_id(uint32_t token)
{
    return token & FT_NEST_ID_MAX;
}

struct ft_nest {
    uint32_t *tokens;
    size_t token_count, token_capacity;
    uint64_t *numbers;
    size_t number_count, number_capacity;
};
void ft_nest_fini(struct ft_nest *nest);
static inline void ft_nest_clear(struct ft_nest *nest)
{
    nest->token_count = nest->number_count = 0;
}

/* A part of one, which stays its owner's. */
struct ft_nest_span {
    const uint32_t *tokens;
    size_t token_count;
    const uint64_t *numbers;
    size_t number_count;
};
struct ft_nest_span ft_nest_span(const struct ft_nest *nest);

/* The element at the start of a span of tokens. */
struct ft_nest_element {
    enum ft_nest_kind kind;
    uint32_t id;
    size_t head;   /* tokens before the body; all of them where there is none */
    size_t length; /* tokens of the body */
    size_t body;   /* REPEAT: numbers of the body */
};
static inline struct ft_nest_element ft_nest_element(const uint32_t *tokens)
{
    struct ft_nest_element element = {ft_nest_kind(tokens[0]), ft_nest_id(tokens[0]), 1, 0, 0};
    if (element.kind == FT_NEST_ACCESS || element.kind == FT_NEST_IRREGULAR)
        return element;
    element.head = element.kind == FT_NEST_REPEAT ? 3 : 2;
    element.length = tokens[1];
    element.body = element.kind == FT_NEST_REPEAT ? tokens[2] : 0;
    return element;
}
/* Numbers of an element, given how many a body without a count of its own has. */
size_t ft_nest_element_numbers(const struct ft_nest_element *element, const uint32_t *tokens);
/* How many elements tokens are, without what is in them. */
size_t ft_nest_element_count(const uint32_t *tokens, size_t token_count);

/* Appending. False: out of memory. */
bool ft_nest_add_access(struct ft_nest *nest, uint32_t reference, uint64_t address);
bool ft_nest_add_irregular(struct ft_nest *nest, uint32_t id);
bool ft_nest_add(struct ft_nest *nest, const struct ft_nest_span *span);
/* Opens an activation or entry, which ft_nest_close ends; an empty one leaves nothing. */
bool ft_nest_open(struct ft_nest *nest, enum ft_nest_kind kind, uint32_t id, size_t *ret_place);
void ft_nest_close(struct ft_nest *nest, size_t place);
/* `count` iterations of a body; steps: as many as it has numbers, of one iteration not used. */
bool ft_nest_add_repeat(struct ft_nest *nest, const struct ft_nest_span *body, uint64_t count,
                        const uint64_t *steps);

/* Calls for each access of a span with how often it is made; several times where inner trip counts
 * change. */
typedef void ft_nest_counter(void *context, const uint32_t *token, uint64_t count);
int ft_nest_count(const struct ft_nest_span *span, ft_nest_counter *add, void *context,
                  struct ft_diag *diag);

#endif
