/*
 * Which times a command shows besides those of the core model: --time-model.
 */
#ifndef FT_PREDICT_COMMANDS_TIME_MODEL_H
#define FT_PREDICT_COMMANDS_TIME_MODEL_H

#include "formats/cli/options.h"

enum ft_time_model {
    FT_TIME_MODEL_CORE,       /* none besides */
    FT_TIME_MODEL_CONVOLVER,  /* Tikir et al. 2007 (docs/convolver.md) */
    FT_TIME_MODEL_MARIN_2004, /* schedule and penalty (predict/time/penalty_time.h) */
};

/* clang-format off */
#define FT_TIME_MODEL_OPTIONS                                                                      \
    {"time-model", 0, "MODEL",                                                                     \
     "core (default); convolver: also times by references over bandwidth (docs/convolver.md); or " \
     "marin-2004: also schedule and exposed latencies (docs/predict.md)",                          \
     .excludes = "hierarchy"},                                                                     \
    {"bandwidth-model", 0, "FILE",                                                                 \
     "of 'foretrace bandwidth': for each --machine, or one for all (beside the machine's file)",   \
     .needs = "time-model", .reads = true, .repeats = true}
/* clang-format on */

int ft_time_model_read(const struct ft_arguments *arguments, enum ft_time_model *ret_model,
                       struct ft_diag *diag);

#endif
