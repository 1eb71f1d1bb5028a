/*
 * usage: restricted seccomp|traced COMMAND ARGS
 *
 * Runs a command where ptrace does not work: under a seccomp filter that refuses it, as containers
 * have; or traced, with all its children, as under `strace -f`. Gives the command's exit code.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CANNOT 99

static void refuse_ptrace(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(CANNOT);
}

/* Lets everything that the first child starts run, under ptrace, until the first child ends. */
static int trace_all(pid_t first)
{
    int status;
    if (waitpid(first, &status, 0) != first || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, first, 0,
               PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                   PTRACE_O_EXITKILL) != 0)
        return CANNOT;
    pid_t pid = first;
    do {
        int signal = WSTOPSIG(status);
        if (signal == SIGSTOP || signal == SIGTRAP) /* of tracing, not of the program */
            signal = 0;
        if (WIFSTOPPED(status) && ptrace(PTRACE_CONT, pid, 0, signal) != 0 && errno != ESRCH)
            return CANNOT;
        pid = waitpid(-1, &status, __WALL);
    } while (pid > 0 && (pid != first || WIFSTOPPED(status)));
    return pid == first && WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT;
}

int main(int count, char **words)
{
    if (count < 3)
        return CANNOT;
    if (setenv("LSAN_OPTIONS", "detect_leaks=0", 1) != 0) /* the leak sanitizer uses ptrace */
        return CANNOT;
    if (strcmp(words[1], "seccomp") == 0) {
        refuse_ptrace();
        execvp(words[2], words + 2);
        return CANNOT;
    }
    pid_t first = fork();
    if (first == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0 || raise(SIGSTOP) != 0)
            _exit(CANNOT);
        execvp(words[2], words + 2);
        _exit(CANNOT);
    }
    return first < 0 ? CANNOT : trace_all(first);
}
