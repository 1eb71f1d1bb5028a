/*
 * The laws of all calls of a shape: trip counts of its loops, and of each call its communicator,
 * peers, bytes, tags and requests, and the instructions before it. Learned from ranks that have the
 * shape; they give the calls of a rank that never ran.
 */
#ifndef FT_PREDICT_RANKS_LAWS_CALL_LAWS_H
#define FT_PREDICT_RANKS_LAWS_CALL_LAWS_H

#include "predict/ranks/laws/call_shape.h"
#include "predict/ranks/laws/rank_calls.h"
#include "predict/ranks/laws/work_law.h"

/* A key's values in a call. */
struct ft_detail_law {
    uint64_t key;
    struct ft_value_rules length;
    struct ft_value_rules *items; /* [item_count]; one for all, over k, where lengths differ */
    size_t item_count;
    bool is_list; /* the latter */
};
/* Instructions between two calls. */
struct ft_work_edge {
    uint32_t from; /* node of the call before; FT_SHAPE_LOOP: none */
    bool has_later;
    struct ft_work_law first, later; /* of a rank the first time, and further ones */
};
struct ft_node_law {
    const char *name; /* of a call */
    const struct ft_mpi_function *function;
    struct ft_detail_law *details;
    size_t detail_count;
    struct ft_work_edge *edges; /* instructions before it */
    size_t edge_count;
    struct ft_value_rules trips; /* of a loop */
};
struct ft_call_laws {
    struct ft_call_shape shape;
    struct ft_node_law *nodes; /* [shape.count] */
    struct ft_work_law tail;   /* instructions behind the last call */
};

/* A rank whose calls have the shape. */
struct ft_shaped_rank {
    const struct ft_rank_calls *calls;
    struct ft_value_source source;
    struct ft_shape_visits visits; /* by node, in each of which they are in order */
    size_t *first_visit;           /* [node]; one more for the end */
};

struct ft_law_lack {
    size_t known;      /* nodes whose laws were found: of their peers, and again of all else */
    bool is_ambiguous; /* several laws explain the next number */
};
/* Takes the shape, which fini frees, also after an error. FT_ERROR_DATA: no law, and of what;
 * *ret_lack says how far it came. The ranks' calls must outlive the laws. */
int ft_call_laws_learn(const struct ft_value_task *task, const struct ft_shaped_rank *ranks,
                       size_t rank_count, struct ft_call_laws *laws, struct ft_law_lack *ret_lack,
                       struct ft_diag *diag);
void ft_call_laws_fini(struct ft_call_laws *laws);

/* Appends the calls of a rank to its timeline. FT_ERROR_DATA where a law gives nothing. */
int ft_call_laws_make(const struct ft_call_laws *laws, const struct ft_rank_space *space,
                      const struct ft_rank_size *size, struct ft_mpi_rank *rank,
                      struct ft_diag *diag);

/* Adds what laws of calls depend on, as ft_value_rules_use does. */
void ft_call_laws_use(const struct ft_call_laws *laws, uint64_t *variables, bool *has_positions);

#endif
