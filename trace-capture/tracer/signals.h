/*
 * Signals: they are delivered to the program at clean points, as natively (resume.h says why the
 * two include each other).
 */
#ifndef FT_TRACE_CAPTURE_TRACER_SIGNALS_H
#define FT_TRACE_CAPTURE_TRACER_SIGNALS_H

#include "trace-capture/tracer/capture_state.h"

/* What the new process ignores. */
int ft_signals_init(struct ft_thread *thread, struct ft_diag *diag);
/* Notes what the thread has blocked. */
int ft_signals_note_mask(struct ft_thread *thread, struct ft_diag *diag);
/* Whether a SIGTRAP or SIGSEGV waits for the stopped thread, perhaps of the translation. */
bool ft_signals_pending(const struct ft_thread *thread);
/* Brings a stopped thread to a clean point; *ret_arrived is false where it ended or faulted on the
 * way, and goes on. */
int ft_signals_leave(struct ft_thread *thread, struct user_regs_struct *registers,
                     struct ft_app_state *ret_state, bool *ret_arrived, struct ft_diag *diag);
/* A signal-delivery stop that is none of the translation's own. */
int ft_signals_deliver(struct ft_thread *thread, int signal, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* The program runs one instruction natively at the state's rip, then goes on translated. */
int ft_signals_run_natively(struct ft_thread *thread, struct ft_app_state *state,
                            struct ft_diag *diag);
/* The program returns by the iretq that the translation is of; what is no return within 64-bit code
 * faults, or ends the trace. */
int ft_signals_interrupt_return(struct ft_thread *thread, const struct ft_translation *translation,
                                struct ft_app_state *state, struct ft_diag *diag);
/* Runs the instruction of the translation that a thread stands at, with its alignment check off. */
int ft_signals_step_unaligned(struct ft_thread *thread, struct user_regs_struct *registers,
                              struct ft_diag *diag);
/* The system call rt_sigreturn. */
int ft_signals_return(struct ft_thread *thread, struct ft_app_state *state, struct ft_diag *diag);
/* Whether the kernel resets the program's mask and action for a SIGTRAP or SIGSEGV raised now. */
bool ft_signals_resets(const struct ft_thread *thread, int signal);
/* After translation has caused one that did: puts them back. */
int ft_signals_restore(struct ft_thread *thread, int signal, struct ft_diag *diag);

#endif
