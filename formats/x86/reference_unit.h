/*
 * Units without code: what a trace holds where only addresses are known, not the instructions that
 * made them (imported traces). Such a unit is a list of entries; an entry is a place in the program
 * with up to three accesses whose addresses are logged. It counts as an executed instruction where
 * the other tool's trace says that one was fetched there.
 *
 * In the file the list stands where other units have their code (docs/trace-format.md, "units
 * without code"). In memory each entry is a struct ft_instruction whose accesses are of mode
 * FT_ACCESS_LOGGED; nothing else is known of it.
 */
#ifndef FT_FORMATS_X86_REFERENCE_UNIT_H
#define FT_FORMATS_X86_REFERENCE_UNIT_H

#include "formats/x86/unit.h"

#define FT_REFERENCE_SIZE_MAX (1U << 16) /* bytes of one access */

struct ft_reference_access {
    uint32_t size_bytes; /* 1 .. FT_REFERENCE_SIZE_MAX */
    uint8_t kind;        /* enum ft_access_kind */
    bool same_address;   /* as the access before it in the entry: no slot of its own */
};

struct ft_reference_entry {
    uint64_t pc;
    uint8_t length_bytes; /* of the instruction, 0 where unknown */
    bool is_executed;     /* counts as an instruction */
    uint8_t access_count;
    struct ft_reference_access accesses[FT_ACCESSES_MAX];
};

/* A unit (id 0, no module) of 1 .. FT_UNIT_INSTRUCTIONS_MAX entries. */
int ft_reference_unit_create(const struct ft_reference_entry *entries, unsigned count,
                             struct ft_unit *ret_unit, struct ft_diag *diag);

/* For ft_unit_read: the entries of a unit whose fields, code and slots were read. */
int ft_reference_unit_decode(struct ft_unit *unit, struct ft_diag *diag);

#endif
