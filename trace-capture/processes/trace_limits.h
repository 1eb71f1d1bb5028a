/*
 * What ends a trace before the program ends: --max-size, --max-time, and SIGTERM to foretrace. The
 * program then continues natively. Other signals sent to foretrace are forwarded to the program,
 * and so is a second SIGTERM.
 *
 * Signal handlers belong to the whole process, so these functions are for its one tracing thread.
 */
#ifndef FT_TRACE_CAPTURE_PROCESSES_TRACE_LIMITS_H
#define FT_TRACE_CAPTURE_PROCESSES_TRACE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/base/status.h"

struct ft_limits {
    uint64_t size_bytes;               /* of the trace file; 0: none */
    double time_seconds;               /* 0: none */
    const char *size_text, *time_text; /* as given on the command line, for messages */
};

/* Before a running process is attached to: signals to foretrace wait until ft_limits_start, because
 * its death would be the process's. */
void ft_limits_hold_signals(void);
/* From here on the clock runs, and signals are kept or forwarded to the program. 0: to none; then
 * SIGINT, SIGQUIT and SIGHUP end the trace like SIGTERM, and others are ignored. */
int ft_limits_start(const struct ft_limits *limits, pid_t program, struct ft_diag *diag);
/* Makes ft_limits_wait return (with EINTR) every 20 ms. */
int ft_limits_start_polling(struct ft_diag *diag);
/* Makes it return so once half of the time limit is over, until ft_limits_halfway has said that. */
int ft_limits_start_halfway(const struct ft_limits *limits, struct ft_diag *diag);
/* Whether half of the time is over, once. */
bool ft_limits_halfway(void);
/* waitpid for any child, which also returns (with EINTR) when the trace may have to end. */
pid_t ft_limits_wait(int *ret_wait_status);
/* Whether the trace must end now, and why. is_full: its file has reached the maximum size. */
bool ft_limits_reached(const struct ft_limits *limits, bool is_full, char *ret_reason,
                       size_t reason_bytes);
/* The trace has ended: all further signals are forwarded to the program. */
void ft_limits_pass_all_on(void);
/* The program has ended, too: signals are not forwarded any more. */
void ft_limits_stop(void);

#endif
