/*
 * --at NAME=SIZE of commands that run a program at sizes: one integer.
 */
#ifndef FT_PREDICT_COMMANDS_PLAN_TARGET_H
#define FT_PREDICT_COMMANDS_PLAN_TARGET_H

#include "formats/base/status.h"

struct ft_plan_target {
    char name[64]; /* of the parameter */
    double size;
};

int ft_plan_target_read(const char *text, struct ft_plan_target *ret_target, struct ft_diag *diag);

#endif
