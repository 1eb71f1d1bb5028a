/*
 * One thread waits for all traced threads of all processes and hands each stop to who knows about
 * it: a captured thread's to tracer.c; here is what makes and ends images.
 *
 * A new process stops once by itself, behind the system call that made it, in its maker's
 * translation, and the maker's next stop tells of it. Only when both have come it is known what it
 * is. The code cache is not inherited (region.c), so the registers have to be made the program's
 * own, and it starts as a program does at its first instruction.
 */
#include "trace-capture/processes.h"

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
#include "trace-capture/module_cache.h"
#include "trace-capture/program_file.h"

static void complain(struct ft_processes *processes, const struct ft_diag *diag)
{
    processes->tell(diag->message);
    processes->has_failed = true;
}

static struct ft_capture *find_process(const struct ft_processes *processes, pid_t pid)
{
    for (size_t i = 0; i < processes->capture_count; i++)
        if (processes->captures[i]->pid == pid)
            return processes->captures[i];
    return NULL;
}

static struct ft_thread *find_thread(const struct ft_processes *processes, pid_t tid)
{
    struct ft_thread *thread = NULL;
    for (size_t i = 0; i < processes->capture_count && !thread; i++)
        thread = ft_threads_find(processes->captures[i], tid);
    return thread;
}

/* ---- threads that run natively up to their exec ---- */

static bool is_native(const struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->native_count; i++)
        if (processes->natives[i] == tid)
            return true;
    return false;
}

static void remove_native(struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->native_count; i++)
        if (processes->natives[i] == tid)
            processes->natives[i--] = processes->natives[--processes->native_count];
}

/* ---- captures ---- */

/* Frees the captures whose traces are written; all of them, if `wait`. */
static void close_ended(struct ft_processes *processes, bool wait)
{
    size_t kept = 0;
    for (size_t i = 0; i < processes->ending_count; i++) {
        struct ft_capture *capture = processes->ending[i];
        struct ft_diag diag;
        if (!wait && !ft_capture_has_written(capture))
            processes->ending[kept++] = capture;
        else if (ft_capture_close(capture, &diag) < 0)
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

static bool has_births(const struct ft_processes *processes, const struct ft_capture *capture)
{
    for (size_t i = 0; i < processes->birth_count; i++)
        if (processes->births[i].maker == capture)
            return true;
    return false;
}

/* The trace of a process has to end although it goes on. */
static void tell_release(const struct ft_processes *processes, const struct ft_capture *capture)
{
    struct ft_diag diag;
    if (!capture->releasing || capture->abandoned || processes->is_over)
        return;
    ft_fail(&diag, FT_ERROR_UNSUPPORTED, "%s: %s", capture->output, capture->end_reason);
    processes->tell(diag.message);
}

/* The program has ended, whatever others do. */
static void note_end(struct ft_processes *processes, int wait_status)
{
    processes->has_ended = true;
    processes->wait_status = wait_status;
    ft_limits_stop();
}

static void end_if_over(struct ft_processes *processes, struct ft_capture *capture)
{
    if (capture->has_ended && capture->pid == processes->program)
        note_end(processes, capture->wait_status);
    if (capture->thread_count > 0 || has_births(processes, capture))
        return;
    tell_release(processes, capture);
    end_capture(processes, capture);
}

/* Tracing failed: the process cannot go on, its registers may be anything. */
static void abandon(struct ft_processes *processes, struct ft_capture *capture,
                    const struct ft_diag *diag)
{
    if (!capture->abandoned)
        complain(processes, diag);
    capture->abandoned = true;
    kill(capture->pid, SIGKILL);
}

/* A capture of the stopped target, whose registers are the program's own. Where there can be none,
 * the program itself is killed, and any other process goes on without. */
static void start_image(struct ft_processes *processes, struct ft_target *target,
                        char *const *arguments, struct ft_capture *parent, struct ft_thread *maker)
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
        status =
            ft_capture_begin(target, processes->run, arguments, name, processes->limits->size_bytes,
                             processes->windows, parent, &capture, &diag);
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
            abandon(processes, capture, &diag);
        end_if_over(processes, capture);
        return;
    }
    int end;
    if (ft_tracer_was_killed(target->pid, &end)) {
        if (end && WIFSTOPPED(end))
            ptrace(PTRACE_CONT, target->pid, 0, 0);
        return;
    }
    complain(processes, &diag);
    if (target->pid == processes->program)
        kill(target->pid, SIGKILL);
    else
        ptrace(PTRACE_DETACH, target->pid, 0, 0);
}

/* ---- births ---- */

static struct ft_birth *find_birth(struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->birth_count; i++)
        if (processes->births[i].tid == tid)
            return &processes->births[i];
    if (!FT_RESERVE(processes->births, processes->birth_capacity, processes->birth_count + 1))
        return NULL;
    processes->births[processes->birth_count] = (struct ft_birth){.tid = tid};
    return &processes->births[processes->birth_count++];
}

static void forget_birth(struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->birth_count; i++)
        if (processes->births[i].tid == tid)
            processes->births[i--] = processes->births[--processes->birth_count];
}

/* Makes the registers of a new process, or thread, those of a native run. */
static int make_native(const struct ft_capture *maker, pid_t tid, struct ft_diag *diag)
{
    struct user_regs_struct registers;
    struct ft_target target = {.pid = tid};
    int status = ft_target_registers(&target, &registers, diag);
    if (status == FT_OK && ft_program_leave_new(maker, &registers))
        status = ft_target_set_registers(&target, &registers, diag);
    return status;
}

static void run_natively(struct ft_processes *processes, pid_t tid)
{
    if (FT_RESERVE(processes->natives, processes->native_capacity, processes->native_count + 1)) {
        processes->natives[processes->native_count++] = tid;
        ptrace(PTRACE_SYSCALL, tid, 0, 0);
    } else {
        ptrace(PTRACE_DETACH, tid, 0, 0);
    }
}

/* A process with memory of its own, or a thread, of a captured maker. */
static int begin_life(struct ft_processes *processes, struct ft_capture *maker, pid_t tid,
                      bool shares_memory, struct ft_diag *diag)
{
    bool is_thread = ft_target_process_of(tid) == maker->pid;
    if (is_thread && !maker->releasing && !maker->abandoned)
        return ft_threads_add(maker, tid, diag);
    int status = make_native(maker, tid, diag);
    if (status < 0)
        return status;
    if (is_thread || !processes->follow || processes->is_over || maker->releasing ||
        maker->abandoned) {
        if (ptrace(PTRACE_DETACH, tid, 0, 0) != 0)
            return ft_target_fail(diag, "letting a child go");
    } else if (shares_memory) {
        run_natively(processes, tid);
    } else {
        struct ft_target target;
        status = ft_target_open(tid, &target, diag);
        if (status == FT_OK)
            start_image(processes, &target, NULL, maker,
                        maker->thread_count ? maker->threads[0] : NULL);
    }
    return status;
}

static void bring_up(struct ft_processes *processes, const struct ft_birth *birth)
{
    struct ft_diag diag;
    const struct ft_birth copy = *birth;
    int end;
    forget_birth(processes, copy.tid);
    if (!copy.maker) { /* of a process that runs natively, or is gone */
        run_natively(processes, copy.tid);
        return;
    }
    int status = begin_life(processes, copy.maker, copy.tid, copy.shares_memory, &diag);
    if (status < 0 && ft_tracer_was_killed(copy.tid, &end)) {
        if (end && WIFSTOPPED(end))
            ptrace(PTRACE_CONT, copy.tid, 0, 0);
    } else if (status < 0) {
        abandon(processes, copy.maker, &diag);
    }
}

/* A stop of a thread tells of one that it has made. */
static void be_told(struct ft_processes *processes, pid_t teller, struct ft_thread *thread)
{
    unsigned long tid = 0;
    ptrace(PTRACE_GETEVENTMSG, teller, 0, &tid);
    if (thread)
        thread->makes_child = false;
    if (tid == 0 || find_thread(processes, (pid_t)tid) || is_native(processes, (pid_t)tid))
        return;
    struct ft_birth *birth = find_birth(processes, (pid_t)tid);
    if (!birth)
        return;
    birth->is_told = true;
    birth->maker = thread ? thread->capture : NULL;
    birth->shares_memory = thread && thread->child_shares_memory;
    if (birth->has_stopped)
        bring_up(processes, birth);
}

/* Somebody whom we do not know. */
static void meet(struct ft_processes *processes, pid_t tid, int wait_status)
{
    if (!WIFSTOPPED(wait_status) || ft_target_is_at_end(wait_status)) {
        forget_birth(processes, tid);
        if (WIFSTOPPED(wait_status))
            ptrace(PTRACE_CONT, tid, 0, 0);
        return;
    }
    struct ft_birth *birth = find_birth(processes, tid);
    if (!birth)
        return;
    birth->has_stopped = true;
    struct ft_capture *process = find_process(processes, ft_target_process_of(tid));
    if (process && !birth->is_told) { /* a thread: nothing more has to be known */
        birth->is_told = true;
        birth->maker = process;
    }
    struct ft_capture *maker = birth->maker;
    if (birth->is_told)
        bring_up(processes, birth);
    if (maker)
        end_if_over(processes, maker);
}

/* A thread ended in the system call that was to make another, and will tell nothing. */
static void bring_up_untold(struct ft_processes *processes, struct ft_capture *maker)
{
    for (size_t i = 0; i < processes->birth_count; i++) {
        struct ft_birth *birth = &processes->births[i];
        struct user_regs_struct registers;
        struct ft_diag diag;
        if (birth->is_told || !birth->has_stopped ||
            ft_target_registers(&(struct ft_target){.pid = birth->tid}, &registers, &diag) < 0 ||
            !ft_program_leave_new(maker, &registers))
            continue;
        birth->maker = maker;
        birth->is_told = true;
        birth->shares_memory = true; /* as far as anybody knows */
        bring_up(processes, birth);
        i = (size_t)-1;
    }
}

/* ---- exec ---- */

/* Those that the capture's threads have made, before it ends: their stops are about to come. */
static void bring_up_all(struct ft_processes *processes, const struct ft_capture *maker)
{
    for (size_t i = 0; i < processes->birth_count; i++) {
        struct ft_birth *birth = &processes->births[i];
        int wait_status;
        if (birth->maker != maker)
            continue;
        if (birth->has_stopped ||
            (waitpid(birth->tid, &wait_status, __WALL) == birth->tid && WIFSTOPPED(wait_status)))
            bring_up(processes, birth);
        else
            forget_birth(processes, birth->tid);
        i = (size_t)-1;
    }
}

/* The process has become another program: the trace of the one before ends. */
static void follow_exec(struct ft_processes *processes, pid_t pid)
{
    struct ft_diag diag;
    struct ft_target target;
    struct ft_capture *before = find_process(processes, pid);
    unsigned long former = 0;
    bool was_native = is_native(processes, pid);
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &former);
    remove_native(processes, (pid_t)former);
    remove_native(processes, pid);
    if (before && before->abandoned) {
        ptrace(PTRACE_CONT, pid, 0, 0);
        return;
    }
    int status = ft_target_finish_exec(pid, &target, &diag);
    if (before) {
        bring_up_all(processes, before);
        struct ft_thread *thread = ft_threads_find(before, (pid_t)former);
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
        start_image(processes, &target, NULL, NULL, NULL);
    }
}

/* ---- the loop ---- */

/* A native thread is about to execute a program: if that cannot be traced, it goes on alone. */
static bool goes_alone(const struct ft_processes *processes, pid_t tid)
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
        processes->tell(diag.message);
    return refused;
}

static void follow_native(struct ft_processes *processes, pid_t tid, int wait_status)
{
    int signal = WSTOPSIG(wait_status), event = wait_status >> 16;
    if (!WIFSTOPPED(wait_status)) {
        remove_native(processes, tid);
        return;
    }
    if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
        be_told(processes, tid, NULL);
    bool is_stop = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    if (event == PTRACE_EVENT_STOP && processes->is_over) {
        remove_native(processes, tid);
        ptrace(PTRACE_DETACH, tid, 0, is_stop ? signal : 0);
        return;
    }
    if (event == PTRACE_EVENT_STOP && is_stop && ptrace(PTRACE_LISTEN, tid, 0, 0) == 0)
        return;
    if (event == 0 && signal == (SIGTRAP | 0x80) && goes_alone(processes, tid)) {
        remove_native(processes, tid);
        ptrace(PTRACE_DETACH, tid, 0, 0);
        return;
    }
    ptrace(PTRACE_SYSCALL, tid, 0, event == 0 && signal != (SIGTRAP | 0x80) ? signal : 0);
}

static void follow_thread(struct ft_processes *processes, struct ft_thread *thread, int wait_status)
{
    struct ft_diag diag;
    struct ft_capture *capture = thread->capture;
    int event = WIFSTOPPED(wait_status) ? wait_status >> 16 : 0;
    if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
        be_told(processes, thread->target.pid, thread);
    bool makes_child = thread->makes_child;
    size_t count = capture->thread_count;
    if (!capture->abandoned && ft_tracer_handle(thread, wait_status, &diag) < 0)
        abandon(processes, capture, &diag);
    else if (capture->abandoned)
        ft_tracer_let_die(thread, wait_status);
    if (makes_child && capture->thread_count < count)
        bring_up_untold(processes, capture);
    char reason[sizeof capture->end_reason];
    if (!capture->releasing && !capture->abandoned && ft_drain_is_full(capture->drain) &&
        ft_limits_reached(processes->limits, true, reason, sizeof reason))
        ft_program_release_all(capture, reason);
    end_if_over(processes, capture);
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
    if (tid < 0)
        return errno == EINTR;
    if (tid == processes->program && !WIFSTOPPED(wait_status))
        note_end(processes, wait_status);
    struct ft_thread *thread = find_thread(processes, tid);
    if (WIFSTOPPED(wait_status) && wait_status >> 16 == PTRACE_EVENT_EXEC)
        follow_exec(processes, tid);
    else if (thread)
        follow_thread(processes, thread, wait_status);
    else if (is_native(processes, tid))
        follow_native(processes, tid, wait_status);
    else
        meet(processes, tid, wait_status);
    return true;
}

void ft_processes_run(struct ft_processes *processes, const struct ft_target *target,
                      char *const *arguments)
{
    char reason[256];
    struct ft_diag diag;
    struct ft_target first = *target;
    processes->program = target->pid;
    if (ft_limits_start(processes->limits, target->pid, &diag) < 0)
        complain(processes, &diag);
    start_image(processes, &first, arguments, NULL, NULL);
    while (!processes->has_ended || processes->capture_count > 0 || processes->native_count > 0 ||
           processes->birth_count > 0) {
        if (!follow_once(processes))
            break;
        if (!processes->is_over && processes->capture_count + processes->native_count > 0 &&
            ft_limits_reached(processes->limits, false, reason, sizeof reason))
            end_all(processes, reason);
    }
    ft_limits_stop();
    close_ended(processes, true);
    ft_module_cache_fini();
    free(processes->captures);
    free(processes->ending);
    free(processes->births);
    free(processes->natives);
}
