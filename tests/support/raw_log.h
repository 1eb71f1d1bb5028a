/*
 * Decoded records back into the raw buffers that a capture would have written (unit.h), so that
 * tests and benchmarks can encode the logs of real programs again.
 */
#ifndef FT_TESTS_SUPPORT_RAW_LOG_H
#define FT_TESTS_SUPPORT_RAW_LOG_H

#include "formats/codec/log.h"

/* Appends one record. unit: the record's own, or the one that a PARTIAL escape names, else NULL. */
void raw_log_append(struct ft_bytes *raw, const struct ft_unit *unit,
                    const struct ft_record *record);

#endif
