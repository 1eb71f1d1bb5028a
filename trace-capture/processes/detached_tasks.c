/*
 * Threads that are traced, but run natively up to the program that they execute: children that use
 * their parent's memory. They stop at system calls, to be looked at before they execute a program
 * that cannot be captured.
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

bool ft_natives_has(const struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->native_count; i++)
        if (processes->natives[i] == tid)
            return true;
    return false;
}

void ft_natives_remove(struct ft_processes *processes, pid_t tid)
{
    for (size_t i = 0; i < processes->native_count; i++)
        if (processes->natives[i] == tid)
            processes->natives[i--] = processes->natives[--processes->native_count];
}

void ft_natives_add(struct ft_processes *processes, pid_t tid)
{
    if (FT_RESERVE(processes->natives, processes->native_capacity, processes->native_count + 1)) {
        processes->natives[processes->native_count++] = tid;
        ptrace(PTRACE_SYSCALL, tid, 0, 0);
    } else {
        ptrace(PTRACE_DETACH, tid, 0, 0);
    }
}
