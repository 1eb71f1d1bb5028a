/*
 * What is translated before the program comes there, because it may well come there.
 *
 * A stop of the program costs as much as the translation of two or three units, and of what can be
 * reached without an indirect branch most does run. What never runs is in no trace (drain.h).
 */
#ifndef FT_TRACE_CAPTURE_AHEAD_H
#define FT_TRACE_CAPTURE_AHEAD_H

#include "trace-capture/translation/translate.h"

/* Goes on from units that were just translated. Nothing fails: what cannot be translated ahead
 * waits until the program comes there. */
void ft_translate_ahead(struct ft_translator *translator, const struct ft_chain *chain);

#endif
