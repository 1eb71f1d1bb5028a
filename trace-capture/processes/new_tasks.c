/*
 * A new process stops once by itself, after the system call that made it, in its maker's
 * translation, and the maker's next stop reports it. Only both together say what it is. The code
 * cache is not inherited (region.c), so the registers have to be changed to the program's; then the
 * process starts as a program does at its first instruction.
 */
#include "trace-capture/processes/new_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "formats/base/array.h"
#include "trace-capture/processes/detached_tasks.h"
#include "trace-capture/processes/images.h"
#include "trace-capture/processes/processes_state.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/app_state.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/threads.h"
#include "trace-capture/tracer/tracer.h"

static struct ft_new_task *find_or_add(struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->new_task_count; i++)
        if (processes->new_tasks[i].tid == tid)
            return &processes->new_tasks[i];
    if (!FT_RESERVE(processes->new_tasks, processes->new_task_capacity,
                    processes->new_task_count + 1))
        return NULL;
    processes->new_tasks[processes->new_task_count] = (struct ft_new_task){.tid = tid};
    return &processes->new_tasks[processes->new_task_count++];
}

static void forget_new_task(struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->new_task_count; i++)
        if (processes->new_tasks[i].tid == tid)
            processes->new_tasks[i--] = processes->new_tasks[--processes->new_task_count];
}

/* Gives a new process or thread the registers that it would have in a native run. */
static int make_detached(const struct ft_capture *maker, pid_t tid, struct ft_diag *diag)
{
    struct user_regs_struct registers;
    struct ft_target target = {.pid = tid};
    int status = ft_target_registers(&target, &registers, diag);
    if (status == FT_OK && ft_app_state_recover_new(maker, &registers))
        status = ft_target_set_registers(&target, &registers, diag);
    return status;
}

/* A new process or thread of a captured maker. */
static int adopt(struct ft_processes *processes, struct ft_capture *maker, pid_t tid,
                 bool shares_memory, struct ft_diag *diag)
{
    bool is_thread = ft_target_process_of(tid) == maker->pid;
    if (is_thread && !maker->releasing && !maker->abandoned)
        return ft_threads_add(maker, tid, diag);
    int status = make_detached(maker, tid, diag);
    if (status < 0)
        return status;
    if (is_thread || !processes->options->follow || processes->is_over || maker->releasing ||
        maker->abandoned) {
        if (ptrace(PTRACE_DETACH, tid, 0, 0) != 0)
            return ft_target_fail(diag, "detaching from a child");
    } else if (shares_memory) {
        ft_detached_tasks_add(processes, tid);
    } else {
        struct ft_target target;
        status = ft_target_open(tid, &target, diag);
        if (status == FT_OK)
            ft_processes_start_image(processes, &target, NULL, maker,
                                     maker->thread_count ? maker->threads[0] : NULL);
    }
    return status;
}

/* A thread that there is no room for continues natively, and so do all others of its process. */
static int let_go(struct ft_capture *maker, pid_t tid, const struct ft_diag *failure,
                  struct ft_diag *diag)
{
    int status = make_detached(maker, tid, diag);
    if (status == FT_OK && ptrace(PTRACE_DETACH, tid, 0, 0) != 0)
        status = ft_target_fail(diag, "detaching from a thread");
    if (status == FT_OK)
        ft_capture_give_up_all(maker, failure);
    return status;
}

static void start_task(struct ft_processes *processes, const struct ft_new_task *new_task)
{
    struct ft_diag failure, diag;
    const struct ft_new_task copy = *new_task;
    forget_new_task(processes, copy.tid);
    if (!copy.maker) { /* of a process that runs natively or has ended */
        ft_detached_tasks_add(processes, copy.tid);
        return;
    }
    int status = adopt(processes, copy.maker, copy.tid, copy.shares_memory, &failure);
    if (status == FT_OK || ft_tracer_let_go_if_killed(copy.tid))
        return;
    if (ft_threads_find(copy.maker, copy.tid))
        ft_processes_abandon(processes, copy.maker, &failure);
    else if (let_go(copy.maker, copy.tid, &failure, &diag) < 0)
        ft_processes_abandon(processes, copy.maker, &diag);
}

/* A thread starts at its first stop. Where waitpid tells of all of its stops before it tells of its
 * maker's, it has been traced to its end and would be waited for in vain. */
static bool has_come_and_gone(pid_t tid)
{
    siginfo_t info;
    return waitid(P_PID, (id_t)tid, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) != 0 &&
           errno == ECHILD;
}

void ft_new_tasks_on_clone_event(struct ft_processes *processes, pid_t reporter,
                                 struct ft_thread *thread)
{
    unsigned long tid = 0;
    ptrace(PTRACE_GETEVENTMSG, reporter, 0, &tid);
    if (thread)
        thread->makes_child = false;
    if (tid == 0 || ft_processes_find_thread(processes, (pid_t)tid) ||
        ft_detached_tasks_has(processes, (pid_t)tid) || has_come_and_gone((pid_t)tid))
        return;
    struct ft_new_task *new_task = find_or_add(processes, (pid_t)tid);
    if (!new_task)
        return;
    new_task->is_reported = true;
    new_task->maker = thread ? thread->capture : NULL;
    new_task->shares_memory = thread && thread->child_shares_memory;
    if (new_task->has_stopped)
        start_task(processes, new_task);
}

void ft_new_tasks_on_first_stop(struct ft_processes *processes, pid_t tid, int wait_status)
{
    if (!WIFSTOPPED(wait_status) || ft_target_is_at_end(wait_status)) {
        forget_new_task(processes, tid);
        if (WIFSTOPPED(wait_status))
            ptrace(PTRACE_CONT, tid, 0, 0);
        return;
    }
    struct ft_new_task *new_task = find_or_add(processes, tid);
    if (!new_task)
        return;
    new_task->has_stopped = true;
    struct ft_capture *process = ft_processes_find(processes, ft_target_process_of(tid));
    if (process && !new_task->is_reported) { /* a thread: nothing more needs to be known */
        new_task->is_reported = true;
        new_task->maker = process;
    }
    struct ft_capture *maker = new_task->maker;
    if (new_task->is_reported)
        start_task(processes, new_task);
    if (maker)
        ft_processes_end_if_over(processes, maker);
}

void ft_new_tasks_on_clone_aborted(struct ft_processes *processes, struct ft_capture *maker)
{
    for (size_t i = 0; i < processes->new_task_count; i++) {
        struct ft_new_task *new_task = &processes->new_tasks[i];
        struct user_regs_struct registers;
        struct ft_diag diag;
        if (new_task->is_reported || !new_task->has_stopped ||
            ft_target_registers(&(struct ft_target){.pid = new_task->tid}, &registers, &diag) < 0 ||
            !ft_app_state_recover_new(maker, &registers))
            continue;
        new_task->maker = maker;
        new_task->is_reported = true;
        new_task->shares_memory = true; /* the cautious assumption */
        start_task(processes, new_task);
        i = (size_t)-1;
    }
}

void ft_new_tasks_start_all(struct ft_processes *processes, const struct ft_capture *maker)
{
    for (size_t i = 0; i < processes->new_task_count; i++) {
        struct ft_new_task *new_task = &processes->new_tasks[i];
        int wait_status;
        if (new_task->maker != maker)
            continue;
        if (new_task->has_stopped ||
            (waitpid(new_task->tid, &wait_status, __WALL) == new_task->tid &&
             WIFSTOPPED(wait_status)))
            start_task(processes, new_task);
        else
            forget_new_task(processes, new_task->tid);
        i = (size_t)-1;
    }
}
