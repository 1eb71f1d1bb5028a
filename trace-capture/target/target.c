/*
 * In order: opening a target; registers and memory; steps and wait statuses; held signals; system
 * calls on its behalf; what /proc says about it.
 */
#include "trace-capture/target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/array.h"

static bool aslr_is_off(pid_t pid)
{
    char path[64], text[32] = "";
    snprintf(path, sizeof path, "/proc/%d/personality", (int)pid);
    FILE *file = fopen(path, "re");
    if (file) {
        if (!fgets(text, sizeof text, file))
            text[0] = 0;
        fclose(file);
    }
    return (strtoul(text, NULL, 16) & ADDR_NO_RANDOMIZE) != 0;
}

int ft_target_open(pid_t pid, struct ft_target *ret_target, struct ft_diag *diag)
{
    char memory[64];
    snprintf(memory, sizeof memory, "/proc/%d/mem", (int)pid);
    *ret_target = (struct ft_target){.pid = pid, .process = pid, .randomised = !aslr_is_off(pid)};
    ret_target->memory_fd = open(memory, O_RDWR | O_CLOEXEC);
    if (ret_target->memory_fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", memory, strerror(errno));
    return FT_OK;
}

int ft_target_finish_exec(pid_t pid, struct ft_target *ret_target, struct ft_diag *diag)
{
    int status = 0;
    if (ptrace(PTRACE_SYSCALL, pid, 0, 0) != 0 || waitpid(pid, &status, __WALL) != pid ||
        !WIFSTOPPED(status)) {
        *ret_target = (struct ft_target){.pid = pid, .memory_fd = -1, .end_status = status};
        return ft_fail(diag, FT_ERROR_FAILURE, "the program ended while it started");
    }
    return ft_target_open(pid, ret_target, diag);
}

struct ft_target ft_target_of_thread(const struct ft_target *target, pid_t tid)
{
    return (struct ft_target){.pid = tid,
                              .process = target->process,
                              .memory_fd = target->memory_fd,
                              .syscall_gadget = target->syscall_gadget,
                              .randomised = target->randomised};
}

void ft_target_fini(struct ft_target *target)
{
    free(target->held);
    *target = (struct ft_target){.pid = -1, .memory_fd = -1};
}

int ft_target_fail(struct ft_diag *diag, const char *what)
{
    return ft_fail(diag, FT_ERROR_FAILURE, "ptrace: %s: %s", what, strerror(errno));
}

int ft_target_registers(const struct ft_target *target, struct user_regs_struct *ret_registers,
                        struct ft_diag *diag)
{
    if (ptrace(PTRACE_GETREGS, target->pid, 0, ret_registers) != 0)
        return ft_target_fail(diag, "reading registers");
    return FT_OK;
}

int ft_target_set_registers(const struct ft_target *target,
                            const struct user_regs_struct *registers, struct ft_diag *diag)
{
    if (ptrace(PTRACE_SETREGS, target->pid, 0, registers) != 0)
        return ft_target_fail(diag, "writing registers");
    return FT_OK;
}

size_t ft_target_read(const struct ft_target *target, uint64_t address, void *ret_bytes,
                      size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t got = pread(target->memory_fd, (char *)ret_bytes + done, count - done,
                            (off_t)(address + done));
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

bool ft_target_write(const struct ft_target *target, uint64_t address, const void *bytes,
                     size_t count)
{
    return pwrite(target->memory_fd, bytes, count, (off_t)address) == (ssize_t)count;
}

int ft_target_step(const struct ft_target *target, int signal, int *ret_status,
                   struct ft_diag *diag)
{
    do {
        if (ptrace(PTRACE_SINGLESTEP, target->pid, 0, signal) != 0)
            return ft_target_fail(diag, "stepping");
        if (waitpid(target->pid, ret_status, __WALL) != target->pid)
            return ft_target_fail(diag, "waiting");
        signal = 0;
    } while (*ret_status >> 16 == PTRACE_EVENT_STOP); /* because of a SIGCONT: no step was made */
    return FT_OK;
}

bool ft_target_is_at_end(int wait_status)
{
    return !WIFSTOPPED(wait_status) || wait_status >> 16 == PTRACE_EVENT_EXIT;
}

bool ft_target_is_clone_event(int wait_status)
{
    int event = WIFSTOPPED(wait_status) ? wait_status >> 16 : 0;
    return event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE;
}

bool ft_target_is_stop_signal(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

int ft_target_signal_info(const struct ft_target *target, siginfo_t *ret_info, struct ft_diag *diag)
{
    if (ptrace(PTRACE_GETSIGINFO, target->pid, 0, ret_info) != 0)
        return ft_target_fail(diag, "reading a signal");
    return FT_OK;
}

int ft_target_hold_signal(struct ft_target *target, const siginfo_t *info, struct ft_diag *diag)
{
    for (size_t i = 0; i < target->held_count && info->si_signo < SIGRTMIN; i++)
        if (target->held[i].info.si_signo ==
            info->si_signo) { /* held already: its first description counts */
            target->held[i].is_sent = false;
            return FT_OK;
        }
    if (!FT_RESERVE(target->held, target->held_capacity, target->held_count + 1))
        return ft_fail_memory(diag, "a signal");
    target->held[target->held_count++] = (struct ft_held_signal){*info, false};
    return FT_OK;
}

void ft_target_send_held(struct ft_target *target)
{
    for (size_t i = 0; i < target->held_count; i++) {
        struct ft_held_signal *held = &target->held[i];
        if (!held->is_sent)
            syscall(SYS_tgkill, target->process, target->pid, held->info.si_signo);
        held->is_sent = true;
    }
}

int ft_target_run_call(struct ft_target *target, struct ft_diag *diag)
{
    for (unsigned stops = 0; stops < 2;) {
        int wait_status;
        if (ptrace(PTRACE_SYSCALL, target->pid, 0, 0) != 0)
            return ft_target_fail(diag, "a system call");
        if (waitpid(target->pid, &wait_status, __WALL) != target->pid)
            return ft_target_fail(diag, "waiting");
        if (ft_target_is_at_end(wait_status)) {
            target->end_status = wait_status;
            return ft_fail(diag, FT_ERROR_FAILURE, "the program ended in a system call");
        }
        if (WSTOPSIG(wait_status) == (SIGTRAP | 0x80)) {
            stops++;
        } else if (wait_status >> 16 == 0) {
            siginfo_t info;
            FT_TRY(ft_target_signal_info(target, &info, diag));
            FT_TRY(ft_target_hold_signal(target, &info, diag));
        }
    }
    return FT_OK;
}

int ft_target_syscall(struct ft_target *target, uint64_t at, long number,
                      const uint64_t arguments[6], int64_t *ret_result, struct ft_diag *diag)
{
    static const uint8_t syscall_code[2] = {0x0f, 0x05};
    struct user_regs_struct saved;
    FT_TRY(ft_target_registers(target, &saved, diag));
    uint64_t where = target->syscall_gadget ? target->syscall_gadget : at;
    uint8_t code[2] = {0};
    bool patched = !target->syscall_gadget;
    if (patched && (ft_target_read(target, where, code, 2) != 2 ||
                    !ft_target_write(target, where, syscall_code, 2)))
        return ft_fail(diag, FT_ERROR_FAILURE, "the program's code cannot be written");
    struct user_regs_struct registers = saved;
    registers.rip = where;
    registers.orig_rax = (unsigned long long)-1;
    registers.rax = (unsigned long long)number;
    registers.rdi = arguments[0];
    registers.rsi = arguments[1];
    registers.rdx = arguments[2];
    registers.r10 = arguments[3];
    registers.r8 = arguments[4];
    registers.r9 = arguments[5];
    FT_TRY(ft_target_set_registers(target, &registers, diag));
    FT_TRY(ft_target_run_call(target, diag));
    FT_TRY(ft_target_registers(target, &registers, diag));
    *ret_result = (int64_t)registers.rax;
    if (patched && !ft_target_write(target, where, code, 2))
        return ft_fail(diag, FT_ERROR_FAILURE, "the program's code cannot be written back");
    return ft_target_set_registers(target, &saved, diag);
}

/* The value of "name:" in a line of a thread's status file, NULL if it is another line. */
static const char *status_value(const char *line, const char *name)
{
    size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == ':' ? line + length + 1 : NULL;
}

static FILE *open_status(pid_t tid, char path[64])
{
    snprintf(path, 64, "/proc/%d/status", (int)tid);
    return fopen(path, "re");
}

/* The number of a line of a thread's status file; 0 if there is no such line. */
static long status_number(pid_t tid, const char *name)
{
    char path[64], line[256];
    const char *value = NULL;
    long number = 0;
    FILE *file = open_status(tid, path);
    while (file && !value && fgets(line, sizeof line, file))
        if ((value = status_value(line, name)) != NULL)
            number = strtol(value, NULL, 10);
    if (file)
        fclose(file);
    return number;
}

pid_t ft_target_process_of(pid_t tid)
{
    return (pid_t)status_number(tid, "Tgid");
}

bool ft_target_is_filtered(const struct ft_target *target)
{
    static const char filters[] = "Seccomp_filters";
    return status_number(target->pid, "Seccomp") == 1 ||
           status_number(target->pid, filters) > status_number(getpid(), filters);
}

int ft_target_signal_sets(const struct ft_target *target, struct ft_signal_sets *ret_sets,
                          struct ft_diag *diag)
{
    struct ft_signal_sets sets = {0};
    const struct {
        const char *name;
        uint64_t *set;
    } wanted[] = {{"SigPnd", &sets.pending},
                  {"ShdPnd", &sets.shared},
                  {"SigBlk", &sets.blocked},
                  {"SigIgn", &sets.ignored},
                  {"SigCgt", &sets.caught}};
    char path[64], line[256];
    const char *value;
    FILE *file = open_status(target->pid, path);
    if (!file)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
            if ((value = status_value(line, wanted[i].name)) != NULL)
                *wanted[i].set = strtoull(value, NULL, 16);
    fclose(file);
    *ret_sets = sets;
    return FT_OK;
}

bool ft_target_has_signal(const struct ft_target *target)
{
    struct ft_signal_sets sets;
    struct ft_diag diag;
    return ft_target_signal_sets(target, &sets, &diag) == FT_OK &&
           ((sets.pending | sets.shared) & ~sets.blocked) != 0;
}
