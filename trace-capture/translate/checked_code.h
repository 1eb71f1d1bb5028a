/*
 * Code in memory that is writable and executable at once (or mapped twice) can change without a
 * system call. Its translations compare the code's bytes each time they are entered: if they differ
 * from those that were translated, the translation is left before any of it has run. Flags, stack
 * and log are not touched. No pages are protected, so that neither the program nor the kernel on
 * its behalf can tell.
 *
 *     entry:     spill rcx and rax; for each piece of the code (8 bytes, at the end fewer):
 *                mov rcx, piece;  mov rax, -expected;  lea rcx, [rcx + rax];  jrcxz on
 *     changed:   a stop; once there is a next version, a jump to it, behind its spills
 *     body:      rax and rcx are the program's again
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_CHECKED_CODE_H
#define FT_TRACE_CAPTURE_TRANSLATE_CHECKED_CODE_H

#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translation.h"

#define FT_CHECKED_SPILL_BYTES 18U /* of code at the entry */

/* Whether an instruction may write code: it stores, and not relative to RSP alone. */
bool ft_checked_may_write(const struct ft_instruction *instruction);
/* How many instructions of a planned unit that is not a loop may run without another check: up to
 * the first store that may write code, and so change what follows. */
unsigned ft_checked_instructions(const struct ft_unit *unit);
/* Emits the check; false if the code is out of reach. Sets the translation's body and changed. */
bool ft_checked_emit(struct ft_emitter *emitter, struct ft_translation *translation);
/* Its parts: rax and rcx to the context and back, and in between the comparison of [from, to) of
 * the unit's code. *mismatch_exit is where control goes if that has changed: a sequence of int3,
 * emitted here if it is 0. False if the code is out of reach. */
void ft_checked_spill(struct ft_emitter *emitter);
void ft_checked_reload(struct ft_emitter *emitter);
bool ft_checked_compare(struct ft_emitter *emitter, const struct ft_unit *unit, unsigned from,
                        unsigned to, unsigned mismatch_exit_bytes, uint64_t *mismatch_exit);
/* Redirects the mismatch exit of a check to the check of the next version. */
void ft_checked_redirect(uint8_t *changed, uint64_t to);

#endif
