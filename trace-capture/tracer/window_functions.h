/*
 * The functions and markers at which windows may open or close: a translation that begins at one
 * has a stop there.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_WINDOW_FUNCTIONS_H
#define FT_TRACE_CAPTURE_TRACER_WINDOW_FUNCTIONS_H

#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/translate/translator.h"

/* Code translated from here on has the stops that the options need. Options and outcome must
 * outlive the windows. */
void ft_windows_init(struct ft_windows *windows, const struct ft_window_options *options,
                     struct ft_window_outcome *outcome, struct ft_translator *translator);
void ft_windows_fini(struct ft_windows *windows);
/* The object at `path` was mapped, its code at [start, end): finds its functions. Call it before
 * any of that code is translated. */
int ft_windows_add_module(struct ft_windows *windows, const char *path, uint64_t start,
                          uint64_t end, uint64_t load_bias, struct ft_diag *diag);

#endif
