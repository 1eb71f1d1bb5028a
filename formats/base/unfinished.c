/*
 * Paths are in static memory, where the handler, which may run in any thread, only finds complete
 * ones: a slot is marked used after its path is written, and free before it is written again.
 */
#include "formats/base/unfinished.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define FILES_MAX 4U

static struct {
    atomic_bool taken;
    char path[PATH_MAX];
} files[FILES_MAX];

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDING (sizeof ending / sizeof *ending)

static bool handled[ENDING]; /* by us */
static size_t count;

/* Each action is the default one again by now (SA_RESETHAND), so the signal ends the process when
 * the handler returns. */
static void remove_files(int signal)
{
    for (size_t i = 0; i < FILES_MAX; i++)
        if (atomic_load(&files[i].taken))
            (void)unlink(files[i].path);
    (void)raise(signal);
}

static void handle_signals(void)
{
    struct sigaction action = {.sa_handler = remove_files, .sa_flags = SA_RESETHAND}, before;
    (void)sigfillset(&action.sa_mask);
    for (size_t i = 0; i < ENDING; i++) {
        handled[i] = sigaction(ending[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) &&
                     before.sa_handler == SIG_DFL;
        if (handled[i])
            (void)sigaction(ending[i], &action, NULL);
    }
}

static void leave_signals(void)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};
    for (size_t i = 0; i < ENDING; i++)
        if (handled[i])
            (void)sigaction(ending[i], &action, NULL);
}

void ft_unfinished_add(const char *path)
{
    size_t free_one = 0;
    while (free_one < FILES_MAX && atomic_load(&files[free_one].taken))
        free_one++;
    if (free_one == FILES_MAX || strlen(path) >= sizeof files->path)
        return;
    strcpy(files[free_one].path, path);
    atomic_store(&files[free_one].taken, true);
    if (count++ == 0)
        handle_signals();
}

void ft_unfinished_drop(const char *path)
{
    for (size_t i = 0; i < FILES_MAX && path; i++) {
        if (!atomic_load(&files[i].taken) || strcmp(files[i].path, path) != 0)
            continue;
        atomic_store(&files[i].taken, false);
        if (--count == 0)
            leave_signals();
        return;
    }
}
