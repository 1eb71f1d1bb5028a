/*
 * Loops in code that may change unseen (checked_code.h). All of a loop's code is looked at when it
 * is entered, and again in each iteration: behind each store that may write code, what runs up to
 * the next one; behind the last, what the next iteration runs up to the first. A loop that stores
 * nothing looks before its branch back. Where something has changed the loop is left in front of
 * the instruction that comes next, by a stop: its record is closed with the iterations that were
 * whole, and the one that was begun is a record of its own.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_CHECKED_LOOPS_H
#define FT_TRACE_CAPTURE_TRANSLATE_CHECKED_LOOPS_H

#include "formats/x86/effect.h"
#include "trace-capture/translate/emission.h"

struct ft_thread;

/* Whether a planned loop of code that may change can be translated as one: wherever it may be left
 * its record can be closed. `effects`: of its instructions; `pointer`: the log pointer's register.
 */
bool ft_checked_loop_allows(const struct ft_unit *loop, const struct ft_effect *effects,
                            unsigned pointer);
/* The look in front of the index-th instruction of the translation, if one is due there. */
void ft_checked_loop_emit_look(struct ft_emission *emission, unsigned index);
/* The stops of its looks. */
int ft_checked_loop_add_stops(struct ft_code_cache *cache, struct ft_translation *translation,
                              struct ft_diag *diag);
/* Whether at `address`, in the code of the index-th instruction, rax and rcx are in the context. */
bool ft_checked_loop_is_look(const struct ft_translation *translation, unsigned index,
                             uint64_t address);

#endif
