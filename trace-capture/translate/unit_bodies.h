/*
 * Emits units, from the head of their record to their exit.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_UNIT_BODIES_H
#define FT_TRACE_CAPTURE_TRANSLATE_UNIT_BODIES_H

#include "trace-capture/translate/emission.h"

/* A unit from the head of its record to its exit. */
int ft_emission_plain(struct ft_emission *emission, struct ft_diag *diag);
int ft_emission_loop(struct ft_emission *emission, struct ft_diag *diag);
/* An unlogged loop: the plain copy, or with the count in its pointer register. */
int ft_emission_unlogged_loop(struct ft_emission *emission, struct ft_diag *diag);

#endif
