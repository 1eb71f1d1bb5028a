/*
 * Whether a running process may and can be attached to. Messages name the obstacle and say what to
 * do.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_PROCESS_CHECK_H
#define FT_TRACE_CAPTURE_TARGET_PROCESS_CHECK_H

#include <sys/types.h>

#include "formats/base/status.h"

/* Before anything is done to it. */
int ft_process_check(pid_t pid, struct ft_diag *diag);
/* Describes why ptrace, for error number `reason`, is not allowed for it. */
int ft_process_fail_ptrace(pid_t pid, int reason, struct ft_diag *diag);

#endif
