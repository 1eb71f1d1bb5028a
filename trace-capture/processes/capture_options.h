/*
 * What the user asked of a capture. The command fills it in; from there down it is constant.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_CAPTURE_OPTIONS_H
#define FT_TRACE_CAPTURE_PROCESSES_CAPTURE_OPTIONS_H

#include "trace-capture/processes/trace_limits.h"
#include "trace-capture/tracer/window_options.h"
#include "trace-capture/translate/watched_functions.h"

struct ft_capture_options {
    const char *output_pattern; /* names of traces: ft_output_pattern */
    bool replaces;              /* existing files */
    struct ft_limits limits;
    struct ft_window_options windows;
    struct ft_watch watch; /* the functions whose calls are logged */
    bool only_counts;      /* count edges; log no addresses */
    bool is_estimate;      /* costs are noted; a program that was started ends with its trace */
    bool follow;           /* capture child processes, too */
    bool keep_aslr;
    bool keep_sources;    /* source files that lines name */
    bool is_private;      /* traces without what tells of person and place */
    char *modules_folder; /* where modules are kept for later captures; NULL: nowhere */
    char *as_typed;       /* those that the trace notes, as text; "": none */
};

#endif
