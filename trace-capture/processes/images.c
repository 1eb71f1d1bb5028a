/*
 * One capture per image: started here, and ended once no thread of its process is traced any more.
 */
#include "trace-capture/processes/images.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/trace/private_parts.h"
#include "trace-capture/counts/edge_counts.h"
#include "trace-capture/processes/capture.h"
#include "trace-capture/processes/output_names.h"
#include "trace-capture/processes/processes_state.h"
#include "trace-capture/processes/trace_limits.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/threads.h"
#include "trace-capture/tracer/tracer.h"

void ft_processes_report_failure(struct ft_processes *processes, const struct ft_diag *diag)
{
    processes->messages->warn(diag->message);
    processes->has_failed = true;
}

struct ft_capture *ft_processes_find(const struct ft_processes *processes, pid_t pid)
{
    for (size_t i = 0; i < processes->capture_count; i++)
        if (processes->captures[i]->pid == pid)
            return processes->captures[i];
    return NULL;
}

struct ft_thread *ft_processes_find_thread(const struct ft_processes *processes, pid_t tid)
{
    struct ft_thread *thread = NULL;
    for (size_t i = 0; i < processes->capture_count && !thread; i++)
        thread = ft_threads_find(processes->captures[i], tid);
    return thread;
}

/* Frees the captures whose traces are written; all of them, if `wait`. */
void ft_processes_close_ended(struct ft_processes *processes, bool wait)
{
    size_t kept = 0;
    for (size_t i = 0; i < processes->ending_count; i++) {
        struct ft_capture *capture = processes->ending[i];
        struct ft_diag diag;
        bool was_reported = capture->failure_reported;
        if (!wait && !ft_capture_has_written(capture))
            processes->ending[kept++] = capture;
        else if (ft_capture_close(capture, &processes->sources, &processes->cost, &diag) < 0 &&
                 !was_reported)
            ft_processes_report_failure(processes, &diag);
    }
    processes->ending_count = kept;
}

void ft_processes_end_image(struct ft_processes *processes, struct ft_capture *capture)
{
    size_t kept = 0;
    for (size_t i = 0; i < processes->capture_count; i++)
        if (processes->captures[i] != capture)
            processes->captures[kept++] = processes->captures[i];
    processes->capture_count = kept;
    for (size_t i = 0; i < processes->new_task_count; i++)
        if (processes->new_tasks[i].maker == capture)
            processes->new_tasks[i].maker = NULL;
    ft_capture_end(capture);
    processes->ending[processes->ending_count++] = capture; /* there is room: start_image */
}

/* The trace of a process ends, although the process continues. */
static void warn_of_release(const struct ft_processes *processes, const struct ft_capture *capture)
{
    struct ft_diag diag;
    if (!capture->releasing || capture->abandoned || capture->failure_reported ||
        processes->is_over || (processes->options->is_estimate && processes->options->windows.any))
        return;
    ft_fail(&diag, FT_ERROR_UNSUPPORTED, "%s: %s", capture->output, capture->end_reason);
    processes->messages->warn(diag.message);
}

/* Counts are complete except for those of threads that ended unobserved. */
static void warn_of_lost_threads(const struct ft_processes *processes,
                                 const struct ft_capture *capture)
{
    struct ft_diag diag;
    if (!capture->counts || !capture->counts->lost_threads || capture->abandoned)
        return;
    ft_fail(&diag, FT_ERROR_FAILURE,
            "%s: %zu of its threads ended unobserved and their counts are lost; the counts of the "
            "others are complete",
            capture->output, capture->counts->lost_threads);
    processes->messages->warn(diag.message);
}

/* The program has ended; its children may still run. */
void ft_processes_note_end(struct ft_processes *processes, int wait_status)
{
    processes->has_ended = true;
    processes->wait_status = wait_status;
    ft_limits_stop();
}

/* Whether threads or processes that it made have not stopped yet. */
static bool has_new_tasks(const struct ft_processes *processes, const struct ft_capture *maker)
{
    for (size_t i = 0; i < processes->new_task_count; i++)
        if (processes->new_tasks[i].maker == maker)
            return true;
    return false;
}

void ft_processes_end_if_over(struct ft_processes *processes, struct ft_capture *capture)
{
    if (capture->has_ended && capture->pid == processes->program)
        ft_processes_note_end(processes, capture->wait_status);
    if (capture->thread_count > 0 || has_new_tasks(processes, capture))
        return;
    warn_of_release(processes, capture);
    warn_of_lost_threads(processes, capture);
    ft_processes_end_image(processes, capture);
}

void ft_processes_abandon(struct ft_processes *processes, struct ft_capture *capture,
                          const struct ft_diag *diag)
{
    if (!capture->abandoned)
        ft_processes_report_failure(processes, diag);
    capture->abandoned = true;
    kill(capture->pid, SIGKILL);
}

/* In the trace of its maker, with the name of its own. */
static void note_process(const struct ft_processes *processes, const struct ft_thread *maker,
                         pid_t process, const char *name)
{
    char *text = strdup(name); /* without memory the event has no text */
    if (text && processes->options->is_private)
        ft_path_make_private(text);
    ft_drain_add_event(maker->capture->drain, &(struct ft_event){.kind = FT_EVENT_PROCESS_STARTED,
                                                                 .thread = maker->number,
                                                                 .a = (uint64_t)process,
                                                                 .text = text});
    free(text);
}

/* Starts its capture, in which no thread runs yet; *ret_name: of the trace. */
static int begin_image(struct ft_processes *processes, const struct ft_target *target,
                       const struct ft_image_origin *origin, const char **ret_name,
                       struct ft_capture **ret_capture, struct ft_diag *diag)
{
    ft_processes_close_ended(processes, false);
    int status = ft_output_names_next(&processes->names, processes->options->output_pattern,
                                      processes->options->replaces, target->pid, ret_name, diag);
    if (status == FT_OK && (!FT_RESERVE(processes->captures, processes->capture_capacity,
                                        processes->capture_count + 1) ||
                            !FT_RESERVE(processes->ending, processes->ending_capacity,
                                        processes->ending_count + processes->capture_count + 1)))
        status = ft_fail_memory(diag, "a process");
    if (status == FT_OK)
        status =
            ft_capture_begin(processes->options, processes->metadata, &processes->window_outcome,
                             target, origin, *ret_name, ret_capture, diag);
    if (status == FT_OK)
        processes->captures[processes->capture_count++] = *ret_capture;
    return status;
}

void ft_processes_start_image(struct ft_processes *processes, struct ft_target *target,
                              char *const *arguments, struct ft_capture *parent,
                              struct ft_thread *maker)
{
    struct ft_diag diag;
    struct ft_capture *capture = NULL;
    const struct ft_image_origin origin = {.arguments = arguments, .parent = parent};
    const char *name = "";
    int status = begin_image(processes, target, &origin, &name, &capture, &diag);
    if (status == FT_OK) {
        if (maker)
            note_process(processes, maker, target->pid, name);
        status = capture->thread_count > 0 ? ft_thread_continue(capture->threads[0], 0, &diag)
                                           : FT_OK; /* released at once */
        if (status < 0)
            ft_processes_abandon(processes, capture, &diag);
        ft_processes_end_if_over(processes, capture);
        return;
    }
    if (ft_tracer_let_go_if_killed(target->pid))
        return;
    ft_processes_report_failure(processes, &diag);
    if (arguments) /* nothing of the program has run yet */
        kill(target->pid, SIGKILL);
    else
        ptrace(PTRACE_DETACH, target->pid, 0, 0);
}

void ft_processes_attach_image(struct ft_processes *processes, struct ft_attachment *attachment)
{
    struct ft_diag diag;
    struct ft_capture *capture = NULL;
    const struct ft_image_origin origin = {.attachment = attachment};
    const char *name = "";
    if (begin_image(processes, &attachment->threads[0].target, &origin, &name, &capture, &diag) <
            0 ||
        !capture) {
        ft_processes_report_failure(processes, &diag);
        ft_attachment_undo(attachment);
        return;
    }
    for (size_t i = capture->thread_count; i-- > 0;) {
        struct ft_thread *thread = capture->threads[i];
        if (thread->gone)
            ft_threads_remove(thread);
        else if (ft_thread_continue(thread, 0, &diag) < 0)
            ft_processes_abandon(processes, capture, &diag);
    }
    ft_processes_end_if_over(processes, capture);
}
