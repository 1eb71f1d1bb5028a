/*
 * Loops in code that may change unseen (checked_code.h). All of a loop's code is checked when it is
 * entered, and again in each iteration: after each store that may write code, the code up to the
 * next such store; after the last one, the code of the next iteration up to the first. A loop
 * without such stores is checked before its branch back. If something has changed, the loop is left
 * by a stop before the next instruction: its record is closed with the complete iterations, and the
 * incomplete one is a record of its own.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_CHECKED_LOOPS_H
#define FT_TRACE_CAPTURE_TRANSLATE_CHECKED_LOOPS_H

#include "formats/x86/effect.h"
#include "trace-capture/translate/emission.h"

struct ft_thread;

/* Whether a planned loop of code that may change can be translated as a loop: its record can be
 * closed wherever it may be left. `effects`: of its instructions; `pointer`: the log pointer's
 * register. */
bool ft_checked_loop_allows(const struct ft_unit *loop, const struct ft_effect *effects,
                            unsigned pointer);
/* Emits the check before the index-th instruction of the translation, if there must be one. */
void ft_checked_loop_emit_check(struct ft_emission *emission, unsigned index);
/* Adds the stops of its checks. */
int ft_checked_loop_add_stops(struct ft_code_cache *cache, struct ft_translation *translation,
                              struct ft_diag *diag);
/* Whether at `address`, in the code of the index-th instruction, rax and rcx are in the context. */
bool ft_checked_loop_is_check(const struct ft_translation *translation, unsigned index,
                              uint64_t address);

#endif
