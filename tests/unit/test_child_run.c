/* How a child ends: its exit code, its time limit, and Ctrl-C, which reaches it and us one after
 * the other. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "predict/plan/child_run.h"
#include "tests/support/tap.h"

static int run_shell(const char *script, double limit_seconds,
                     const struct ft_held_signals *signals, struct ft_child_run *ret_run,
                     struct ft_diag *diag)
{
    char shell[] = "sh";
    char option[] = "-c";
    char text[256];
    snprintf(text, sizeof text, "%s", script);
    char *arguments[] = {shell, option, text, NULL};
    const struct ft_child_terms terms = {
        .limit_seconds = limit_seconds, .signals = signals, .is_native = true};
    return ft_child_run(arguments, &terms, ret_run, diag);
}

static void check_ends(void)
{
    struct ft_diag diag = {0};
    struct ft_held_signals signals = {0};
    struct ft_child_run run = {0};
    tap_ok(ft_held_signals_init(&signals, &diag) == FT_OK, "signals are held");
    int status = run_shell("exit 3", INFINITY, &signals, &run, &diag);
    tap_ok(status == FT_OK && run.ended && run.exit_code == 3, "exit code %d", run.exit_code);
    status = run_shell("kill -INT $$", INFINITY, &signals, &run, &diag);
    tap_ok(status == FT_OK && run.ended && run.exit_code == 128 + SIGINT,
           "a signal that it alone got: %d", run.exit_code);
    status = run_shell("exec sleep 100", 0.05, &signals, &run, &diag);
    tap_ok(status == FT_OK && !run.ended, "the time limit");
    ft_held_signals_fini(&signals);
}

/* In a process of its own, which ends by the signal that it held. */
static void check_interrupted(const char *script, const char *what)
{
    struct ft_diag diag = {0};
    struct ft_held_signals signals = {0};
    struct ft_child_run run = {0};
    int wait_status = 0;
    pid_t process = fork();
    if (process == 0) {
        bool says_so = ft_held_signals_init(&signals, &diag) == FT_OK &&
                       run_shell(script, INFINITY, &signals, &run, &diag) == FT_ERROR_FAILURE &&
                       strcmp(diag.message, "interrupted") == 0;
        if (says_so)
            ft_held_signals_fini(&signals);
        _exit(1);
    }
    tap_ok(waitpid(process, &wait_status, 0) == process && WIFSIGNALED(wait_status) &&
               WTERMSIG(wait_status) == SIGINT,
           "%s: interrupted", what);
}

int main(void)
{
    check_ends();
    check_interrupted("kill -INT $PPID; exec sleep 100", "the signal is ours alone");
    check_interrupted("(sleep 0.1; kill -INT $PPID) & kill -INT $$", "the child gets it before us");
    return tap_plan_done();
}
