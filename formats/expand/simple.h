/*
 * Most records are of plain units that expand into accesses only, keep the FS base and the
 * direction flag, and move RSP by a constant. Their programs are kept here once more, each in one
 * piece of memory with its references, and expand many records per call. Expanding such a record
 * alone (expand.h) gives the same.
 */
#ifndef FT_FORMATS_EXPAND_SIMPLE_H
#define FT_FORMATS_EXPAND_SIMPLE_H

#include "formats/expand/expand.h"

struct ft_simple_program; /* immutable, free() it */

/* The program with the numbers of its references, as ft_unit_program_expand takes them;
 * *ret_simple is NULL where it is not simple. */
int ft_simple_program_create(const struct ft_unit_program *program, const uint32_t *references,
                             struct ft_simple_program **ret_simple, struct ft_diag *diag);

/* Appends the accesses of the first of `count` records, up to one whose unit has no simple program
 * (programs[unit] is NULL; [0], of escapes, always) or whose values are not as many as its unit
 * logs, or until the buffer holds FT_RUN_BUFFER_ENTRIES. Moves the state past them; gives how many
 * they were in *ret_done. */
int ft_simple_programs_expand(const struct ft_simple_program *const *programs,
                              const struct ft_record *records, size_t count,
                              struct ft_log_state *state, struct ft_run_buffer *buffer,
                              size_t *ret_done, struct ft_diag *diag);

#endif
