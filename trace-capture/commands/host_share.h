/*
 * How much of the machine foretrace itself takes beside the program: its niceness (--nice), and the
 * processors that it runs on (--host-cpus).
 */
#ifndef FT_TRACE_CAPTURE_COMMANDS_HOST_SHARE_H
#define FT_TRACE_CAPTURE_COMMANDS_HOST_SHARE_H

#include <sched.h>

#include "formats/base/status.h"
#include "formats/cli/options.h"

struct ft_host_share {
    int niceness;          /* added to its own */
    const char *cpus_text; /* as given; NULL: wherever the program may run */
    cpu_set_t cpus;
};

int ft_host_share_parse(const struct ft_arguments *arguments, struct ft_host_share *ret_share,
                        struct ft_diag *diag);
/* For the calling thread and those that it starts from now on. The program must be there already:
 * it would inherit both. */
int ft_host_share_apply(const struct ft_host_share *share, struct ft_diag *diag);

#endif
