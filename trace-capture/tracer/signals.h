/*
 * Delivers signals to the program at clean points, as in a native run (resume.h says why the two
 * include each other).
 */
#ifndef FT_TRACE_CAPTURE_TRACER_SIGNALS_H
#define FT_TRACE_CAPTURE_TRACER_SIGNALS_H

#include "trace-capture/tracer/capture_state.h"

/* Notes which signals the new process ignores. */
int ft_signals_init(struct ft_thread *thread, struct ft_diag *diag);
/* Notes what a process that ran before does about those that the translation causes. */
int ft_signals_read_actions(struct ft_thread *thread, struct ft_diag *diag);
/* Notes which signals the thread has blocked. */
int ft_signals_note_mask(struct ft_thread *thread, struct ft_diag *diag);
/* Whether a SIGTRAP or SIGSEGV, perhaps caused by the translation, is pending for the stopped
 * thread. */
bool ft_signals_pending(const struct ft_thread *thread);
/* Brings a stopped thread to a clean point; *ret_arrived is false if it ended, or faulted on the
 * way and runs again. */
int ft_signals_leave(struct ft_thread *thread, struct user_regs_struct *registers,
                     struct ft_app_state *ret_state, bool *ret_arrived, struct ft_diag *diag);
/* A signal-delivery stop that the translation did not cause. */
int ft_signals_deliver(struct ft_thread *thread, int signal, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* The program runs one instruction natively at the state's rip, then goes on translated. */
int ft_signals_run_natively(struct ft_thread *thread, struct ft_app_state *state,
                            struct ft_diag *diag);
/* Emulates the iretq that the translation stands for. What is not a return within 64-bit code
 * faults, or ends the trace. */
int ft_signals_interrupt_return(struct ft_thread *thread, const struct ft_translation *translation,
                                struct ft_app_state *state, struct ft_diag *diag);
/* Runs the translated instruction at the thread's rip with alignment checking off. */
int ft_signals_step_unaligned(struct ft_thread *thread, struct user_regs_struct *registers,
                              struct ft_diag *diag);
/* The system call rt_sigreturn. */
int ft_signals_return(struct ft_thread *thread, struct ft_app_state *state, struct ft_diag *diag);
/* Whether the kernel resets the program's mask and action for a SIGTRAP or SIGSEGV raised now. */
bool ft_signals_resets(const struct ft_thread *thread, int signal);
/* Restores them after the translation raised one. */
int ft_signals_restore(struct ft_thread *thread, int signal, struct ft_diag *diag);

#endif
