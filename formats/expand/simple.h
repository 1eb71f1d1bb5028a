/*
 * Most records are of plain units that only make accesses, keep the FS base and the direction flag,
 * and move RSP by a constant. Compact copies of their programs, each with its references in one
 * piece of memory, expand many records per call, into what expand.h gives for each by itself.
 */
#ifndef FT_FORMATS_EXPAND_SIMPLE_H
#define FT_FORMATS_EXPAND_SIMPLE_H

#include "formats/expand/expand.h"

struct ft_simple_program; /* immutable, free() it */

/* The program with the numbers of its references, as ft_unit_program_expand takes them;
 * *ret_simple is NULL where it is not simple. */
int ft_simple_program_create(const struct ft_unit_program *program, const uint32_t *references,
                             struct ft_simple_program **ret_simple, struct ft_diag *diag);

/* Appends the accesses of up to `count` records and moves the state past them. Stops at a record
 * whose unit has no simple program (programs[unit] is NULL, as programs[0] of escapes always is) or
 * that has another number of values than its unit logs, or when the buffer holds
 * FT_RUN_BUFFER_ENTRIES. *ret_done is the number of records expanded. */
int ft_simple_programs_expand(const struct ft_simple_program *const *programs,
                              const struct ft_record *records, size_t count,
                              struct ft_log_state *state, struct ft_run_buffer *buffer,
                              size_t *ret_done, struct ft_diag *diag);

#endif
