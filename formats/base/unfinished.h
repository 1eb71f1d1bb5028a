/*
 * Files that are removed where a signal ends the process before they are whole: SIGINT, SIGTERM or
 * SIGHUP, unless it is ignored or handled. The process still ends by the signal.
 *
 * Of the whole process; not thread safe. Not for traces: an unfinished one can be repaired.
 */
#ifndef FT_FORMATS_BASE_UNFINISHED_H
#define FT_FORMATS_BASE_UNFINISHED_H

/* To be called when the file is there, and is ours. A few may be so at a time; others stay behind.
 */
void ft_unfinished_add(const char *path);
/* After it was renamed or removed. May be given what was never added, or NULL. */
void ft_unfinished_drop(const char *path);

#endif
