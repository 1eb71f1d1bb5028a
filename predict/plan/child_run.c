/*
 * The child has signals as a shell would start it with, and dies with us. A captured program dies
 * with its capture (PTRACE_O_EXITKILL), so killing the child stops everything.
 */
#include "predict/plan/child_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/clock.h"

#define SECONDS_MAX      1e9 /* of a limit: thirty years */
#define SIGNAL_TO_ALL_MS 500 /* at most between a child's signal and ours */

/* Output and standard error, which may be one file. */
static bool redirect(const struct ft_child_terms *terms)
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    const bool is_same = terms->output_path && terms->errors_path == terms->output_path;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    int output = terms->output_path    ? open(terms->output_path, flags, 0666)
                 : terms->shows_output ? STDOUT_FILENO
                                       : null;
    int errors = is_same              ? output
                 : terms->errors_path ? open(terms->errors_path, flags, 0600)
                                      : STDERR_FILENO;
    return null >= 0 && output >= 0 && errors >= 0 && dup2(null, STDIN_FILENO) >= 0 &&
           dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0;
}

static void become_program(char *const *arguments, const struct ft_child_terms *terms, pid_t parent)
{
    if ((terms->folder && chdir(terms->folder) != 0) || !redirect(terms))
        _exit(FT_CHILD_NOT_STARTED);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGQUIT, SIG_DFL);
    (void)pthread_sigmask(SIG_SETMASK, &terms->signals->before, NULL);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent) {
        if (terms->is_native)
            execvp(arguments[0], arguments);
        else
            execv("/proc/self/exe", arguments);
    }
    _exit(FT_CHILD_NOT_STARTED);
}

/* Until the child ends, the limit is reached, or a signal comes. */
static bool wait_until(int child_fd, const struct ft_child_terms *terms)
{
    const double limit_seconds = fmin(terms->limit_seconds, SECONDS_MAX);
    const uint64_t end_ns = ft_clock_ns() + (uint64_t)(1e9 * limit_seconds);
    struct pollfd ends[] = {{.fd = child_fd, .events = POLLIN},
                            {.fd = terms->signals->fd, .events = POLLIN}};
    for (;;) {
        uint64_t now_ns = ft_clock_ns();
        if (now_ns >= end_ns)
            return false;
        const uint64_t left_ms = (end_ns - now_ns) / 1000000 + 1;
        int count = poll(ends, 2, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
        if (count > 0)
            return ends[1].revents == 0;
        if (count < 0 && errno != EINTR)
            return false;
    }
}

static double seconds_of(const struct rusage *usage)
{
    return (double)usage->ru_utime.tv_sec + (double)usage->ru_stime.tv_sec +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

/* Ctrl-C is sent to all processes of the terminal, one by one: the child may end by it before we
 * get ours. */
static bool is_interrupted(const struct ft_held_signals *signals, int child_exit_code)
{
    const int child_signal = child_exit_code - 128;
    const bool may_follow =
        child_signal == SIGINT || child_signal == SIGTERM || child_signal == SIGHUP;
    struct pollfd signal = {.fd = signals->fd, .events = POLLIN};
    return poll(&signal, 1, may_follow ? SIGNAL_TO_ALL_MS : 0) > 0;
}

static void end_child(pid_t child, int child_fd, double grace_seconds)
{
    struct pollfd end = {.fd = child_fd, .events = POLLIN};
    if (grace_seconds > 0) {
        (void)kill(child, SIGTERM);
        (void)poll(&end, 1, (int)(1000 * grace_seconds));
    }
    (void)kill(child, SIGKILL);
}

static int watch(pid_t child, const struct ft_child_terms *terms, struct ft_child_run *ret_run,
                 struct ft_diag *diag)
{
    struct rusage usage;
    int child_fd = pidfd_open(child, 0);
    int wait_status = 0;
    bool ended = child_fd >= 0 && wait_until(child_fd, terms);
    if (!ended)
        end_child(child, child_fd, child_fd >= 0 ? terms->grace_seconds : 0);
    if (child_fd >= 0)
        close(child_fd);
    pid_t waited;
    while ((waited = wait4(child, &wait_status, 0, &usage)) < 0 && errno == EINTR)
        ;
    if (waited < 0 || child_fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "cannot wait for a run: %s", strerror(errno));
    const int exit_code =
        WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    if (is_interrupted(terms->signals, ended ? exit_code : 0)) /* else the signal was ours */
        return ft_fail(diag, FT_ERROR_FAILURE, "interrupted");
    *ret_run = (struct ft_child_run){
        .ended = ended,
        .exit_code = exit_code,
        .cpu_seconds = seconds_of(&usage),
        .resident_bytes = 1024 * (double)usage.ru_maxrss,
    };
    return FT_OK;
}

static int start(char *const *arguments, const struct ft_child_terms *terms,
                 struct ft_child_run *ret_run, struct ft_diag *diag)
{
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0)
        become_program(arguments, terms, parent);
    return child < 0 ? ft_fail(diag, FT_ERROR_IO, "cannot start a run: %s", strerror(errno))
                     : watch(child, terms, ret_run, diag);
}

int ft_child_run(char *const *arguments, const struct ft_child_terms *terms,
                 struct ft_child_run *ret_run, struct ft_diag *diag)
{
    if (terms->is_native)
        return start(arguments, terms, ret_run, diag);
    size_t count = 0;
    while (arguments[count])
        count++;
    char **all = calloc(count + 2, sizeof *all);
    if (!all)
        return ft_fail_memory(diag, "a command");
    char name[] = "foretrace";
    all[0] = name;
    memcpy(all + 1, arguments, count * sizeof *all);
    int status = start(all, terms, ret_run, diag);
    free(all);
    return status;
}

void ft_child_last_line(const char *errors_path, char *text, size_t bytes)
{
    char line[512];
    FILE *file = fopen(errors_path, "r");
    text[0] = 0;
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0])
            snprintf(text, bytes, "%s", line);
    }
    (void)fclose(file);
}
