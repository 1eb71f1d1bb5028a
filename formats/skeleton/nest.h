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
 *   CYCLE          from, length, n, body  parts that recur: how many times, how many parts are left
 *                                         out of one of these; then the body's n numbers at the
 *                                         anchor, and by how much they change with each time from
 *                                         it
 *   GEOMETRIC      -, length, n, body     iterations that double or halve something: their count,
 *                                         then the body's n numbers in the first iteration, then
 *                                         a b of each, then a c, a d and an e: in iteration i + 1
 *                                         it is more than in i by b + c 2^(e i) + d 4^(e i)
 *
 * The anchor of a CYCLE is the first time (FROM_FIRST), and its last parts are left out the last
 * time; or it is the last time (FROM_LAST), and its first parts are left out the first time.
 *
 * Trip counts and strides of inner loops are numbers of the outer body, so they may change with
 * outer iterations: every number is multilinear in the counters around it, and in powers of two of
 * those of GEOMETRIC. Modulo 2^64.
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
    FT_NEST_IRREGULAR,
    FT_NEST_CYCLE,
    FT_NEST_GEOMETRIC
};
enum ft_nest_from { FT_NEST_FROM_FIRST, FT_NEST_FROM_LAST }; /* the id of a CYCLE */
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
/* Whether it is of a loop's iterations. */
static inline bool ft_nest_is_part(enum ft_nest_kind kind)
{
    return kind == FT_NEST_ONCE || kind == FT_NEST_REPEAT || kind == FT_NEST_CYCLE ||
           kind == FT_NEST_GEOMETRIC;
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

/* Of the body's numbers, in what repeats. */
enum { FT_NEST_FIRST, FT_NEST_STEPS };
enum { FT_NEST_POWERS = 2, FT_NEST_SQUARES, FT_NEST_EXPONENTS, FT_NEST_GEOMETRIC_ROWS };

/* The element at the start of a span of tokens. */
struct ft_nest_element {
    enum ft_nest_kind kind;
    uint32_t id;
    size_t head;   /* tokens before the body; all of them where there is none */
    size_t length; /* tokens of the body */
    size_t body;   /* of what repeats, REPEAT, CYCLE, GEOMETRIC: numbers of the body... */
    size_t rows;   /* ...how many such rows there are... */
    size_t counts; /* ...and numbers before them, how often; 0: it does not repeat */
};
static inline struct ft_nest_element ft_nest_element(const uint32_t *tokens)
{
    struct ft_nest_element element = {
        ft_nest_kind(tokens[0]), ft_nest_id(tokens[0]), 1, 0, 0, 0, 0};
    if (element.kind == FT_NEST_ACCESS || element.kind == FT_NEST_IRREGULAR)
        return element;
    const bool is_geometric = element.kind == FT_NEST_GEOMETRIC;
    element.counts = element.kind == FT_NEST_REPEAT || is_geometric ? 1
                     : element.kind == FT_NEST_CYCLE                ? 2
                                                                    : 0;
    element.rows = is_geometric ? FT_NEST_GEOMETRIC_ROWS : element.counts ? 2 : 0;
    element.head = element.counts ? 3 : 2;
    element.length = tokens[1];
    element.body = element.counts ? tokens[2] : 0;
    return element;
}
/* All numbers of what repeats. */
static inline size_t ft_nest_repeat_numbers(const struct ft_nest_element *element)
{
    return element->counts + element->rows * element->body;
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

/* A cycle of parts, each an ONCE or REPEAT; numbers and steps are as the anchor asks for. */
struct ft_nest_cycle {
    enum ft_nest_from from;
    uint64_t count, left_out;
    struct ft_nest_span parts;
    const uint64_t *steps;
};
bool ft_nest_add_cycle(struct ft_nest *nest, const struct ft_nest_cycle *cycle);
/* rows: [FT_NEST_GEOMETRIC_ROWS * numbers of the body]; the body's own are not looked at. */
bool ft_nest_add_geometric(struct ft_nest *nest, const struct ft_nest_span *body, uint64_t count,
                           const uint64_t *rows);

/* What a repetition runs the i-th time, counted from 0: tokens of its body from `at` to `end`, with
 * the body's numbers from `number` on. `numbers`: those of the repetition. */
struct ft_nest_time {
    size_t at, end, number;
};
struct ft_nest_time ft_nest_time(const struct ft_nest_element *element, const uint32_t *body,
                                 const uint64_t *numbers, uint64_t i);
/* The sum of power * 2^(exponent * m) over all m below i; halves are rounded down. */
uint64_t ft_nest_growth(uint64_t power, uint64_t exponent, uint64_t i);
/* A number of the body then, the k-th. */
static inline uint64_t ft_nest_number_at(const struct ft_nest_element *element,
                                         const uint64_t *numbers, size_t k, uint64_t i)
{
    const uint64_t *row = numbers + element->counts + k;
    const size_t body = element->body;
    const bool is_back = element->kind == FT_NEST_CYCLE && element->id == FT_NEST_FROM_LAST;
    const uint64_t number =
        row[FT_NEST_FIRST] + (is_back ? numbers[0] - 1 - i : i) * row[FT_NEST_STEPS * body];
    if (element->kind != FT_NEST_GEOMETRIC)
        return number;
    const uint64_t exponent = row[FT_NEST_EXPONENTS * body];
    return number + ft_nest_growth(row[FT_NEST_POWERS * body], exponent, i) +
           ft_nest_growth(row[FT_NEST_SQUARES * body], 2 * exponent, i);
}

/* Calls for each access of a span with how often it is made; several times where inner trip counts
 * change. */
typedef void ft_nest_counter(void *context, const uint32_t *token, uint64_t count);
int ft_nest_count(const struct ft_nest_span *span, ft_nest_counter *add, void *context,
                  struct ft_diag *diag);
/* Likewise, for each element, at its first token, with how often it runs. */
int ft_nest_count_elements(const struct ft_nest_span *span, ft_nest_counter *add, void *context,
                           struct ft_diag *diag);

#endif
