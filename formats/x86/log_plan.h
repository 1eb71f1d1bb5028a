/*
 * The unit planner: cuts a unit out of code and decides what it must log, so that with the log and
 * the instructions every address is known offline, and nothing else is logged.
 *
 * At the start of a unit only RSP and the FS base are known. A register is logged only when an
 * address needs it and it cannot be derived (known_registers.h) from what is known, and there where
 * its value came into being, so that all that is computed from it is known too. A unit whose last
 * instruction branches back to its own start becomes a loop where that pays.
 *
 * A plain unit goes on behind forward branches that are not taken: what it knows there costs no
 * second value. Where one is taken, the unit's beginning up to it ran (ft_unit_prefix). Thread
 * safe.
 */
#ifndef FT_FORMATS_X86_LOG_PLAN_H
#define FT_FORMATS_X86_LOG_PLAN_H

#include "formats/x86/unit.h"
#include "formats/x86/unit_decoding.h"

#define FT_PLAN_SIDE_EXITS_MAX 8 /* branches that a unit goes on behind */

struct ft_plan_limits {
    unsigned instructions_max; /* at most FT_UNIT_INSTRUCTIONS_MAX; 1 for stepping through code */
    bool no_loops;             /* plan plain units only */
};

/* Plans the unit at pc, whose code stands in code[0 .. available_bytes). The unit ends with the
 * first instruction that may not go on to the next one, at a system call, after popf, at the
 * limits, before a loop that it runs into, before an instruction that needs bytes not available, or
 * where no general register but RSP would be left that the unit does not use (the translator needs
 * one, and in units with side exits it needs R11). FT_ERROR_UNSUPPORTED where the first instruction
 * is one whose accesses cannot be told. ret_unit has id 0 and no module; code is copied; the caller
 * ends it with ft_unit_fini. */
int ft_unit_plan(const uint8_t *code, size_t available_bytes, uint64_t pc,
                 const struct ft_plan_limits *limits, struct ft_unit *ret_unit,
                 struct ft_diag *diag);

/* The same, and what was decoded of the unit's instructions on the way, for callers that need it;
 * entries behind the last instruction are meaningless. */
int ft_unit_plan_decoded(const uint8_t *code, size_t available_bytes, uint64_t pc,
                         const struct ft_plan_limits *limits, struct ft_unit *ret_unit,
                         struct ft_unit_decoding *ret_decoding, struct ft_diag *diag);
/* Decodes a unit that was planned before. */
int ft_unit_decode(const struct ft_unit *unit, struct ft_unit_decoding *ret_decoding,
                   struct ft_diag *diag);

#endif
