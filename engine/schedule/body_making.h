/*
 * Makes the body of a path through a loop, or of straight-line code, for a core.
 */
#ifndef FT_ENGINE_SCHEDULE_BODY_MAKING_H
#define FT_ENGINE_SCHEDULE_BODY_MAKING_H

#include "engine/schedule/body.h"

int ft_body_make(const struct ft_core *core, const struct ft_body_path *path,
                 struct ft_body *ret_body, struct ft_diag *diag);

#endif
