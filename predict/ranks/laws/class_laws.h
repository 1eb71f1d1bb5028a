/*
 * The laws of all classes of ranks in one space of variables: for each class the shortest shape
 * that has laws for all it holds. What job_laws.c and class_laws.c share.
 */
#ifndef FT_PREDICT_RANKS_LAWS_CLASS_LAWS_H
#define FT_PREDICT_RANKS_LAWS_CLASS_LAWS_H

#include "predict/ranks/laws/job_symbols.h"
#include "predict/ranks/laws/shape_cases.h"

struct ft_job_learner {
    const struct ft_job_laws_task *task;
    struct ft_job_symbols symbols;
    struct ft_rank_size *runs;   /* [run_count] */
    struct ft_law_point *probes; /* at ranks of the target */
    uint32_t *probe_ranks;
    size_t probe_count;
    struct ft_grid_division division; /* of the attempt */
    bool is_ambiguous;    /* an attempt lacked what tells laws apart that explain the runs */
    size_t known;         /* nodes with laws of the attempt that got farthest */
    struct ft_diag best;  /* what it lacked */
    struct ft_diag *diag; /* of what ends all attempts */
};

/* laws: with its space. Where there are none, the learner notes why. */
int ft_class_laws_learn(struct ft_job_learner *learner, struct ft_job_laws *laws,
                        bool *ret_is_learned);
void ft_class_laws_drop(struct ft_job_laws *laws);

#endif
