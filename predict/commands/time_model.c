#include "predict/commands/time_model.h"

#include <string.h>

static const char *const names[] = {[FT_TIME_MODEL_CORE] = "core",
                                    [FT_TIME_MODEL_CONVOLVER] = "convolver",
                                    [FT_TIME_MODEL_MARIN_2004] = "marin-2004"};

int ft_time_model_read(const struct ft_arguments *arguments, enum ft_time_model *ret_model,
                       struct ft_diag *diag)
{
    const char *name = ft_option_last(arguments, "time-model");
    *ret_model = FT_TIME_MODEL_CORE;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *ret_model = (enum ft_time_model)i;
            return FT_OK;
        }
    return name ? ft_fail(diag, FT_ERROR_USAGE,
                          "--time-model %s: must be core, convolver or marin-2004", name)
                : FT_OK;
}
