/*
 * The state of all processes of one capture, for the files of processes/ that share it.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_PROCESSES_STATE_H
#define FT_TRACE_CAPTURE_PROCESSES_PROCESSES_STATE_H

#include "trace-capture/processes/capture_cost.h"
#include "trace-capture/processes/capture_options.h"
#include "trace-capture/processes/output_names.h"
#include "trace-capture/tracer/capture_state.h"

/* A new thread or process. It stops once by itself, and a stop of the thread that made it reports
 * it, in either order. */
struct ft_new_task {
    pid_t tid;
    struct ft_capture *maker; /* NULL: a process that runs natively */
    bool is_reported, has_stopped;
    bool shares_memory;
};

/* How the command is told what happens. */
struct ft_capture_messages {
    void (*warn)(const char *message);   /* what the user must know */
    void (*inform)(const char *message); /* what only somebody at the terminal wants to know */
};

struct ft_processes {
    const struct ft_capture_options *options;
    const struct ft_metadata *metadata; /* what all traces share */
    const struct ft_capture_messages *messages;
    struct ft_output_names names;
    struct ft_window_outcome window_outcome;
    struct ft_source_outcome sources; /* of the traces that are written */
    struct ft_capture_cost cost;      /* likewise */
    struct ft_cost_samples costs;
    uint64_t started_ns; /* costs are counted from then on */
    double host_cpu_seconds_before;

    struct ft_capture **captures; /* in no order */
    size_t capture_count, capture_capacity;
    struct ft_capture **ending; /* their traces are being written out */
    size_t ending_count, ending_capacity;
    struct ft_new_task *new_tasks;
    size_t new_task_count, new_task_capacity;
    pid_t *detached_tasks; /* threads that are followed to their exec */
    size_t detached_task_count, detached_task_capacity;

    pid_t program; /* the first process */
    bool has_ended;
    int wait_status;  /* of the program's end */
    bool is_attached; /* the program ran before, and is not awaited */
    bool is_over;     /* a limit has ended all traces; or an estimate, the program */
    bool has_failed;  /* a failure was reported */
};

#endif
