/*
 * The reference for the log decoder: docs/trace-format.md word for word, value by value, and
 * nothing shared with formats/ but the units.
 */
#ifndef FT_TESTS_SUPPORT_REFERENCE_LOG_DECODER_H
#define FT_TESTS_SUPPORT_REFERENCE_LOG_DECODER_H

#include "formats/codec/log.h"

typedef bool reference_log_visitor(void *context, const struct ft_record *record);

/* Gives each record of a whole payload to visit, as ft_log_decoder_next does; false where visit
 * did, or where the payload is not as the format says. */
bool reference_log_decode(const uint8_t *payload, size_t bytes, const struct ft_unit_table *units,
                          reference_log_visitor *visit, void *context);

#endif
