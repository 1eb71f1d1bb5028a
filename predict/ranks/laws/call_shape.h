/*
 * The order of a rank's calls as a nest of loops: folded from one rank, then found in others, whose
 * loops have other trip counts. A call is a symbol here.
 */
#ifndef FT_PREDICT_RANKS_LAWS_CALL_SHAPE_H
#define FT_PREDICT_RANKS_LAWS_CALL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FT_SHAPE_LOOP  UINT32_MAX
#define FT_SHAPE_DEPTH 8U

struct ft_shape_node {
    uint32_t symbol; /* FT_SHAPE_LOOP: its body is the nodes behind it, up to `end` */
    uint32_t end;
};
struct ft_call_shape {
    struct ft_shape_node *nodes; /* in preorder */
    size_t count, capacity;
};

/* Of calls that are told apart by `keys` and become `symbols`; false: out of memory. */
bool ft_call_shape_fold(const uint32_t *keys, const uint32_t *symbols, size_t count,
                        struct ft_call_shape *ret_shape);
/* False: out of memory. */
bool ft_call_shape_copy(const struct ft_call_shape *shape, struct ft_call_shape *ret_copy);
void ft_call_shape_fini(struct ft_call_shape *shape);
bool ft_call_shape_equal(const struct ft_call_shape *a, const struct ft_call_shape *b);

/* A visit of a node: a call, or a loop with all its trips. */
struct ft_shape_visit {
    uint32_t node;
    uint32_t from;  /* of a call: node of the call before; FT_SHAPE_LOOP: none */
    uint32_t depth; /* loops around it */
    uint64_t value; /* of a call its index, of a loop its trips */
    uint32_t iterations[FT_SHAPE_DEPTH]; /* of the loops around it, the outermost first */
};
struct ft_shape_visits {
    struct ft_shape_visit *items;
    size_t count, capacity;
};
/* Whether the symbols have the shape. Loops take all iterations that they can, or none. */
bool ft_call_shape_match(const struct ft_call_shape *shape, const uint32_t *symbols, size_t count,
                         struct ft_shape_visits *visits, bool *ret_is_out_of_memory);

#endif
