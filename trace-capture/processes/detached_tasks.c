/*
 * These are children that share their parent's memory (vfork, posix_spawn). They stop at system
 * calls, so that a program that cannot be captured is noticed before they execute it.
 */
#include "trace-capture/processes/detached_tasks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/processes/processes_state.h"

bool ft_detached_tasks_has(const struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->detached_task_count; i++)
        if (processes->detached_tasks[i] == tid)
            return true;
    return false;
}

void ft_detached_tasks_remove(struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->detached_task_count; i++)
        if (processes->detached_tasks[i] == tid)
            processes->detached_tasks[i--] =
                processes->detached_tasks[--processes->detached_task_count];
}

void ft_detached_tasks_add(struct ft_processes *processes, pid_t tid)
{
    if (FT_RESERVE(processes->detached_tasks, processes->detached_task_capacity,
                   processes->detached_task_count + 1)) {
        processes->detached_tasks[processes->detached_task_count++] = tid;
        ptrace(PTRACE_SYSCALL, tid, 0, 0);
    } else {
        ptrace(PTRACE_DETACH, tid, 0, 0);
    }
}
