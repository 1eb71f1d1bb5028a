/*
 * Windows: the parts of a run that are recorded. In between the program runs translated but
 * unlogged. What opens and closes a window is asked for on the command line: functions that are
 * entered, markers in the program (markers/foretrace.h), numbers of instructions.
 *
 * Each process, and each image of it, has windows of its own and counts from its start. In it one
 * window is open for all threads, or none: the thread that comes upon its beginning or end goes
 * over to the other mode right there, the others are interrupted and follow at their next clean
 * point. All translations of both modes are kept, so a window costs a few stops.
 */
#ifndef FT_TRACE_CAPTURE_WINDOWS_H
#define FT_TRACE_CAPTURE_WINDOWS_H

#include "trace-capture/translation/translate.h"
#include "trace-capture/window_options.h"

struct ft_capture;
struct ft_thread;
struct ft_program_state;

struct ft_window_function { /* an address at which a function that was asked for begins */
    uint64_t pc;
    size_t name;
};

struct ft_windows {
    struct ft_window_options *options;
    struct ft_window_function *functions; /* in order of pc */
    size_t function_count, function_capacity;
    enum ft_mode mode; /* that all threads are in, or about to be */
    bool skipping;     /* the instructions of --skip */
    uint64_t opened;   /* windows so far */
    /* where the function that opened the present one returns to; 0: something else closes it */
    uint64_t return_pc, return_rsp;
    uint32_t return_thread;
    uint64_t *return_stops; /* addresses of the program that have a stop for it */
    size_t return_stop_count, return_stop_capacity;
};

/* What is translated from here on has the stops that the options need, which must live as long. */
void ft_windows_init(struct ft_windows *windows, struct ft_window_options *options,
                     struct ft_translator *translator);
void ft_windows_fini(struct ft_windows *windows);
/* The object at `path` was mapped, its code at [start, end): where its functions are. Before that
 * is translated. */
int ft_windows_add_module(struct ft_windows *windows, const char *path, uint64_t start,
                          uint64_t end, uint64_t load_bias, struct ft_diag *diag);

/* A new thread, with its log open: it starts in the present mode. */
int ft_windows_start_thread(struct ft_thread *thread, struct ft_program_state *state,
                            struct ft_diag *diag);
/* The log of a thread ends. */
void ft_windows_end_thread(struct ft_thread *thread);
/* Whether the thread has to go over to another mode. */
bool ft_windows_is_pending(const struct ft_thread *thread);
/* At a clean point, with the state to go on from: goes over to the mode that is asked for. */
void ft_windows_follow(struct ft_thread *thread, struct ft_program_state *state);
/* The same for a thread that was interrupted for it. */
int ft_windows_interrupted(struct ft_thread *thread, struct ft_program_state *state,
                           struct ft_diag *diag);
/* Where the count of instructions has come to the end of its area (ft_count_is_stop). */
int ft_windows_counted(struct ft_thread *thread, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* At a stop of kind FT_STOP_WINDOW or FT_STOP_RETURN. */
int ft_windows_at_stop(struct ft_thread *thread, const struct ft_stop *stop,
                       struct user_regs_struct *registers, struct ft_diag *diag);

#endif
