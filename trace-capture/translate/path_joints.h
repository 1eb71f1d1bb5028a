/*
 * Emits what joins the units of a path.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_PATH_JOINTS_H
#define FT_TRACE_CAPTURE_TRANSLATE_PATH_JOINTS_H

#include "trace-capture/translate/emission.h"

/* A path's branch, jump, call or return, before its last instruction: goes on to the next one, or
 * leaves by a side exit. `bytes`: of the record, its slots up to here included. */
int ft_emission_joint(struct ft_emission *emission, unsigned index, int32_t bytes,
                      struct ft_diag *diag);

#endif
