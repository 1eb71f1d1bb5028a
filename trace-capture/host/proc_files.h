/*
 * Files of /proc, whose size nobody knows before they are read. What is given is the caller's to
 * free: "" where there is no such file or it may not be read, NULL without memory.
 */
#ifndef FT_TRACE_CAPTURE_HOST_PROC_FILES_H
#define FT_TRACE_CAPTURE_HOST_PROC_FILES_H

#include <stddef.h>
#include <sys/types.h>

/* A whole file; the zero behind it does not count. */
char *ft_proc_read(const char *path, size_t *ret_bytes);
/* /proc/PID/name */
char *ft_proc_read_of(pid_t pid, const char *name, size_t *ret_bytes);
/* Where the link /proc/PID/name leads. */
char *ft_proc_link_of(pid_t pid, const char *name);

#endif
