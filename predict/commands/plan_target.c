#include "predict/commands/plan_target.h"

#include <math.h>
#include <stdio.h>

#include "formats/base/parse.h"
#include "formats/model/model_values.h"

int ft_plan_target_read(const char *text, struct ft_plan_target *ret_target, struct ft_diag *diag)
{
    size_t length;
    double size;
    if (!ft_parse_assignment(text, &length, &size) || length >= sizeof ret_target->name ||
        size < 2 || size > FT_MODEL_SIZE_MAX || size != floor(size))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--at %s: must be NAME=NUMBER, with an integer of at least 2", text);
    snprintf(ret_target->name, sizeof ret_target->name, "%.*s", (int)length, text);
    ret_target->size = size;
    return FT_OK;
}
