/*
 * Attaches to a running process: all its threads stop, outside of system calls, as if each had just
 * come to its next instruction.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_ATTACH_H
#define FT_TRACE_CAPTURE_TARGET_ATTACH_H

#include "trace-capture/target/target.h"

struct ft_attached_thread {
    struct ft_target target;
    struct user_regs_struct registers; /* with which it goes on, natively or not */
    bool is_stopped;
    unsigned tries; /* to stop it with no signal pending */
};

struct ft_attachment {
    struct ft_attached_thread *threads; /* the process's first one first */
    size_t count, capacity;
};

/* Stops all threads of the process. If that fails they have gone on as if nothing had happened. The
 * caller closes the memory_fd that all targets have. */
int ft_attach(pid_t pid, struct ft_attachment *ret_attachment, struct ft_diag *diag);
/* Lets all threads go on natively that have not run since. */
void ft_attachment_undo(const struct ft_attachment *attachment);
void ft_attachment_fini(struct ft_attachment *attachment);

#endif
