/*
 * What all steps of a fit share (fit_model.c): the entries by size, which of their references are
 * one group, and the model in the making.
 */
#ifndef FT_FIT_FIT_WORK_H
#define FT_FIT_FIT_WORK_H

#include "fit/counted_accesses.h"
#include "fit/counted_sizes.h"
#include "fit/footprints.h"
#include "fit/functions/leave_out.h"
#include "fit/matching/match.h"
#include "fit/matching/series_strides.h"
#include "fit/methods/methods.h"

struct ft_fit_work {
    const struct ft_histograms **entries; /* by size */
    size_t count;
    bool is_whole; /* not a shared model (formats/model/model_threads.h) */
    struct ft_axis axis;
    struct ft_match match;
    struct ft_series_notes series;
    struct ft_counted_sizes counted;
    struct ft_counted_accesses group_counts; /* where there are sizes of counts alone */
    double *scope_counts;                    /* [scope][quantity][column of the counted sizes] */
    double *remapped_pages;                  /* [scope][entry]; NULL: none */
    double *executions;                      /* [function of model->executions][column] */
    const struct ft_fit_method *method;
    const struct ft_fit_method *methods[FT_METHODS_MAX]; /* that are weighed, then NULL */
    struct ft_axis data_axis;                            /* the traces' data sizes */
    struct ft_leave_out_axes without;                    /* of replicas, in their order */
    struct ft_leave_out_axes data_without;
    uint32_t **members;   /* [entry]: references ordered by group */
    size_t **member_ends; /* [entry][group + 1]: where each group's begin */
    struct ft_model *model;
};

/* The model and its replicas, as they are fitted together: the model first, then those without each
 * of the sets of work->without, the largest one last. */
#define FT_VERSIONS_MAX (2 + FT_LEAVE_OUT_MAX)
static inline size_t ft_fit_versions(const struct ft_fit_work *work)
{
    return 1 + work->model->replica_count;
}
static inline struct ft_model *ft_fit_version(const struct ft_fit_work *work, size_t version)
{
    return version > 0 ? &work->model->replicas[version - 1] : work->model;
}

/* The axis of the data sizes; NULL where the model runs over these. */
static inline const struct ft_axis *ft_fit_data_axis(const struct ft_fit_work *work)
{
    return work->data_axis.count > 0 ? &work->data_axis : NULL;
}

/* The axis of the counts; without sizes of counts alone it is that of the training sizes. */
static inline const struct ft_axis *ft_fit_counted_axis(const struct ft_fit_work *work)
{
    return work->counted.alone > 0 ? &work->counted.axis : &work->axis;
}

/* The accesses of a group at one size. */
double ft_fit_group_accesses(const struct ft_fit_work *work, size_t group, size_t entry);

/* All functions of work->model and its replicas, whose groups and counts are listed: footprints
 * first, which bound distances; then every group at every block size, and every scope, in parallel.
 * Each writes to its own element only, so the result does not depend on the schedule. notes: what
 * the counted sizes say of laws, added to. */
int ft_fit_functions(struct ft_fit_work *work, int threads, struct ft_counted_notes *notes,
                     struct ft_diag *diag);

#endif
