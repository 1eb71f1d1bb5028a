/*
 * Emits the joints between the units of a path.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_PATH_JOINTS_H
#define FT_TRACE_CAPTURE_TRANSLATE_PATH_JOINTS_H

#include "trace-capture/translate/emission.h"

/* A path's branch, jump, call or return, other than its last instruction: continues with the next
 * instruction, or leaves by a side exit. `bytes`: of the record, including its slots up to here. */
int ft_emission_joint(struct ft_emission *emission, unsigned index, int32_t bytes,
                      struct ft_diag *diag);

#endif
