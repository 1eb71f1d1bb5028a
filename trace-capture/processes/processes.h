/*
 * All processes of one `foretrace capture`: the program, and those that it and they make. Each
 * image of a process (from fork or exec to exec or end) has a capture and a trace of its own.
 *
 * A child that shares its parent's memory until it executes a program (vfork, posix_spawn) runs
 * natively up to there.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_H
#define FT_TRACE_CAPTURE_PROCESSES_H

#include "formats/trace/trace.h"
#include "trace-capture/capture.h"
#include "trace-capture/output_names.h"
#include "trace-capture/trace_limits.h"

/* A thread or process that was just made. It comes with a stop of its own and is told of by a stop
 * of the thread that made it, in any order. */
struct ft_birth {
    pid_t tid;
    struct ft_capture *maker; /* NULL: a process that runs natively */
    bool is_told, has_stopped;
    bool shares_memory;
};

struct ft_processes {
    const struct ft_metadata *run; /* what all traces share */
    struct ft_output_names *names;
    struct ft_limits *limits;
    struct ft_window_options *windows;
    bool follow;                       /* children too */
    struct ft_watch watch;             /* the functions whose calls are logged */
    bool only_counts;                  /* edges are counted, and no addresses logged */
    void (*tell)(const char *message); /* what the user must know */
    void (*note)(const char *message); /* what one who looks on wants to know */

    struct ft_capture **captures; /* in no order */
    size_t capture_count, capture_capacity;
    struct ft_capture **ending; /* whose traces are being written out */
    size_t ending_count, ending_capacity;
    struct ft_birth *births;
    size_t birth_count, birth_capacity;
    pid_t *natives; /* threads that are followed to their exec */
    size_t native_count, native_capacity;

    pid_t program; /* the first process */
    bool has_ended;
    int wait_status; /* of the program's end */
    bool is_over;    /* a limit has ended all traces */
    bool has_failed; /* something was complained of */
};

/* Captures the started program, and what it makes, to the end. Takes the target over. What goes
 * wrong is told, and in has_failed. arguments: the command line as it was given. */
void ft_processes_run(struct ft_processes *processes, const struct ft_target *target,
                      char *const *arguments);

/* --- processes.c, for the other two --------------------------------------------------------- */

struct ft_capture *ft_processes_find(const struct ft_processes *processes, pid_t pid);
struct ft_thread *ft_processes_find_thread(const struct ft_processes *processes, pid_t tid);
/* A capture of the stopped target, whose registers are the program's own. Where there can be none
 * it goes on without, but for the first of all, which is killed. arguments: of the first, else
 * NULL; parent, maker: the process and thread that fork has made it in, else NULL. */
void ft_processes_start_image(struct ft_processes *processes, struct ft_target *target,
                              char *const *arguments, struct ft_capture *parent,
                              struct ft_thread *maker);
/* Ends the capture if nothing of its process is traced any more. */
void ft_processes_end_if_over(struct ft_processes *processes, struct ft_capture *capture);
/* Tracing failed: the process cannot go on, its registers may be anything. */
void ft_processes_abandon(struct ft_processes *processes, struct ft_capture *capture,
                          const struct ft_diag *diag);

/* --- natives.c ---------------------------------------------------------------------------- */

bool ft_natives_has(const struct ft_processes *processes, pid_t tid);
/* Lets a stopped thread run natively. */
void ft_natives_add(struct ft_processes *processes, pid_t tid);
void ft_natives_remove(struct ft_processes *processes, pid_t tid);
void ft_natives_follow(struct ft_processes *processes, pid_t tid, int wait_status);

/* --- births.c ----------------------------------------------------------------------------- */

/* A stop of a thread (NULL: a native one) tells of another that it has made. */
void ft_births_told(struct ft_processes *processes, pid_t teller, struct ft_thread *thread);
/* A stop, or the end, of somebody whom we do not know. */
void ft_births_meet(struct ft_processes *processes, pid_t tid, int wait_status);
/* A thread ended in the system call that was to make another, and will tell nothing. */
void ft_births_untold(struct ft_processes *processes, struct ft_capture *maker);
/* Those that the capture's threads have made, before it ends: their stops are about to come. */
void ft_births_all_of(struct ft_processes *processes, const struct ft_capture *maker);
bool ft_births_has(const struct ft_processes *processes, const struct ft_capture *maker);

#endif
