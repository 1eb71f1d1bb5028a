/*
 * Restartable sequences (rseq): at any time the kernel writes to the area that a thread has
 * registered, and inside a sequence it changes rip. Translated code can have neither, so the
 * registration of a running thread is taken back while it is captured. It then looks as before the
 * thread had registered: the processor's number in the area is not valid.
 */
#ifndef FT_TRACE_CAPTURE_TARGET_RSEQ_H
#define FT_TRACE_CAPTURE_TARGET_RSEQ_H

#include "trace-capture/target/target.h"

/* Whether a program or library has sequences of its own: their descriptors are in a section of this
 * name, by convention. They would not be atomic. */
bool ft_rseq_is_in(const char *path);
/* Takes back the registration of the stopped thread, if it has one, and keeps it in target->rseq. A
 * thread inside a sequence goes on where the kernel sends it when it is interrupted: registers are
 * those of the thread, and are changed in it too. The target must have its syscall_gadget. */
int ft_rseq_suspend(struct ft_target *target, struct user_regs_struct *registers,
                    struct ft_diag *diag);
/* Registers it again. */
int ft_rseq_resume(struct ft_target *target, struct ft_diag *diag);
/* The program's own call of rseq meanwhile: noted for later. Returns the call's result. */
int64_t ft_rseq_note(struct ft_target *target, const struct user_regs_struct *registers);

#endif
