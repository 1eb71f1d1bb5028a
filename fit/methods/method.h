/*
 * The interface of fitting methods: a method turns the measured histograms of one group into a
 * modelled one. One method per file; methods.c lists them. To add one, see CONTRIBUTING.md.
 *
 * The method fills in the bins (malloc'ed, ascending, the first tail being touches - cold) of
 * ret_members[0]. If the task has a leave-out, the members after it get the same bins, with
 * functions fitted without each of its sizes. Called from several threads, each with its own
 * fitter; the result must depend on the inputs alone.
 */
#ifndef FT_FIT_METHODS_METHOD_H
#define FT_FIT_METHODS_METHOD_H

#include "fit/functions/counts.h"
#include "fit/functions/leave_out.h"
#include "fit/methods/profile.h"
#include "formats/model/model.h"

struct ft_fit_task {
    struct ft_fitter *fitter;
    const struct ft_profile *profiles;   /* [training size] */
    const struct ft_function *touches;   /* of the group: bounds its counts; [1 + sizes left out] */
    const struct ft_function *cold;      /* of these; the same */
    const struct ft_function *footprint; /* of the program, in blocks: bounds distances */
    const struct ft_axis *data;          /* the training sizes' data sizes, FT_DATA_SIZE; NULL: the
                                            model runs over these */
    struct ft_leave_out *leave_out;      /* NULL: no size is left out */
    size_t bins_likely;                  /* room to begin with */
};

/* What a method makes of the touches that are not cold. */
struct ft_fit_member {
    struct ft_model_bin *bins; /* by ascending distance; owned */
    size_t bin_count;
    bool over_data; /* distances are functions of the data size, in its terms */
};

struct ft_fit_method {
    const char *name;    /* as --method takes it */
    const char *summary; /* one line for --help */
    bool alone;          /* no member of the ensemble: too much like another one */
    size_t sizes_min;    /* of one parameter, fewer than other methods need; 0: no fewer */
    int (*fit)(const struct ft_fit_task *task, struct ft_fit_member *ret_members,
               struct ft_diag *diag); /* NULL: the ensemble of the others */
};

#endif
