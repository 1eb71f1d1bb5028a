/*
 * Translates ahead: code that the program has not reached, but probably will.
 *
 * A stop of the program costs as much as the translation of two or three units, and most of the
 * code that can be reached without an indirect branch does run. Units that never run are not
 * written to the trace (drain.h).
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_AHEAD_H
#define FT_TRACE_CAPTURE_TRANSLATE_AHEAD_H

#include "trace-capture/translate/translator.h"

/* Translates the unit at pc, and those that it falls through to, as ft_translate_chain does, and
 * then what the program may run soon after them. Failures of the latter are ignored: what cannot be
 * translated ahead waits until the program gets there. *ret_first: the unit at pc. */
int ft_translate(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                 const struct ft_origin *origin, struct ft_translation **ret_first,
                 struct ft_diag *diag);

#endif
