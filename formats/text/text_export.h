/*
 * Writes a thread of a trace as the text or records of another tool: its executed instructions and
 * accesses in order, as far as the format can represent them.
 */
#ifndef FT_FORMATS_TEXT_TEXT_EXPORT_H
#define FT_FORMATS_TEXT_TEXT_EXPORT_H

#include <stdio.h>

#include "formats/text/text_format.h"
#include "formats/trace/trace.h"

/* Stops without failing if `stream` cannot be written to: the caller checks that. options may be
 * NULL. The stream must be a file where the format's writer needs one. */
int ft_text_export(const struct ft_trace *trace, uint32_t thread,
                   const struct ft_text_format *format, const struct ft_text_options *options,
                   bool with_instructions, FILE *stream, struct ft_diag *diag);

#endif
