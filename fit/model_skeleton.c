#include "fit/model_skeleton.h"

#include <stdlib.h>

#include "fit/skeletons/held_out.h"

/* Whether there can be one. */
static int check(const struct ft_histograms *const *entries, const struct ft_model *model,
                 struct ft_diag *ret_reason)
{
    size_t without = 0;
    for (size_t i = 0; i < model->training_count; i++)
        without += !entries[i]->skeleton;
    if (model->over_data_size)
        return ft_fail(ret_reason, FT_ERROR_USAGE, "the model is over the size of the data");
    if (model->basis.parameter_count > 1)
        return ft_fail(ret_reason, FT_ERROR_USAGE, "the model is over several parameters");
    if (without)
        return ft_fail(ret_reason, FT_ERROR_USAGE, "%zu of %zu traces have none", without,
                       model->training_count);
    return FT_OK;
}

/* Learns, then tries it on the largest size. */
static int learn(const struct ft_histograms *const *entries, const struct ft_model *model,
                 const struct ft_skeleton **skeletons, struct ft_sized_skeleton *sized,
                 struct ft_diag *ret_reason)
{
    const size_t count = model->training_count;
    for (size_t i = 0; i < count; i++)
        skeletons[i] = entries[i]->skeleton;
    FT_TRY(ft_sized_skeleton_learn(skeletons, model->training, count, sized, ret_reason));
    int status = ft_sized_skeleton_hold_out(sized, skeletons, model->training, entries[count - 1],
                                            ret_reason);
    if (status)
        ft_sized_skeleton_fini(sized);
    return status;
}

int ft_model_skeleton_learn(const struct ft_histograms *const *entries, struct ft_model *model,
                            struct ft_diag *ret_reason, struct ft_diag *diag)
{
    *ret_reason = (struct ft_diag){0};
    if (check(entries, model, ret_reason))
        return FT_OK;
    const struct ft_skeleton **skeletons = calloc(model->training_count + 1, sizeof *skeletons);
    struct ft_sized_skeleton *sized = calloc(1, sizeof *sized);
    int status = skeletons && sized ? learn(entries, model, skeletons, sized, ret_reason)
                                    : ft_fail_memory(ret_reason, "a skeleton over sizes");
    free(skeletons);
    if (!status) {
        model->skeleton = sized;
        return FT_OK;
    }
    free(sized);
    if (status == FT_ERROR_MEMORY)
        *diag = *ret_reason;
    return status == FT_ERROR_MEMORY ? status : FT_OK;
}
