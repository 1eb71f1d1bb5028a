/*
 * What is translated before the program comes there, because it may well come there.
 *
 * A stop of the program costs as much as the translation of two or three units, and of what can be
 * reached without an indirect branch most does run. What never runs is in no trace (drain.h).
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_AHEAD_H
#define FT_TRACE_CAPTURE_TRANSLATE_AHEAD_H

#include "trace-capture/translate/translator.h"

/* Translates the unit at pc, and those that it runs into, as ft_translate_chain does, and what the
 * program may run soon after them, where nothing fails: what cannot be translated ahead waits until
 * the program comes there. Returns the first. */
int ft_translate(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                 const struct ft_way_in *way_in, struct ft_translation **ret_first,
                 struct ft_diag *diag);

#endif
