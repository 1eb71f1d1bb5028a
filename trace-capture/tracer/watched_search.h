/*
 * Finds watched functions (watched_functions.h) in mapped modules.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WATCHED_SEARCH_H
#define FT_TRACE_CAPTURE_TRACER_WATCHED_SEARCH_H

#include "trace-capture/translate/watched_functions.h"

struct ft_drain;
struct ft_target;

/* A module's code was mapped at [start, end): finds its functions, and notes each as an event in
 * the drain. A file that cannot be read has none. */
int ft_watched_add_module(struct ft_watched_functions *watched, const struct ft_target *target,
                          struct ft_drain *drain, const char *path, uint32_t module,
                          uint64_t load_bias, uint64_t start, uint64_t end, struct ft_diag *diag);
/* Code at pc is translated for the first time: resolves what could not be known earlier. Comes
 * before anything else is asked about it. */
int ft_watched_on_translation(struct ft_watched_functions *watched, const struct ft_target *target,
                              uint64_t pc, uint32_t module, struct ft_diag *diag);

#endif
