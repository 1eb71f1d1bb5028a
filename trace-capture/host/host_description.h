/*
 * Describes the machine that a program is captured on, and the environment it runs in, for the
 * metadata of its trace (formats/trace/capture_host.h). What cannot be determined is left out.
 */
#ifndef FT_TRACE_CAPTURE_HOST_HOST_DESCRIPTION_H
#define FT_TRACE_CAPTURE_HOST_HOST_DESCRIPTION_H

#include <stdbool.h>
#include <sys/types.h>

#include "formats/trace/capture_host.h"

/* pid: the program, at its first instruction. Fails only when out of memory. */
int ft_host_describe(pid_t pid, struct ft_capture_host *ret_host, struct ft_diag *diag);

/* environment.c: adds the variables of an environment (texts NAME=VALUE, each with its 0) that
 * matter and are not secret. */
bool ft_environment_describe(const char *environment, size_t bytes, struct ft_capture_host *host);

#endif
