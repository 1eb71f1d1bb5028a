/*
 * A thread of the captured process under ptrace: its registers and memory, and system calls made on
 * its behalf. Only the thread of ours that traces it may use these functions.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_TARGET_H
#define FT_TRACE_CAPTURE_TARGET_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "formats/base/status.h"

struct ft_held_signal {
    siginfo_t info;
    bool is_sent; /* again, and pending in the kernel */
};

/* The registration of a thread's restartable sequences; address 0: there is none (rseq.h). */
struct ft_rseq {
    uint64_t address;
    uint32_t bytes, signature;
};

struct ft_target {
    pid_t pid;                   /* the kernel's thread */
    pid_t process;               /* the process that it belongs to */
    int memory_fd;               /* /proc/PID/mem, of the process; closed by who started it */
    uint64_t syscall_gadget;     /* address of a `syscall` instruction; 0: none yet */
    bool randomised;             /* address randomisation could not be switched off */
    struct ft_held_signal *held; /* taken from the kernel but not yet given to the program */
    size_t held_count, held_capacity;
    struct ft_rseq rseq; /* the program's, taken back while it is captured */
    int end_status;      /* wait status, if the target ended during a call of ours; else 0 */
};

/* The first thread of a stopped, traced process; the caller closes its memory_fd. */
int ft_target_open(pid_t pid, struct ft_target *ret_target, struct ft_diag *diag);
/* The same from the stop of an exec event: continues to the exit of execve, because only there the
 * registers belong to the new program. If it ended on the way, ret_target->end_status says how. */
int ft_target_finish_exec(pid_t pid, struct ft_target *ret_target, struct ft_diag *diag);
/* Another thread of the same process. */
struct ft_target ft_target_of_thread(const struct ft_target *target, pid_t tid);
/* The process that a thread belongs to; 0 if there is no such thread. */
pid_t ft_target_process_of(pid_t tid);
/* Whether it has restricted its system calls (seccomp): one of ours might kill it. */
bool ft_target_is_filtered(const struct ft_target *target);
void ft_target_fini(struct ft_target *target);

/* Describes the failure of a ptrace request, from errno. */
int ft_target_fail(struct ft_diag *diag, const char *what);

int ft_target_registers(const struct ft_target *target, struct user_regs_struct *ret_registers,
                        struct ft_diag *diag);
int ft_target_set_registers(const struct ft_target *target,
                            const struct user_regs_struct *registers, struct ft_diag *diag);
/* Reads what can be read from `address`, up to `count` bytes; returns how many. */
size_t ft_target_read(const struct ft_target *target, uint64_t address, void *ret_bytes,
                      size_t count);
bool ft_target_write(const struct ft_target *target, uint64_t address, const void *bytes,
                     size_t count);

/* Runs one instruction, delivering `signal` if not 0, and returns the wait status: a signal that
 * stops the target, or its end. */
int ft_target_step(const struct ft_target *target, int signal, int *ret_status,
                   struct ft_diag *diag);

/* Whether a wait status says that the target has ended, or is about to (PTRACE_EVENT_EXIT). */
bool ft_target_is_at_end(int wait_status);
/* Whether it says that the target has created a process or a thread. */
bool ft_target_is_clone_event(int wait_status);
/* Whether the signal stops a process (job control). */
bool ft_target_is_stop_signal(int signal);

/* The description of the signal that the target is stopped with. */
int ft_target_signal_info(const struct ft_target *target, siginfo_t *ret_info,
                          struct ft_diag *diag);

/* Keeps a signal that came at an inconvenient time for later. */
int ft_target_hold_signal(struct ft_target *target, const siginfo_t *info, struct ft_diag *diag);

/* Sends them again; the kernel reports them when the target runs. */
void ft_target_send_held(struct ft_target *target);

/* Runs the system call instruction at the target's rip to its end. Signals that arrive are held. (A
 * single step would end in a forced SIGTRAP, which resets the program's handling of it.) */
int ft_target_run_call(struct ft_target *target, struct ft_diag *diag);

/* Makes a system call in the target, whose registers are kept; ret_result is the kernel's result.
 * The target must be in a ptrace stop outside of system calls, and either syscall_gadget is set or
 * `at` is an address whose two bytes of code may be changed for a moment. */
int ft_target_syscall(struct ft_target *target, uint64_t at, long number,
                      const uint64_t arguments[6], int64_t *ret_result, struct ft_diag *diag);

/* The target's signal masks as /proc shows them. */
struct ft_signal_sets {
    uint64_t blocked, ignored, caught;
    uint64_t pending; /* for this thread */
    uint64_t shared;  /* pending for any thread of the process */
};
int ft_target_signal_sets(const struct ft_target *target, struct ft_signal_sets *ret_sets,
                          struct ft_diag *diag);
/* Whether a signal is pending that the kernel will deliver to it as soon as it runs. */
bool ft_target_has_signal(const struct ft_target *target);

#endif
