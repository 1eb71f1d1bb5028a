/*
 * Classes of ranks by what they communicate: those with the same calls, whose peers are in the same
 * directions. In a block of ranks without wrapping these are corners, edges, faces and the inside,
 * each by its side.
 */
#ifndef FT_PREDICT_RANKS_LAWS_RANK_CLASSES_H
#define FT_PREDICT_RANKS_LAWS_RANK_CLASSES_H

#include "predict/ranks/laws/shape_cases.h"

struct ft_rank_classes {
    uint32_t *of_rank;    /* [rank of the size]: its class, numbered in the order of first ranks */
    uint64_t *signatures; /* [count] */
    size_t count, capacity;
};
int ft_rank_classes_find(const struct ft_job_laws *laws, const struct ft_rank_size *size,
                         struct ft_rank_classes *ret_classes, struct ft_diag *diag);
/* The class that a rank of another size has there; FT_NO_RANK_CLASS: one that the size lacks. */
#define FT_NO_RANK_CLASS UINT32_MAX
uint32_t ft_rank_class_of(const struct ft_rank_classes *classes, const struct ft_job_laws *laws,
                          const struct ft_rank_size *size, uint32_t rank);
void ft_rank_classes_fini(struct ft_rank_classes *classes);

#endif
