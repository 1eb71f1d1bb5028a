/*
 * Removes unfinished files when SIGINT, SIGTERM or SIGHUP ends the process, unless the signal is
 * ignored or handled. The process still dies of the signal.
 *
 * One list per process; not thread safe. Not for traces: an unfinished trace can be repaired.
 */
#ifndef FT_FORMATS_BASE_UNFINISHED_H
#define FT_FORMATS_BASE_UNFINISHED_H

/* To be called when the file is there, and is ours. A few may be so at a time; others stay behind.
 */
void ft_unfinished_add(const char *path);
/* After it was renamed or removed. A path that was never added, or NULL, is ignored. */
void ft_unfinished_drop(const char *path);

#endif
