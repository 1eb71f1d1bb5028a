/*
 * A number of a call over ranks, sizes and iterations: an exact law, or of peers a step in the grid
 * of ranks; the same for all ranks, or one for each class of them.
 */
#ifndef FT_PREDICT_RANKS_LAWS_VALUE_RULE_H
#define FT_PREDICT_RANKS_LAWS_VALUE_RULE_H

#include "predict/ranks/laws/rank_space.h"

struct ft_value_rule {
    bool is_shift; /* of a peer, as in details: 0 nobody, 2 rank 0 */
    struct ft_rank_shift shift;
    struct ft_exact_law law; /* else */
};
struct ft_value_case {
    uint32_t category;
    struct ft_value_rule rule;
};
struct ft_value_rules {
    enum ft_rank_key key;
    struct ft_value_case *cases; /* one where all are alike */
    size_t count, capacity;
};

/* Of which rank and run a sample is. */
struct ft_value_source {
    uint32_t run, rank;
};
struct ft_value_samples {
    struct ft_law_point *points;
    int64_t *values;
    struct ft_value_source *sources;
    size_t count, capacity, value_capacity, source_capacity;
};
bool ft_value_samples_add(struct ft_value_samples *samples, const struct ft_law_point *point,
                          int64_t value, struct ft_value_source source);
void ft_value_samples_fini(struct ft_value_samples *samples);

/* What rules are found for. */
struct ft_value_task {
    const struct ft_rank_space *space;
    const struct ft_rank_size *runs; /* that samples are of */
    size_t run_count;
    const struct ft_rank_size *target; /* NULL: none, then nothing can be ambiguous */
    const struct ft_law_point *probes; /* of ranks of the target */
    const uint32_t *probe_ranks;
    size_t probe_count;
};

enum ft_value_answer {
    FT_VALUE_FOUND,
    FT_VALUE_NO_LAW,
    FT_VALUE_AMBIGUOUS, /* laws that differ at the target explain the samples alike */
    FT_VALUE_UNSEEN     /* the target has ranks of a class that no run had */
};
/* is_peer: the values are ranks in a communicator, as in details: a step in the grid of all ranks
 * is looked for first. */
int ft_value_rules_find(const struct ft_value_task *task, const struct ft_value_samples *samples,
                        bool is_peer, enum ft_value_answer *ret_answer,
                        struct ft_value_rules *ret_rules, struct ft_diag *diag);
void ft_value_rules_fini(struct ft_value_rules *rules);

/* Of a rank of a run; false: no integer there, or a class without a law. */
bool ft_value_rules_at(const struct ft_value_rules *rules, const struct ft_rank_space *space,
                       const struct ft_rank_size *size, uint32_t rank,
                       const struct ft_law_point *point, int64_t *ret_value);
/* Adds the variables that they depend on; and whether they depend on places in the grid. */
void ft_value_rules_use(const struct ft_value_rules *rules, uint64_t *variables,
                        bool *has_positions);

#endif
