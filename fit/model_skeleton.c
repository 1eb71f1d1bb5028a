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

int ft_model_skeleton_learn(const struct ft_histograms *const *entries, struct ft_model *model,
                            struct ft_diag *ret_reason, struct ft_diag *diag)
{
    *ret_reason = (struct ft_diag){0};
    if (check(entries, model, ret_reason))
        return FT_OK;
    const struct ft_skeleton **skeletons = calloc(model->training_count + 1, sizeof *skeletons);
    struct ft_sized_skeleton *sized = calloc(1, sizeof *sized);
    int status = skeletons && sized ? FT_OK : ft_fail_memory(diag, "a skeleton over sizes");
    for (size_t i = 0; !status && i < model->training_count; i++)
        skeletons[i] = entries[i]->skeleton;
    if (!status)
        status = ft_sized_skeleton_learn(skeletons, model->training, model->training_count, sized,
                                         ret_reason);
    const bool is_learned = skeletons && sized && !status;
    if (is_learned)
        status = ft_sized_skeleton_hold_out(sized, skeletons, model->training,
                                            entries[model->training_count - 1], ret_reason);
    free(skeletons);
    if (is_learned && status)
        ft_sized_skeleton_fini(sized);
    if (!status) {
        model->skeleton = sized;
        return FT_OK;
    }
    free(sized);
    if (status == FT_ERROR_MEMORY && ret_reason->message[0])
        *diag = *ret_reason;
    return status == FT_ERROR_MEMORY ? status : FT_OK;
}
