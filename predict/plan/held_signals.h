/*
 * Signals that would end the process, held back while it has files to remove: from init to fini
 * SIGINT, SIGTERM and SIGHUP wait, unless they are ignored. Then the process ends by them as if
 * they came only now.
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

/* One thread's, before it makes others. */
int ft_held_signals_init(struct ft_held_signals *held, struct ft_diag *diag);
/* Does not return where one waits. May be given zeros. */
void ft_held_signals_fini(struct ft_held_signals *held);

#endif
