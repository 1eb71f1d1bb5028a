/*
 * Signals that would end the process are held back while it has files to remove: from init to fini
 * SIGINT, SIGTERM and SIGHUP stay pending, unless they are ignored. Then the process ends by them
 * as if they arrived only now.
 */
#ifndef FT_PREDICT_PLAN_HELD_SIGNALS_H
#define FT_PREDICT_PLAN_HELD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "formats/base/status.h"

struct ft_held_signals {
    bool held;
    int fd;          /* readable when one waits; is not to be read: then it would be lost */
    sigset_t before; /* the mask without us: of children */
};

/* Call it in one thread, before it starts others. */
int ft_held_signals_init(struct ft_held_signals *held, struct ft_diag *diag);
/* Does not return if one is pending. May be given zeros. */
void ft_held_signals_fini(struct ft_held_signals *held);

#endif
