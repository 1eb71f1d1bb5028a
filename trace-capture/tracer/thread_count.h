/*
 * Counts the instructions that a thread executes, in its translations, and stops it at a number:
 * before the first unit, or iteration of a loop, of which so many have been executed. Unlogged code
 * has the count in a register, in the place of the log pointer, and in the context while something
 * else runs; logged code has it in the context.
 *
 * The count is an address that moves on by one for each instruction, in an area behind which the
 * target may not write; each unit writes there. So it needs no comparison, and leaves the flags
 * alone. The area is a small piece of memory, mapped again and again.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_THREAD_COUNT_H
#define FT_TRACE_CAPTURE_TRACER_THREAD_COUNT_H

#include "trace-capture/tracer/capture_state.h"

#define FT_COUNT_FOR_EVER UINT64_MAX

/* Makes the area, where the thread has none yet. It must be in a ptrace stop. */
int ft_count_prepare(struct ft_thread *thread, struct ft_diag *diag);
/* Counts from 0 on. */
void ft_count_begin(struct ft_thread *thread, uint64_t target);
uint64_t ft_count_so_far(const struct ft_thread *thread);
/* Counts what the host executed in the program's place. */
void ft_count_add(struct ft_thread *thread, uint64_t instructions);
/* Whether an address may be a count of the thread's. */
bool ft_count_holds(const struct ft_thread *thread, uint64_t address);
/* Takes back what was counted and not executed. */
void ft_count_take_back(struct ft_thread *thread, uint64_t instructions);
/* Whether the thread faulted because it has come to the end of the area. */
bool ft_count_is_stop(const struct ft_thread *thread, const struct user_regs_struct *registers);
/* Then: puts it at the clean point where it is, and returns whether it has reached the target. */
bool ft_count_at_stop(struct ft_thread *thread, struct user_regs_struct *registers);

#endif
