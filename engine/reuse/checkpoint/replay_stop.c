#include "engine/reuse/checkpoint/replay_stop.h"

#include <signal.h>
#include <stddef.h>

static atomic_bool stop, is_final;

static void ask_for_stop(int signal)
{
    (void)signal;
    atomic_store(&is_final, true);
    atomic_store(&stop, true);
}

const atomic_bool *ft_stop_on_signals(void)
{
    struct sigaction action = {.sa_handler = ask_for_stop, .sa_flags = SA_RESTART | SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGTERM, &action, NULL); /* fails for no valid signal */
    (void)sigaction(SIGINT, &action, NULL);
    return &stop;
}

const atomic_bool *ft_stop_for_good(void)
{
    return &is_final;
}

void ft_stop_to_save(void)
{
    atomic_store(&stop, true);
}

/* A signal behind the first line raises the flag itself: it is not lost. */
bool ft_stop_is_final(void)
{
    atomic_store(&stop, false);
    if (!atomic_load(&is_final))
        return false;
    atomic_store(&stop, true);
    return true;
}
