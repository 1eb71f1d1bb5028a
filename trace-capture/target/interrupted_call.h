/*
 * System calls that a stop of ours has interrupted. The kernel makes them again when the thread
 * goes on, but only if nothing else is done with the thread in between; and some it never makes
 * again, so that the program would see an EINTR that has no reason.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_INTERRUPTED_CALL_H
#define FT_TRACE_CAPTURE_TARGET_INTERRUPTED_CALL_H

#include <stdbool.h>
#include <sys/user.h>

/* The registers of a thread that was interrupted, with no signal to deliver: if it was in a system
 * call that is to be made again, takes them back to its instruction. Returns whether it was. */
bool ft_interrupted_call_rewind(struct user_regs_struct *registers);

#endif
