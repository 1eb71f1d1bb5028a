/*
 * The child waits on a pipe until it is seized, so that nothing of the program runs unobserved,
 * then executes the program; the exec event is followed to the exit of execve, where the registers
 * are those of the program's first instruction (in ld.so, or the _start of a static program).
 */
#include "trace-capture/target/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace-capture/target/program_file.h"
#include "trace-capture/target/target.h"

static _Noreturn void run_child(const char *path, char *const *argv, bool keep_aslr, int go,
                                int result)
{
    char byte;
    if (read(go, &byte, 1) != 1)
        _exit(125);
    close(go);
    if (!keep_aslr) {
        int persona = personality(0xffffffffU);
        if (persona >= 0)
            personality((unsigned long)persona | ADDR_NO_RANDOMIZE);
    }
    execv(path, argv);
    if (errno == ENOEXEC) { /* as shells and execvp do: a script without an interpreter line */
        size_t count = 0;
        while (argv[count])
            count++;
        char **shell = calloc(count + 2, sizeof *shell);
        if (shell) {
            shell[0] = (char *)"/bin/sh";
            shell[1] = (char *)path;
            memcpy(shell + 2, argv + 1, count * sizeof *shell);
            execv(shell[0], shell);
        }
    }
    int reason = errno;
    if (write(result, &reason, sizeof reason) != sizeof reason)
        _exit(125);
    _exit(127);
}

/* Waits for the child's exec event, or its end; signals that reach it earlier are passed on to
 * it. */
static int wait_for_exec(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status) &&
           status >> 16 != PTRACE_EVENT_EXEC)
        if (ptrace(PTRACE_CONT, pid, 0, status >> 16 == 0 ? WSTOPSIG(status) : 0) != 0)
            break;
    return status;
}

/* The child ended before it became the program: says why. */
static enum ft_start_failure fail_start(struct ft_target *target, const char *path, int wait_status,
                                        int result, struct ft_diag *diag)
{
    int reason = 0;
    if (read(result, &reason, sizeof reason) == sizeof reason) {
        ft_fail(diag, FT_ERROR_FAILURE, "%s: %s", path, strerror(reason));
        return reason == ENOENT ? FT_START_NOT_FOUND : FT_START_NOT_RUNNABLE;
    }
    if (WIFSIGNALED(wait_status)) {
        target->end_status = wait_status;
        ft_fail(diag, FT_ERROR_FAILURE, "%s: was killed by signal %d (%s) before it started", path,
                WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
        return FT_START_KILLED;
    }
    ft_fail(diag, FT_ERROR_FAILURE, "%s: the program could not be started", path);
    return FT_START_NOT_RUNNABLE;
}

static enum ft_start_failure follow_start(struct ft_target *target, const char *path, int result,
                                          struct ft_diag *diag)
{
    int status = wait_for_exec(target->pid);
    if (!WIFSTOPPED(status) || status >> 16 != PTRACE_EVENT_EXEC)
        return fail_start(target, path, status, result, diag);
    if (ft_target_finish_exec(target->pid, target, diag) < 0)
        return FT_START_REFUSED;
    return FT_START_OK;
}

enum ft_start_failure ft_target_start(struct ft_target *target, char *const *argv, bool keep_aslr,
                                      struct ft_diag *diag)
{
    *target = (struct ft_target){.pid = -1, .memory_fd = -1};
    char *path = NULL;
    enum ft_start_failure failure = ft_program_find(argv[0], &path, diag);
    if (failure == FT_START_OK)
        failure = ft_program_check(path, diag);
    if (failure == FT_START_OK)
        failure = ft_program_check_limits(diag);
    if (failure != FT_START_OK) {
        free(path);
        return failure;
    }
    int go[2], result[2];
    if (pipe2(go, O_CLOEXEC) != 0 || pipe2(result, O_CLOEXEC) != 0) {
        ft_fail(diag, FT_ERROR_IO, "pipe: %s", strerror(errno));
        free(path);
        return FT_START_REFUSED;
    }
    target->pid = fork();
    if (target->pid == 0) {
        close(go[1]);
        run_child(path, argv, keep_aslr, go[0], result[1]);
    }
    close(go[0]);
    close(result[1]);
    if (target->pid < 0) {
        ft_fail(diag, FT_ERROR_FAILURE, "fork: %s", strerror(errno));
        failure = FT_START_REFUSED;
    } else if (ptrace(PTRACE_SEIZE, target->pid, 0, FT_PTRACE_OPTIONS) != 0) {
        ft_program_fail_ptrace(target->pid, errno, diag);
        kill(target->pid, SIGKILL);
        waitpid(target->pid, NULL, __WALL);
        failure = FT_START_REFUSED;
    } else if (write(go[1], "g", 1) != 1) {
        ft_fail(diag, FT_ERROR_IO, "pipe: %s", strerror(errno));
        failure = FT_START_REFUSED;
    } else {
        failure = follow_start(target, path, result[0], diag);
    }
    close(go[1]);
    close(result[0]);
    free(path);
    return failure;
}
