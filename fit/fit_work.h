/*
 * What all steps of a fit share (fit_model.c): the entries by size, which of their references are
 * one group, and the model in the making.
 */
#ifndef FT_FIT_FIT_WORK_H
#define FT_FIT_FIT_WORK_H

#include "fit/footprints.h"
#include "fit/matching/match.h"
#include "fit/methods/held_out.h"

struct ft_fit_work {
    const struct ft_histograms **entries; /* by size */
    size_t count;
    struct ft_axis axis;
    struct ft_match match;
    double *scope_counts; /* [scope][quantity][entry] */
    const struct ft_fit_method *method;
    const struct ft_fit_method *methods[FT_METHODS_MAX]; /* that are weighed, then NULL */
    struct ft_axis data_axis;                            /* the traces' data sizes */
    struct ft_held_out_axes held_out;
    struct ft_footprint *footprints; /* [block size] */
    uint32_t **members;              /* [entry]: references ordered by group */
    size_t **member_ends;            /* [entry][group + 1]: where each group's begin */
    struct ft_model *model;
    const struct ft_model *like; /* whose members a replica's are of; NULL: weigh all methods */
};

/* The axis of the data sizes; NULL where the model runs over these. */
static inline const struct ft_axis *ft_fit_data_axis(const struct ft_fit_work *work)
{
    return work->data_axis.count > 0 ? &work->data_axis : NULL;
}

/* The accesses of a group at one size. */
double ft_fit_group_accesses(const struct ft_fit_work *work, size_t group, size_t entry);

/* All functions of work->model, whose groups and counts are listed, over the sizes of the work:
 * footprints first, which bound distances; then every group at every block size, and every scope,
 * in parallel: each writes its own place only, so the result does not depend on who does what. */
int ft_fit_functions(struct ft_fit_work *work, int threads, struct ft_diag *diag);

/* Jackknife: replicas of work->model, each fitted without one of the sizes; of many sizes without
 * each of the largest. */
int ft_fit_replicas(struct ft_fit_work *work, int threads, struct ft_diag *diag);

#endif
