/*
 * Work on an archive that may take long ends as soon as a file is readable: held signals
 * (predict/plan/held_signals.h).
 */
#ifndef FT_FORMATS_ARCHIVE_STOP_H
#define FT_FORMATS_ARCHIVE_STOP_H

#include <poll.h>

#include "formats/base/status.h"

/* FT_ERROR_FAILURE: stop_fd is readable; -1: it never is. */
static inline int ft_archive_check_stop(int stop_fd, struct ft_diag *diag)
{
    struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
    return stop_fd >= 0 && poll(&stop, 1, 0) > 0 ? ft_fail(diag, FT_ERROR_FAILURE, "interrupted")
                                                 : FT_OK;
}

#endif
