/*
 * One thread waits for all traced threads of all processes and dispatches each stop: a captured
 * thread's to tracer.c, a native one's to detached_tasks.c, a new one's to new_tasks.c. What begins
 * and ends images is handled here.
 *
 * In order: exec; stops of captured threads; stops of native threads; the end of all traces; the
 * loop.
 */
#include "trace-capture/processes/processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/modules/module_cache.h"
#include "trace-capture/processes/cost_samples.h"
#include "trace-capture/processes/detached_tasks.h"
#include "trace-capture/processes/images.h"
#include "trace-capture/processes/new_tasks.h"
#include "trace-capture/processes/processes_state.h"
#include "trace-capture/processes/trace_limits.h"
#include "trace-capture/target/program_file.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/counter_moves.h"
#include "trace-capture/tracer/cpu_time.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/threads.h"
#include "trace-capture/tracer/tracer.h"
#include "trace-capture/tracer/walk_ends.h"

/* The process has become another program: the trace of the previous one ends. */
static void follow_exec(struct ft_processes *processes, pid_t pid)
{
    struct ft_diag diag;
    struct ft_target target;
    struct ft_capture *before = ft_processes_find(processes, pid);
    unsigned long former = 0;
    bool was_detached = ft_detached_tasks_has(processes, pid);
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &former);
    ft_detached_tasks_remove(processes, (pid_t)former);
    ft_detached_tasks_remove(processes, pid);
    if (before && before->abandoned) {
        ptrace(PTRACE_CONT, pid, 0, 0);
        return;
    }
    int status = ft_target_finish_exec(pid, &target, &diag);
    if (before) {
        ft_new_tasks_start_all(processes, before);
        struct ft_thread *thread = ft_threads_find(before, (pid_t)former);
        if (thread && !thread->dying && ft_walk_end_replaced(thread, &diag) < 0)
            ft_processes_report_failure(processes, &diag);
        if (thread && !thread->dying)
            ft_log_buffer_close(thread, ft_region_context(&thread->region)->log_pointer);
        if (!before->releasing)
            snprintf(before->end_reason, sizeof before->end_reason,
                     "the program replaced itself by another one (exec)");
        ft_capture_note_cpu(before);
        ft_processes_end_image(processes, before);
    }
    if (status < 0) { /* it was killed */
        if (pid == processes->program)
            ft_processes_note_end(processes, target.end_status);
    } else if (processes->is_over) {
        close(target.memory_fd);
        ptrace(PTRACE_DETACH, pid, 0, 0);
    } else if (before || was_detached) {
        ft_processes_start_image(processes, &target, NULL, NULL, NULL);
    }
}

/* Nothing more can be written: continuing the capture would only slow the program down. */
static void give_up_writing(struct ft_processes *processes, struct ft_capture *capture)
{
    const struct ft_diag *failure = ft_drain_failure(capture->drain);
    struct ft_diag diag;
    if (!failure || capture->releasing || capture->abandoned)
        return;
    if (processes->options->is_estimate) /* behind the ; is what to do with the trace */
        ft_fail(&diag, failure->status,
                "%.*s, so there is no estimate: name another folder in TMPDIR, or a shorter "
                "--max-time",
                (int)strcspn(failure->message, ";"), failure->message);
    else
        ft_fail(&diag, failure->status, "%.900s; the program continues untraced", failure->message);
    ft_processes_report_failure(processes, &diag);
    capture->failure_reported = true;
    ft_capture_give_up_all(capture, failure);
}

static void follow_thread(struct ft_processes *processes, struct ft_thread *thread, int wait_status)
{
    struct ft_diag diag;
    struct ft_capture *capture = thread->capture;
    if (ft_target_is_clone_event(wait_status))
        ft_new_tasks_on_clone_event(processes, thread->target.pid, thread);
    bool makes_child = thread->makes_child;
    size_t count = capture->thread_count;
    if (!capture->abandoned && ft_tracer_handle(thread, wait_status, &diag) < 0)
        ft_processes_abandon(processes, capture, &diag);
    else if (capture->abandoned)
        ft_tracer_let_die(thread, wait_status);
    if (makes_child && capture->thread_count < count)
        ft_new_tasks_on_clone_aborted(processes, capture);
    char reason[sizeof capture->end_reason];
    if (!capture->releasing && !capture->abandoned && ft_drain_is_full(capture->drain) &&
        ft_limits_reached(&processes->options->limits, true, reason, sizeof reason))
        ft_capture_release_all(capture, reason);
    give_up_writing(processes, capture);
    ft_processes_end_if_over(processes, capture);
}

/* Whether a native thread is about to execute a program that cannot be traced; it then continues
 * untraced. */
static bool is_refused(const struct ft_processes *processes, pid_t tid)
{
    struct user_regs_struct registers;
    struct ft_target target;
    struct ft_diag diag;
    if (ft_target_registers(&(struct ft_target){.pid = tid}, &registers, &diag) < 0 ||
        (registers.orig_rax != SYS_execve && registers.orig_rax != SYS_execveat) ||
        registers.rax != (unsigned long long)-ENOSYS || ft_target_open(tid, &target, &diag) < 0)
        return false;
    registers.rax = registers.orig_rax;
    bool refused = ft_program_check_exec(&target, &registers, &diag) < 0;
    close(target.memory_fd);
    if (refused)
        processes->messages->warn(diag.message);
    return refused;
}

static void follow_detached(struct ft_processes *processes, pid_t tid, int wait_status)
{
    int signal = WSTOPSIG(wait_status), event = wait_status >> 16;
    if (!WIFSTOPPED(wait_status)) {
        ft_detached_tasks_remove(processes, tid);
        return;
    }
    if (ft_target_is_clone_event(wait_status))
        ft_new_tasks_on_clone_event(processes, tid, NULL);
    bool is_stop = ft_target_is_stop_signal(signal);
    if (event == PTRACE_EVENT_STOP && processes->is_over) {
        ft_detached_tasks_remove(processes, tid);
        ptrace(PTRACE_DETACH, tid, 0, is_stop ? signal : 0);
        return;
    }
    if (event == PTRACE_EVENT_STOP && is_stop && ptrace(PTRACE_LISTEN, tid, 0, 0) == 0)
        return;
    if (event == 0 && signal == (SIGTRAP | 0x80) && is_refused(processes, tid)) {
        ft_detached_tasks_remove(processes, tid);
        ptrace(PTRACE_DETACH, tid, 0, 0);
        return;
    }
    ptrace(PTRACE_SYSCALL, tid, 0, event == 0 && signal != (SIGTRAP | 0x80) ? signal : 0);
}

/* Asks what was started to end: a program that is left to itself after an estimate would run for
 * hours that nobody wants. While its processes are traced, so that their ids are theirs, and none
 * of them can start another one first. */
static void end_programs(struct ft_processes *processes)
{
    if (processes->is_attached)
        return;
    if (!processes->has_ended)
        kill(processes->program, SIGTERM);
    for (size_t i = 0; i < processes->capture_count; i++)
        if (processes->captures[i]->pid != processes->program)
            kill(processes->captures[i]->pid, SIGTERM);
    for (size_t i = 0; i < processes->detached_task_count; i++)
        kill(processes->detached_tasks[i], SIGTERM);
    processes->messages->inform("the program was sent SIGTERM: waiting for its end");
}

/* Ends all traces: all threads continue natively, and so does whatever starts from now on. */
static void end_all(struct ft_processes *processes, const char *reason)
{
    processes->is_over = true;
    if (processes->options->is_estimate) {
        ft_cost_samples_take(processes, &processes->costs.at_end);
        end_programs(processes);
    } else {
        processes->messages->warn(reason);
    }
    for (size_t i = 0; i < processes->capture_count; i++)
        if (!processes->captures[i]->releasing)
            ft_capture_release_all(processes->captures[i], reason);
    for (size_t i = 0; i < processes->detached_task_count; i++)
        ptrace(PTRACE_INTERRUPT, processes->detached_tasks[i], 0, 0);
    ft_limits_pass_all_on();
}

static bool follow_once(struct ft_processes *processes)
{
    int wait_status;
    pid_t tid = ft_limits_wait(&wait_status);
    if (tid < 0 && errno == EINTR) {
        for (size_t i = 0; i < processes->capture_count; i++)
            ft_walk_request_stop(processes->captures[i]);
        return true;
    }
    if (tid < 0)
        return false;
    if (tid == processes->program && !WIFSTOPPED(wait_status))
        ft_processes_note_end(processes, wait_status);
    struct ft_thread *thread = ft_processes_find_thread(processes, tid);
    if (WIFSTOPPED(wait_status) && wait_status >> 16 == PTRACE_EVENT_EXEC)
        follow_exec(processes, tid);
    else if (thread)
        follow_thread(processes, thread, wait_status);
    else if (ft_detached_tasks_has(processes, tid))
        follow_detached(processes, tid, wait_status);
    else
        ft_new_tasks_on_first_stop(processes, tid, wait_status);
    return true;
}

/* The program has ended, and some of its children have not. */
static void inform_of_children(const struct ft_processes *processes)
{
    char message[256];
    snprintf(message, sizeof message,
             "the program has ended; still capturing %zu processes that it started (Ctrl-C ends "
             "them, SIGTERM to foretrace detaches them)",
             processes->capture_count);
    processes->messages->inform(message);
}

/* Nothing is left to wait for, although threads have not been seen to end: what was recorded of
 * them is kept. */
static void end_unobserved(struct ft_processes *processes)
{
    while (processes->capture_count > 0) {
        struct ft_capture *capture = processes->captures[0];
        struct ft_diag diag;
        snprintf(capture->end_reason, sizeof capture->end_reason,
                 "the process ended unobserved; the last accesses of its threads may be missing");
        ft_fail(&diag, FT_ERROR_FAILURE, "%s: %s", capture->output, capture->end_reason);
        ft_processes_report_failure(processes, &diag);
        ft_processes_end_image(processes, capture);
    }
}

/* Notes the costs of the first half. Where nothing is captured any more, because the windows are
 * over or the trace failed, the program need not go on. */
static void follow_estimate(struct ft_processes *processes)
{
    struct ft_cost_samples *costs = &processes->costs;
    const size_t task_count =
        processes->capture_count + processes->detached_task_count + processes->new_task_count;
    if (processes->is_over)
        return;
    if (task_count > 0 && ft_limits_halfway()) {
        ft_cost_samples_take(processes, &costs->halfway);
        costs->has_halfway = true;
    }
    if (task_count == 0 && !processes->has_ended) {
        processes->is_over = true;
        costs->has_ended_itself = true;
        end_programs(processes);
        ft_limits_pass_all_on();
    }
}

static void follow_all(struct ft_processes *processes)
{
    char reason[256];
    bool has_informed = false;
    while (!processes->has_ended || processes->capture_count > 0 ||
           processes->detached_task_count > 0 || processes->new_task_count > 0) {
        if (!follow_once(processes)) {
            end_unobserved(processes);
            return;
        }
        if (!processes->is_over && processes->capture_count + processes->detached_task_count > 0 &&
            ft_limits_reached(&processes->options->limits, false, reason, sizeof reason))
            end_all(processes, reason);
        if (processes->options->is_estimate)
            follow_estimate(processes);
        if (processes->has_ended && processes->capture_count > 0 && !has_informed &&
            !processes->is_attached) {
            inform_of_children(processes);
            has_informed = true;
        }
    }
}

/* Why source files that were asked for are in no trace, or not as they were built. */
static void report_sources(const struct ft_processes *processes)
{
    char message[1024];
    for (enum ft_source_remark remark = 0; remark <= FT_SOURCE_REMARKS; remark++)
        if (ft_source_outcome_message(&processes->sources, remark, message, sizeof message))
            processes->messages->warn(message);
}

/* What the user should know once all traces are written. */
static void report_outcome(struct ft_processes *processes)
{
    const struct ft_window_options *windows = &processes->options->windows;
    const struct ft_output_names *names = &processes->names;
    struct ft_diag diag;
    char message[512];
    snprintf(message, sizeof message, "wrote %zu traces, one per process image: %s to %s",
             names->used_count, names->used_count ? names->used[0] : "",
             names->used_count ? names->used[names->used_count - 1] : "");
    if (names->used_count > 1)
        processes->messages->inform(message);
    const char *remark = ft_window_outcome_remark(windows, &processes->window_outcome);
    if (ft_window_outcome_check(windows, &processes->window_outcome, &diag) < 0)
        ft_processes_report_failure(processes, &diag);
    else if (remark)
        processes->messages->warn(remark);
    report_sources(processes);
}

/* signalled: the process that gets foretrace's signals; 0: they end the trace. */
static void prepare(struct ft_processes *processes, pid_t signalled)
{
    const struct ft_capture_options *options = processes->options;
    struct ft_diag diag;
    ft_cost_samples_start(processes);
    if (ft_limits_start(&options->limits, signalled, &diag) < 0 ||
        (options->only_counts && ft_limits_start_polling(&diag) < 0) ||
        (options->is_estimate && ft_limits_start_halfway(&options->limits, &diag) < 0))
        ft_processes_report_failure(processes, &diag);
    ft_module_cache_init(options->modules_folder);
}

/* Follows all that was started to its end. */
static void finish(struct ft_processes *processes, struct ft_capture_result *ret_result)
{
    follow_all(processes);
    ft_limits_stop();
    ft_processes_close_ended(processes, true);
    report_outcome(processes);
    ft_cost_samples_take(processes, &processes->costs.in_all);
    processes->costs.is_over = processes->is_over;
    processes->costs.image_count = processes->names.used_count;
    *ret_result =
        (struct ft_capture_result){processes->wait_status, processes->has_failed, processes->costs};
    ft_module_cache_fini();
    ft_window_outcome_fini(&processes->window_outcome);
    ft_source_outcome_fini(&processes->sources);
    ft_output_names_fini(&processes->names);
    free(processes->captures);
    free(processes->ending);
    free(processes->new_tasks);
    free(processes->detached_tasks);
}

void ft_processes_run(const struct ft_capture_options *options, const struct ft_metadata *metadata,
                      const struct ft_capture_messages *messages, const struct ft_target *target,
                      char *const *arguments, struct ft_capture_result *ret_result)
{
    struct ft_processes processes = {
        .options = options, .metadata = metadata, .messages = messages, .program = target->pid};
    struct ft_target first = *target;
    prepare(&processes, target->pid);
    ft_processes_start_image(&processes, &first, arguments, NULL, NULL);
    finish(&processes, ret_result);
}

void ft_processes_attach(const struct ft_capture_options *options,
                         const struct ft_metadata *metadata,
                         const struct ft_capture_messages *messages,
                         struct ft_attachment *attachment, struct ft_capture_result *ret_result)
{
    struct ft_processes processes = {.options = options,
                                     .metadata = metadata,
                                     .messages = messages,
                                     .program = attachment->threads[0].target.process,
                                     .is_attached = true,
                                     .has_ended = true};
    prepare(&processes, 0);
    ft_processes_attach_image(&processes, attachment);
    finish(&processes, ret_result);
}
