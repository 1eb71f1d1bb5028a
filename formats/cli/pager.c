#include "formats/cli/pager.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/base/path_search.h"
#include "formats/cli/style.h"
#include "formats/cli/terminal.h"

static pid_t pager; /* 0: none */

static bool is_in_path(const char *program)
{
    char *path = ft_path_search(program, NULL);
    free(path);
    return path;
}

/* NULL: none. */
static const char *command_of_pager(void)
{
    const char *command = getenv("FORETRACE_PAGER");
    if (!command)
        command = getenv("PAGER");
    if (!command)
        command = is_in_path("less") ? "less" : "";
    return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* With functions that a signal handler may call. */
static void wait_for_pager(void)
{
    close(STDOUT_FILENO);
    waitpid(pager, NULL, 0);
}

static void end_by(int signal_number)
{
    wait_for_pager();
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

static void run_pager(const char *command, const int ends[2])
{
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    /* Less leaves what fits one screen on it, and shows colours. */
    setenv("LESS", "FRX", false);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void ft_pager_start(void)
{
    int ends[2];
    const bool is_seen = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
    const char *command = is_seen ? command_of_pager() : NULL;
    if (!command)
        return;
    ft_terminal_keep_width();
    if (pipe(ends) != 0)
        return;
    fflush(stdout);
    pager = fork();
    if (pager == 0)
        run_pager(command, ends);
    if (pager > 0) {
        ft_style_through_pager();
        dup2(ends[1], STDOUT_FILENO);
        (void)signal(SIGINT, end_by);
        (void)signal(SIGTERM, end_by);
    } else {
        pager = 0;
    }
    close(ends[0]);
    close(ends[1]);
}

void ft_pager_finish(void)
{
    if (pager == 0)
        return;
    fflush(stdout);
    wait_for_pager();
    pager = 0;
}
