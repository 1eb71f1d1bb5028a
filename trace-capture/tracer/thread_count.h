/*
 * Counts the instructions that a thread executes in translated code, and stops it at a target:
 * before the first unit, or iteration of a loop, that starts at or beyond it. Unlogged code keeps
 * the count in a register, instead of the log pointer, and in the context while something else
 * runs; logged code keeps it in the context.
 *
 * The count is an address that advances by one for each instruction, in an area after which the
 * target may not write; each unit writes at that address. So no comparison is needed, and the flags
 * stay as they are. The area is a small piece of memory, mapped many times.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_THREAD_COUNT_H
#define FT_TRACE_CAPTURE_TRACER_THREAD_COUNT_H

#include "trace-capture/tracer/capture_state.h"

#define FT_COUNT_UNLIMITED UINT64_MAX

/* Makes the area unless the thread has one. It must be in a ptrace stop. */
int ft_count_prepare(struct ft_thread *thread, struct ft_diag *diag);
/* Counts from 0 on. */
void ft_count_begin(struct ft_thread *thread, uint64_t target);
uint64_t ft_count_value(const struct ft_thread *thread);
/* Counts what the host executed on behalf of the program. */
void ft_count_add(struct ft_thread *thread, uint64_t instructions);
/* Whether an address may be a count of the thread's. */
bool ft_count_holds(const struct ft_thread *thread, uint64_t address);
/* Subtracts what was counted but not executed. */
void ft_count_undo(struct ft_thread *thread, uint64_t instructions);
/* Whether the thread faulted because it reached the end of the area. */
bool ft_count_is_stop(const struct ft_thread *thread, const struct user_regs_struct *registers);
/* Then: moves it to the clean point at which it is, and returns whether it has reached the
 * target. */
bool ft_count_at_stop(struct ft_thread *thread, struct user_regs_struct *registers);

#endif
