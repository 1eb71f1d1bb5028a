/*
 * Shared by the planners: a sequence of decoded instructions, and the walk that finds out which
 * values it must log. Internal to log_plan.c, log_plan_walk.c and path_plan.c.
 */
#ifndef FT_FORMATS_X86_LOG_PLANNING_H
#define FT_FORMATS_X86_LOG_PLANNING_H

#include "formats/x86/lanes.h"
#include "formats/x86/unit_decoding.h"

#define FT_GENERAL_REGISTERS ((1U << FT_FS_BASE) - 1)
#define FT_PLAN_SYMBOLS_MAX  (FT_REGISTER_COUNT + FT_PATH_INSTRUCTIONS_MAX * FT_REGISTER_COUNT)

/* A unit as it is being cut. */
struct ft_plan_body {
    uint64_t pc;
    const uint8_t *code;
    unsigned code_bytes;
    unsigned count;
    uint32_t registers_used;
    unsigned side_exits;
    struct ft_instruction *instructions; /* `count` of these are set; not owned */
    struct ft_effect *effects;
    ZydisDecodedInstruction *zydis;
};

struct ft_plan_symbol {
    uint8_t number;      /* register that holds it ... */
    uint8_t instruction; /* ... just before this instruction */
    uint8_t size_bytes;
    bool is_logged;
};

struct ft_plan_value {
    uint32_t heads; /* registers known at the start that it is computed from */
    int16_t symbol; /* that it depends on, or -1 */
    uint8_t base;   /* it is the start value of this register plus offset; or FT_NO_REGISTER */
    uint64_t offset;
};

struct ft_plan_walk {
    const struct ft_plan_body *body;
    struct ft_plan_value values[FT_REGISTER_COUNT];
    uint32_t needed_heads;
    struct ft_plan_symbol symbols[FT_PLAN_SYMBOLS_MAX];
    unsigned symbol_count;
    struct ft_lanes lanes;
    struct ft_slot slots[FT_UNIT_SLOTS_MAX];
    unsigned slot_count;
    uint32_t shifted; /* registers that wherever the body may be left have just been added to */
    bool overflows;
};

/* A body of no instructions yet, which are to be decoded into `decoding`. */
static inline void ft_plan_start(struct ft_plan_body *body, uint64_t pc, const uint8_t *code,
                                 struct ft_unit_decoding *decoding)
{
    *body = (struct ft_plan_body){
        .pc = pc,
        .code = code,
        .registers_used = 1U << FT_RSP,
        .instructions = decoding->instructions,
        .effects = decoding->effects,
        .zydis = decoding->zydis,
    };
}

/* ---- plan_walk.c ---- */

bool ft_plan_is_string(const struct ft_instruction *instruction);
/* Walks the body once from a start where `known` registers are known. */
void ft_plan_walk_body(struct ft_plan_walk *walk, const struct ft_plan_body *body, uint32_t known);

/* ---- plan.c ---- */

/* Gives the entry registers of a loop and how it counts, which registers not among `inductions` may
 * not; false where it is planned as plain. */
bool ft_plan_loop(struct ft_plan_walk *walk, const struct ft_plan_body *body, uint32_t inductions,
                  struct ft_unit *unit, uint32_t *ret_entry);
/* The unit of a body, whose kind and module are set, with the slots of its walk behind those of the
 * `entry` registers. */
int ft_plan_build(const struct ft_plan_body *body, const struct ft_plan_walk *walk, uint32_t entry,
                  struct ft_unit *unit, struct ft_diag *diag);

#endif
