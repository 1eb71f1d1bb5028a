/*
 * How long the core knows nothing of where its last branch leads: by the longest chain of
 * dependences to it (the branch resolution time of Eyerman, Smith & Eeckhout, ISPASS 2006). Pure.
 */
#ifndef FT_ENGINE_SCHEDULE_RESOLVE_CYCLES_H
#define FT_ENGINE_SCHEDULE_RESOLVE_CYCLES_H

#include "engine/schedule/body.h"

/* ret_cycles: from when the body's last instruction is dispatched until its result is there, if all
 * that comes from before the body is there, ports are free and nothing but dispatch delays. */
int ft_resolve_cycles_find(const struct ft_body *body, double *ret_cycles, struct ft_diag *diag);

#endif
