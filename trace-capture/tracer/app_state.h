/*
 * Program state. Most handlers bring the stopped thread to a clean point, between two units or
 * iterations, and see it there as if it ran natively: the program's registers, and the log pointer
 * separately (struct ft_app_state). resume.h sends it back into translated code.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_APP_STATE_H
#define FT_TRACE_CAPTURE_TRACER_APP_STATE_H

#include "trace-capture/tracer/capture_state.h"

/* Whether the target, stopped with these registers, is at a clean point; then its program state. */
bool ft_app_state_recover(struct ft_thread *thread, const struct user_regs_struct *registers,
                          struct ft_app_state *ret_state);
/* The program state at a stop of the cache (an int3 whose address is stop->address). */
void ft_app_state_recover_at_stop(struct ft_thread *thread,
                                  const struct user_regs_struct *registers,
                                  const struct ft_stop *stop, struct ft_app_state *ret_state);
/* The program state at an instruction of a unit that faulted; closes its record as partial. */
void ft_app_state_recover_at_fault(struct ft_thread *thread,
                                   const struct ft_translation *translation,
                                   const struct user_regs_struct *registers,
                                   struct ft_app_state *ret_state);
/* Where the complete records end of a thread that was killed at any point; the record of the unit
 * that it was in is left out. */
uint64_t ft_app_state_last_record(struct ft_thread *thread,
                                  const struct user_regs_struct *registers);
/* Changes the registers that a new thread or process has from its parent, stopped after the system
 * call that made it, to those of a native run; false if it is stopped elsewhere. */
bool ft_app_state_recover_new(const struct ft_capture *capture, struct user_regs_struct *registers);

#endif
