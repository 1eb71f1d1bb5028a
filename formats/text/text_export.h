/*
 * A thread of a trace becomes another tool's text: its executed instructions and accesses in order,
 * as far as the format can say them.
 */
#ifndef FT_FORMATS_TEXT_TEXT_EXPORT_H
#define FT_FORMATS_TEXT_TEXT_EXPORT_H

#include <stdio.h>

#include "formats/text/text_format.h"
#include "formats/trace/trace.h"

/* Stops without a failure where `stream` takes no more: the caller looks at that. */
int ft_text_export(const struct ft_trace *trace, uint32_t thread,
                   const struct ft_text_format *format, bool with_instructions, FILE *stream,
                   struct ft_diag *diag);

#endif
