/*
 * What a log record means: the accesses, instruction counts and stack pointer that follow from a
 * unit's instructions and the values it logged. The counterpart of the planner; both use the same
 * simulation of registers (known_registers.h).
 *
 * A unit is compiled once into a small program of linear forms over its logged values: expanding a
 * record costs a few additions per access. Loops become strided runs if all addresses are affine,
 * and runs of one iteration otherwise. The reference steps through the instructions (step.c).
 */
#ifndef FT_FORMATS_EXPAND_EXPAND_H
#define FT_FORMATS_EXPAND_EXPAND_H

#include <stdbool.h>

#include "formats/expand/record.h"
#include "formats/expand/run_buffer.h"
#include "formats/expand/runs.h"
#include "formats/x86/effect.h"

struct ft_unit_program; /* immutable once compiled; shared by threads; its unit must outlive it */
int ft_unit_program_create(const struct ft_unit *unit, struct ft_unit_program **ret_program,
                           struct ft_diag *diag);
/* The same for other content, a sum of enum ft_run_content; only programs of accesses alone can
 * count. */
int ft_unit_program_create_for(const struct ft_unit *unit, unsigned content,
                               struct ft_unit_program **ret_program, struct ft_diag *diag);
/* To be called before the program is used: leaves out the fetches for which passed[number of the
 * fetch - first_fetch] is set, except that of the unit's first instruction, and except in partial
 * records. *ret_references are the numbers of what is left; free() them. */
int ft_unit_program_skip_fetches(struct ft_unit_program *program, const uint32_t *references,
                                 uint32_t first_fetch, const bool *passed,
                                 uint32_t **ret_references, struct ft_diag *diag);
void ft_unit_program_destroy(struct ft_unit_program *program);

/* Adds what a record executed to totals (except totals->records), and moves the thread's state past
 * it. For escapes pass the program of the unit named (PARTIAL) or NULL. A record whose values do
 * not fit its unit adds nothing that depends on them. */
void ft_unit_program_count(const struct ft_unit_program *program, const struct ft_record *record,
                           struct ft_log_state *state, struct ft_log_totals *totals);

/* Whether every iteration of every record of a unit adds the same, *ret_each to totals (except
 * records) and *ret_rsp to RSP, and leaves the rest of the state alone. */
bool ft_unit_program_fixed(const struct ft_unit_program *program, struct ft_log_totals *ret_each,
                           uint64_t *ret_rsp);
/* The same of a unit that is not compiled; false where only its program could tell. */
bool ft_unit_fixed(const struct ft_unit *unit, struct ft_log_totals *ret_each, uint64_t *ret_rsp);

/* Appends the runs of a record and moves the state past it. references[i] is the number of the
 * unit's i-th static access, in order of instruction and access index, without prefetches, which
 * make no runs either. If the program's content includes fetches, that of an instruction that
 * counts as executed comes before its accesses. While buffer->iterations_done is not 0 afterwards
 * there is more: clear the buffer and call again with the same record and state. */
int ft_unit_program_expand(const struct ft_unit_program *program, const struct ft_record *record,
                           const uint32_t *references, struct ft_log_state *state,
                           struct ft_run_buffer *buffer, struct ft_diag *diag);

/* One access of the reference reader (and of `dump`). */
struct ft_expanded_access {
    uint64_t pc;
    uint64_t address;
    uint32_t size_bytes;
    uint8_t kind;          /* enum ft_access_kind, prefetches included */
    uint8_t instruction;   /* of the unit */
    uint16_t static_index; /* among the unit's static accesses, not counting prefetches */
    uint64_t iteration;
};
typedef int ft_access_visitor(void *context, const struct ft_expanded_access *access);

/* Steps through a record instruction by instruction and calls visit (unless NULL) for each access;
 * fails if an address is unknown. */
int ft_unit_step(const struct ft_unit *unit, const struct ft_record *record,
                 struct ft_log_state *state, ft_access_visitor *visit, void *context,
                 struct ft_diag *diag);
/* The same where the effects of the unit's instructions are known (known_effects.h). */
int ft_unit_step_known(const struct ft_unit *unit, const struct ft_effect *effects,
                       const struct ft_record *record, struct ft_log_state *state,
                       ft_access_visitor *visit, void *context, struct ft_diag *diag);

#endif
