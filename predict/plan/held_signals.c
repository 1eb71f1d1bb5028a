#include "predict/plan/held_signals.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

int ft_held_signals_init(struct ft_held_signals *held, struct ft_diag *diag)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t signals;
    (void)sigemptyset(&signals);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            (void)sigaddset(&signals, ending[i]);
    }
    held->fd = signalfd(-1, &signals, SFD_CLOEXEC);
    if (held->fd < 0)
        return ft_fail(diag, FT_ERROR_IO, "cannot wait for signals: %s", strerror(errno));
    (void)pthread_sigmask(SIG_BLOCK, &signals, &held->before);
    held->held = true;
    return FT_OK;
}

void ft_held_signals_fini(struct ft_held_signals *held)
{
    if (!held->held)
        return;
    held->held = false;
    (void)close(held->fd);
    (void)pthread_sigmask(SIG_SETMASK, &held->before, NULL);
}
