/*
 * The buffer into which a thread of the target writes its log.
 */
#ifndef FT_TRACE_CAPTURE_TRACER_LOG_BUFFER_H
#define FT_TRACE_CAPTURE_TRACER_LOG_BUFFER_H

#include "trace-capture/tracer/capture_state.h"

#define FT_LOG_RECORD_BYTES_MAX (16U + FT_UNIT_INSTRUCTIONS_MAX * FT_ACCESSES_MAX * 64U)
/* Its address in the target. */
uint64_t ft_log_buffer_start(const struct ft_thread *thread);
/* The host's view of an address in the thread's region. */
uint8_t *ft_log_at(const struct ft_thread *thread, uint64_t address);
/* Starts filling the buffer with records that continue from `state`. */
void ft_log_buffer_open(struct ft_thread *thread, const struct ft_log_state *state);
/* Hands the records up to `end` (an address in the target) to the drain; the buffer is empty. */
void ft_log_buffer_close(struct ft_thread *thread, uint64_t end);
/* Appends an escape at *log_pointer, which is between two records, and moves it. */
void ft_log_escape(struct ft_thread *thread, uint64_t *log_pointer, uint32_t kind, uint64_t value);
/* The escape of a system call. */
void ft_log_kernel_call(struct ft_thread *thread, uint64_t *log_pointer, uint64_t number,
                        uint64_t address, uint64_t length, uint64_t result);
/* Appends an escape of several fields, for which it makes room. */
void ft_log_fields(struct ft_thread *thread, uint64_t *log_pointer,
                   const struct user_regs_struct *registers, uint32_t kind, const uint64_t *fields,
                   unsigned count);
/* Makes sure that an escape fits at *log_pointer, which is between two records; the program has
 * these registers there. Empties the buffer if necessary. */
void ft_log_make_room(struct ft_thread *thread, uint64_t *log_pointer,
                      const struct user_regs_struct *registers);
/* Appends a timestamp. */
void ft_log_timestamp(struct ft_thread *thread, uint64_t *log_pointer);
/* The same, if there is more than one thread. */
void ft_log_timestamp_if_threaded(struct ft_thread *thread, uint64_t *log_pointer);
/* Whether an address is in the buffer, or in the guard after it. */
bool ft_log_buffer_holds(const struct ft_thread *thread, uint64_t address);
bool ft_log_buffer_guards(const struct ft_thread *thread, uint64_t address);
/* Whether rip is where a translation logs a watched function's call or return: before or after the
 * unit's record, with the log pointer in r11. */
bool ft_log_between_units(const struct ft_translation *translation, uint64_t rip);
/* The register that holds the log pointer at the thread's rip; NULL if none does. */
unsigned long long *ft_log_pointer_of(const struct ft_thread *thread,
                                      struct user_regs_struct *registers);
/* If the target faulted on the guard inside a record: the end of the complete ones before it. */
bool ft_log_buffer_whole_end(const struct ft_thread *thread, struct user_regs_struct *registers,
                             uint64_t *ret_end);
/* The target faulted on the guard: empties the buffer. */
int ft_log_buffer_full(struct ft_thread *thread, struct user_regs_struct *registers,
                       struct ft_diag *diag);
/* Closes a loop's record at the loop's head, with the iterations made so far; returns the address
 * after it. */
uint64_t ft_log_close_loop(struct ft_thread *thread, const struct ft_translation *translation,
                           const struct user_regs_struct *registers);
/* The bytes of a loop's record up to its iterations. */
uint32_t ft_log_loop_entry_bytes(const struct ft_unit *unit);
/* The program's value of a register inside a unit, other than the one that holds the log pointer;
 * of paths, r11 too. */
uint64_t ft_log_program_register(const struct ft_thread *thread, const struct ft_unit *unit,
                                 const struct user_regs_struct *registers, unsigned number);
/* The unit ran only its first `instructions`: its open record becomes a PARTIAL escape. Returns the
 * address after it. */
uint64_t ft_log_close_partial(struct ft_thread *thread, const struct ft_translation *translation,
                              const struct user_regs_struct *registers, unsigned instructions);

#endif
