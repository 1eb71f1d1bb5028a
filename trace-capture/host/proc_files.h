/*
 * Files of a process in /proc. The caller frees the result: "" if there is no such file or it may
 * not be read, NULL when out of memory.
 */
#ifndef FT_TRACE_CAPTURE_HOST_PROC_FILES_H
#define FT_TRACE_CAPTURE_HOST_PROC_FILES_H

#include <stddef.h>
#include <sys/types.h>

/* /proc/PID/name, terminated by a zero that *ret_bytes does not count. */
char *ft_proc_read_of(pid_t pid, const char *name, size_t *ret_bytes);
/* The target of the link /proc/PID/name. */
char *ft_proc_link_of(pid_t pid, const char *name);

#endif
