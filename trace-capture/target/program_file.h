/*
 * The program file that a command line names: finds it as execvp does, and checks before anything
 * runs whether the kernel would refuse to run it, or to let it be traced. Messages say what to do.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_PROGRAM_FILE_H
#define FT_TRACE_CAPTURE_TARGET_PROGRAM_FILE_H

#include <sys/types.h>
#include <sys/user.h>

#include "formats/base/status.h"

struct ft_target;

enum ft_start_failure {
    FT_START_OK,
    FT_START_REFUSED,      /* the program cannot be captured; diag says why (exit 125) */
    FT_START_NOT_RUNNABLE, /* found but not executable (exit 126) */
    FT_START_NOT_FOUND,    /* (exit 127) */
    FT_START_KILLED,       /* before or in execve, past the point of no return: end_status */
};

/* The file that execvp would run, as a malloc'ed path. */
enum ft_start_failure ft_program_find(const char *name, char **ret_path, struct ft_diag *diag);
/* Whether it can be captured; of a script, its interpreter. */
enum ft_start_failure ft_program_check(const char *path, struct ft_diag *diag);
/* The same for what the target is about to execute, from the registers of its system call, the
 * number in rax. FT_ERROR_UNSUPPORTED if it cannot be captured; what the kernel would refuse by
 * itself is fine. */
int ft_program_check_exec(const struct ft_target *target, const struct user_regs_struct *registers,
                          struct ft_diag *diag);
/* Whether the limits of this process leave room for a capture. */
enum ft_start_failure ft_program_check_limits(struct ft_diag *diag);
/* Describes why ptrace, for error number `reason`, is not allowed for the child `pid`. */
void ft_program_fail_ptrace(pid_t pid, int reason, struct ft_diag *diag);

#endif
