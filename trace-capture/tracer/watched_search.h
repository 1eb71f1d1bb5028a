/*
 * Finds watched functions (watched_functions.h) in the modules that are mapped.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WATCHED_SEARCH_H
#define FT_TRACE_CAPTURE_TRACER_WATCHED_SEARCH_H

#include "trace-capture/translate/watched_functions.h"

struct ft_drain;
struct ft_target;

/* A module's code has been mapped at [start, end): finds its functions, and notes each as an event
 * in the drain. What cannot be read has none. */
int ft_watched_add_module(struct ft_watched_functions *watched, const struct ft_target *target,
                          struct ft_drain *drain, const char *path, uint32_t module,
                          uint64_t load_bias, uint64_t start, uint64_t end, struct ft_diag *diag);
/* Code at pc is translated for the first time, before anything else is asked of it. */
int ft_watched_meet(struct ft_watched_functions *watched, const struct ft_target *target,
                    uint64_t pc, uint32_t module, struct ft_diag *diag);

#endif
