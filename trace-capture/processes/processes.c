/*
 * One thread waits for all traced threads of all processes and hands each stop to who knows about
 * it: a captured thread's to tracer.c, a native one's to natives.c, a new one's to births.c; here
 * is what begins and ends images.
 */
#include "trace-capture/processes/processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/modules/module_cache.h"
#include "trace-capture/modules/program_file.h"

static void complain(struct ft_processes *processes, const struct ft_diag *diag)
{
    processes->tell(diag->message);
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
static void close_ended(struct ft_processes *processes, bool wait)
{
    size_t kept = 0;
    for (size_t i = 0; i < processes->ending_count; i++) {
        struct ft_capture *capture = processes->ending[i];
        struct ft_diag diag;
        bool told = capture->failure_told;
        if (!wait && !ft_capture_has_written(capture))
            processes->ending[kept++] = capture;
        else if (ft_capture_close(capture, &diag) < 0 && !told)
            complain(processes, &diag);
    }
    processes->ending_count = kept;
}

static void end_capture(struct ft_processes *processes, struct ft_capture *capture)
{
    size_t kept = 0;
    for (size_t i = 0; i < processes->capture_count; i++)
        if (processes->captures[i] != capture)
            processes->captures[kept++] = processes->captures[i];
    processes->capture_count = kept;
    for (size_t i = 0; i < processes->birth_count; i++)
        if (processes->births[i].maker == capture)
            processes->births[i].maker = NULL;
    ft_capture_end(capture);
    processes->ending[processes->ending_count++] = capture; /* there is room: start_image */
}

/* The trace of a process has to end although it goes on. */
static void tell_release(const struct ft_processes *processes, const struct ft_capture *capture)
{
    struct ft_diag diag;
    if (!capture->releasing || capture->abandoned || capture->failure_told || processes->is_over)
        return;
    ft_fail(&diag, FT_ERROR_UNSUPPORTED, "%s: %s", capture->output, capture->end_reason);
    processes->tell(diag.message);
}

/* Counts are whole but for those of threads that ended unseen. */
static void tell_lost_threads(const struct ft_processes *processes,
                              const struct ft_capture *capture)
{
    struct ft_diag diag;
    if (!capture->counts || !capture->counts->lost_threads || capture->abandoned)
        return;
    ft_fail(&diag, FT_ERROR_FAILURE,
            "%s: %zu of its threads ended unseen, and what they counted is lost; the counts of the "
            "others are whole",
            capture->output, capture->counts->lost_threads);
    processes->tell(diag.message);
}

/* The program has ended, whatever others do. */
static void note_end(struct ft_processes *processes, int wait_status)
{
    processes->has_ended = true;
    processes->wait_status = wait_status;
    ft_limits_stop();
}

void ft_processes_end_if_over(struct ft_processes *processes, struct ft_capture *capture)
{
    if (capture->has_ended && capture->pid == processes->program)
        note_end(processes, capture->wait_status);
    if (capture->thread_count > 0 || ft_births_has(processes, capture))
        return;
    tell_release(processes, capture);
    tell_lost_threads(processes, capture);
    end_capture(processes, capture);
}

void ft_processes_abandon(struct ft_processes *processes, struct ft_capture *capture,
                          const struct ft_diag *diag)
{
    if (!capture->abandoned)
        complain(processes, diag);
    capture->abandoned = true;
    kill(capture->pid, SIGKILL);
}

void ft_processes_start_image(struct ft_processes *processes, struct ft_target *target,
                              char *const *arguments, struct ft_capture *parent,
                              struct ft_thread *maker)
{
    struct ft_diag diag;
    struct ft_capture *capture = NULL;
    const char *name = "";
    close_ended(processes, false);
    int status = ft_output_names_next(processes->names, target->pid, &name, &diag);
    if (status == FT_OK && (!FT_RESERVE(processes->captures, processes->capture_capacity,
                                        processes->capture_count + 1) ||
                            !FT_RESERVE(processes->ending, processes->ending_capacity,
                                        processes->ending_count + processes->capture_count + 1)))
        status = ft_fail_memory(&diag, "a process");
    if (status == FT_OK)
        status = ft_capture_begin(
            target, processes->run, arguments, name, processes->limits->size_bytes,
            processes->windows, &processes->watch, processes->only_counts, parent, &capture, &diag);
    if (status == FT_OK) {
        processes->captures[processes->capture_count++] = capture;
        if (maker)
            ft_drain_add_event(maker->capture->drain,
                               &(struct ft_event){.kind = FT_EVENT_PROCESS_STARTED,
                                                  .thread = maker->number,
                                                  .a = (uint64_t)target->pid,
                                                  .text = (char *)name});
        status = capture->thread_count > 0 ? ft_program_continue(capture->threads[0], 0, &diag)
                                           : FT_OK; /* released at once */
        if (status < 0)
            ft_processes_abandon(processes, capture, &diag);
        ft_processes_end_if_over(processes, capture);
        return;
    }
    if (ft_tracer_let_go_if_killed(target->pid))
        return;
    complain(processes, &diag);
    if (arguments) /* nothing of the program has run yet */
        kill(target->pid, SIGKILL);
    else
        ptrace(PTRACE_DETACH, target->pid, 0, 0);
}

/* The process has become another program: the trace of the one before ends. */
static void follow_exec(struct ft_processes *processes, pid_t pid)
{
    struct ft_diag diag;
    struct ft_target target;
    struct ft_capture *before = ft_processes_find(processes, pid);
    unsigned long former = 0;
    bool was_native = ft_natives_has(processes, pid);
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &former);
    ft_natives_remove(processes, (pid_t)former);
    ft_natives_remove(processes, pid);
    if (before && before->abandoned) {
        ptrace(PTRACE_CONT, pid, 0, 0);
        return;
    }
    int status = ft_target_finish_exec(pid, &target, &diag);
    if (before) {
        ft_births_all_of(processes, before);
        struct ft_thread *thread = ft_threads_find(before, (pid_t)former);
        if (thread && !thread->dying && ft_walk_end_replaced(thread, &diag) < 0)
            complain(processes, &diag);
        if (thread && !thread->dying)
            ft_log_buffer_close(thread, ft_region_context(&thread->region)->log_pointer);
        if (!before->releasing)
            snprintf(before->end_reason, sizeof before->end_reason,
                     "the program replaced itself by another one (exec)");
        ft_capture_note_cpu(before);
        end_capture(processes, before);
    }
    if (status < 0) { /* it was killed */
        if (pid == processes->program)
            note_end(processes, target.end_status);
    } else if (processes->is_over) {
        close(target.memory_fd);
        ptrace(PTRACE_DETACH, pid, 0, 0);
    } else if (before || was_native) {
        ft_processes_start_image(processes, &target, NULL, NULL, NULL);
    }
}

/* Nothing more can be written: capturing on would only hold the program up. */
static void give_up_writing(struct ft_processes *processes, struct ft_capture *capture)
{
    const struct ft_diag *failure = ft_drain_failure(capture->drain);
    struct ft_diag diag;
    if (!failure || capture->releasing || capture->abandoned)
        return;
    ft_fail(&diag, failure->status, "%.900s; the program goes on without", failure->message);
    complain(processes, &diag);
    capture->failure_told = true;
    ft_program_give_up_all(capture, failure);
}

static void follow_thread(struct ft_processes *processes, struct ft_thread *thread, int wait_status)
{
    struct ft_diag diag;
    struct ft_capture *capture = thread->capture;
    if (ft_target_is_birth(wait_status))
        ft_births_told(processes, thread->target.pid, thread);
    bool makes_child = thread->makes_child;
    size_t count = capture->thread_count;
    if (!capture->abandoned && ft_tracer_handle(thread, wait_status, &diag) < 0)
        ft_processes_abandon(processes, capture, &diag);
    else if (capture->abandoned)
        ft_tracer_let_die(thread, wait_status);
    if (makes_child && capture->thread_count < count)
        ft_births_untold(processes, capture);
    char reason[sizeof capture->end_reason];
    if (!capture->releasing && !capture->abandoned && ft_drain_is_full(capture->drain) &&
        ft_limits_reached(processes->limits, true, reason, sizeof reason))
        ft_program_release_all(capture, reason);
    give_up_writing(processes, capture);
    ft_processes_end_if_over(processes, capture);
}

/* The end of all traces: everybody goes on natively, and what starts from now on as well. */
static void end_all(struct ft_processes *processes, const char *reason)
{
    processes->is_over = true;
    processes->tell(reason);
    for (size_t i = 0; i < processes->capture_count; i++)
        if (!processes->captures[i]->releasing)
            ft_program_release_all(processes->captures[i], reason);
    for (size_t i = 0; i < processes->native_count; i++)
        ptrace(PTRACE_INTERRUPT, processes->natives[i], 0, 0);
    ft_limits_pass_all_on();
}

static bool follow_once(struct ft_processes *processes)
{
    int wait_status;
    pid_t tid = ft_limits_wait(&wait_status);
    if (tid < 0 && errno == EINTR) {
        for (size_t i = 0; i < processes->capture_count; i++)
            ft_walk_call(processes->captures[i]);
        return true;
    }
    if (tid < 0)
        return false;
    if (tid == processes->program && !WIFSTOPPED(wait_status))
        note_end(processes, wait_status);
    struct ft_thread *thread = ft_processes_find_thread(processes, tid);
    if (WIFSTOPPED(wait_status) && wait_status >> 16 == PTRACE_EVENT_EXEC)
        follow_exec(processes, tid);
    else if (thread)
        follow_thread(processes, thread, wait_status);
    else if (ft_natives_has(processes, tid))
        ft_natives_follow(processes, tid, wait_status);
    else
        ft_births_meet(processes, tid, wait_status);
    return true;
}

void ft_processes_run(struct ft_processes *processes, const struct ft_target *target,
                      char *const *arguments)
{
    char reason[256];
    struct ft_diag diag;
    struct ft_target first = *target;
    processes->program = target->pid;
    if (ft_limits_start(processes->limits, target->pid, &diag) < 0 ||
        (processes->only_counts && ft_limits_look_around(&diag) < 0))
        complain(processes, &diag);
    ft_processes_start_image(processes, &first, arguments, NULL, NULL);
    bool noted = false;
    while (!processes->has_ended || processes->capture_count > 0 || processes->native_count > 0 ||
           processes->birth_count > 0) {
        if (!follow_once(processes))
            break;
        if (!processes->is_over && processes->capture_count + processes->native_count > 0 &&
            ft_limits_reached(processes->limits, false, reason, sizeof reason))
            end_all(processes, reason);
        if (processes->has_ended && processes->capture_count > 0 && !noted) {
            snprintf(reason, sizeof reason,
                     "the program has ended; still captured of what it started: %zu "
                     "(ctrl-C ends them, SIGTERM to foretrace lets them go)",
                     processes->capture_count);
            processes->note(reason);
            noted = true;
        }
    }
    ft_limits_stop();
    close_ended(processes, true);
    ft_module_cache_fini();
    free(processes->captures);
    free(processes->ending);
    free(processes->births);
    free(processes->natives);
}
