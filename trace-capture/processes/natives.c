/*
 * Threads that are traced, but run natively up to the program that they execute: children that use
 * their parent's memory. They stop at system calls, to be looked at before they execute a program
 * that cannot be captured.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/modules/program_file.h"
#include "trace-capture/processes/processes.h"

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

void ft_natives_follow(struct ft_processes *processes, pid_t tid, int wait_status)
{
    int signal = WSTOPSIG(wait_status), event = wait_status >> 16;
    if (!WIFSTOPPED(wait_status)) {
        ft_natives_remove(processes, tid);
        return;
    }
    if (ft_target_is_birth(wait_status))
        ft_births_told(processes, tid, NULL);
    bool is_stop = ft_target_is_stop_signal(signal);
    if (event == PTRACE_EVENT_STOP && processes->is_over) {
        ft_natives_remove(processes, tid);
        ptrace(PTRACE_DETACH, tid, 0, is_stop ? signal : 0);
        return;
    }
    if (event == PTRACE_EVENT_STOP && is_stop && ptrace(PTRACE_LISTEN, tid, 0, 0) == 0)
        return;
    if (event == 0 && signal == (SIGTRAP | 0x80) && goes_alone(processes, tid)) {
        ft_natives_remove(processes, tid);
        ptrace(PTRACE_DETACH, tid, 0, 0);
        return;
    }
    ptrace(PTRACE_SYSCALL, tid, 0, event == 0 && signal != (SIGTRAP | 0x80) ? signal : 0);
}
