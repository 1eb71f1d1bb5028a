/*
 * A translation while it is emitted: what the files share that emit it. Internal to translate.c and
 * path_joints.c.
 */
#ifndef FT_TRACE_CAPTURE_EMISSION_H
#define FT_TRACE_CAPTURE_EMISSION_H

#include "formats/code/instruction.h"
#include "trace-capture/translate.h"

struct ft_emission {
    struct ft_translator *translator;
    struct ft_translation *translation;
    struct ft_emitter emitter;
    uint64_t fall_through;            /* pc of the unit that the end of this one runs into, or 0 */
    ZydisDecodedInstruction *decoded; /* by instruction */
    bool out_of_reach;                /* a return address has no room or a link no reach */
};

/* A direct exit: to its translation if there is one, else to a stub, which is emitted later. */
struct ft_link *ft_emission_link(struct ft_emission *emission, uint64_t target_pc, uint64_t field);
/* Paths keep the log pointer in r11 throughout: around an instruction that uses r11, which is the
 * index-th, it goes to the context, and the program's r11 comes from there. */
bool ft_emission_uses_r11(const struct ft_unit *unit, unsigned index);
void ft_emission_show_r11(struct ft_emission *emission);
void ft_emission_hide_r11(struct ft_emission *emission);
#define FT_HIDE_R11_BYTES 18U /* of code */
/* Pushes the program's own return address. */
void ft_emission_push_return(struct ft_emission *emission, uint64_t address);
/* The destination of the index-th instruction, an indirect jump or call, into rcx. */
void ft_emission_load_target(struct ft_emission *emission, unsigned index);
/* Bytes that the index-th instruction, a return, pops besides the address. */
uint16_t ft_emission_popped(const struct ft_emission *emission, unsigned index);

/* A path's branch, jump, call or return, before its last instruction: goes on to the next one, or
 * leaves by a side exit. `bytes`: of the record, its slots up to here included. path_joints.c. */
int ft_emission_joint(struct ft_emission *emission, unsigned index, int32_t bytes,
                      struct ft_diag *diag);

#endif
