/*
 * A translation while it is emitted: what the files share that emit it. Internal to translate.c,
 * emission.c, unit_bodies.c, unit_exits.c, loop_exits.c and path_joints.c.
 */
#ifndef FT_TRACE_CAPTURE_EMISSION_H
#define FT_TRACE_CAPTURE_EMISSION_H

#include "formats/x86/instruction.h"
#include "trace-capture/translation/translate.h"

struct ft_emission {
    struct ft_translator *translator;
    struct ft_translation *translation;
    struct ft_emitter emitter;
    uint64_t fall_through;            /* pc of the unit that the end of this one runs into, or 0 */
    ZydisDecodedInstruction *decoded; /* by instruction */
    bool out_of_reach;                /* a return address has no room or a link no reach */
};

static inline bool ft_emission_is_logged(const struct ft_emission *emission)
{
    return emission->translation->mode == FT_MODE_LOGGED;
}

static inline bool ft_emission_counts(const struct ft_emission *emission)
{
    return emission->translator->counts[emission->translation->mode];
}

/* Whether a register holds the log pointer, or the count of instructions. */
static inline bool ft_emission_has_pointer(const struct ft_emission *emission)
{
    return ft_emission_is_logged(emission) || ft_emission_counts(emission);
}

/* ---- emission.c ---- */

/* Stores a slot at `offset` in the record. */
void ft_emission_slot(struct ft_emission *emission, const struct ft_slot *slot, int32_t offset);
/* Copies the index-th instruction, which is no branch. */
int ft_emission_copy(struct ft_emission *emission, unsigned index, struct ft_diag *diag);
/* Counts the unit, or the iteration, that begins here: logged code in the context, unlogged code
 * in `pointer`, which moves on behind it. */
void ft_emission_count(struct ft_emission *emission, unsigned scratch);
void ft_emission_count_in(struct ft_emission *emission, unsigned pointer);
/* The log pointer, or the count, from r11 to the unit's own register, and the program's r11 in
 * place; the same back, moving it by `bytes`. */
void ft_emission_enter(struct ft_emission *emission);
void ft_emission_leave(struct ft_emission *emission, int32_t bytes);
/* Paths keep the log pointer in r11 throughout: around an instruction that uses r11, which is the
 * index-th, it goes to the context, and the program's r11 comes from there. */
bool ft_emission_uses_r11(const struct ft_unit *unit, unsigned index);
void ft_emission_show_r11(struct ft_emission *emission);
void ft_emission_hide_r11(struct ft_emission *emission);
#define FT_HIDE_R11_BYTES 18U /* of code */

/* ---- counted_code.c: where edges are counted; else nothing ---- */

/* In front of a loop that counts its turns, at its head, and behind it. */
void ft_counted_enter_loop(struct ft_emission *emission);
void ft_counted_turn(struct ft_emission *emission);
void ft_counted_leave_loop(struct ft_emission *emission);

/* ---- unit_bodies.c ---- */

/* A unit from the head of its record to its exit. */
int ft_emission_plain(struct ft_emission *emission, struct ft_diag *diag);
int ft_emission_loop(struct ft_emission *emission, struct ft_diag *diag);
/* A loop that is not logged: the copy alone, or with the count in its pointer register. */
int ft_emission_unlogged_loop(struct ft_emission *emission, struct ft_diag *diag);

/* ---- unit_exits.c ---- */

/* A direct exit: to its translation if there is one, else to a stub, which is emitted later. */
struct ft_link *ft_emission_link(struct ft_emission *emission, uint64_t target_pc, uint64_t field);
/* Goes on at next_pc, by falling through where it is not translated yet. */
void ft_emission_next(struct ft_emission *emission, uint64_t next_pc);
/* The final instruction of a unit that is no loop, after its slots; `bytes` is the record's length.
 */
void ft_emission_exit(struct ft_emission *emission, int32_t bytes);
/* Behind the record, once that is closed: the stamp of what is atomic (stamps.h). */
void ft_emission_stamp(struct ft_emission *emission);
/* A branch inside the unit; `bytes` is the length of the record up to here. */
void ft_emission_side_exit(struct ft_emission *emission, unsigned index, int32_t bytes);
/* The condition of a branch, and whether it has a short displacement only. */
unsigned ft_emission_condition(const ZydisDecodedInstruction *decoded, bool *ret_is_short_only);
/* Pushes the program's own return address. */
void ft_emission_push_return(struct ft_emission *emission, uint64_t address);
/* The destination of the index-th instruction, an indirect jump or call, into rcx. */
void ft_emission_load_target(struct ft_emission *emission, unsigned index);
/* Bytes that the index-th instruction, a return, pops besides the address. */
uint16_t ft_emission_popped(const struct ft_emission *emission, unsigned index);
/* Stubs for the exits that lead nowhere yet; exits whose destination exists are linked. */
int ft_emission_finish_links(struct ft_emission *emission, struct ft_diag *diag);

/* ---- loop_exits.c ---- */

#define FT_LOOP_ENTRY_BYTES 12 /* of a loop record before its entry slots */
#define FT_LOOP_END_WORD    4  /* offset of its end word */
/* Behind the body of a loop, whose record has `entry_bytes` without its iterations: the branch
 * back, and what closes the record wherever the loop is left. */
int ft_emission_loop_exits(struct ft_emission *emission, int32_t entry_bytes, struct ft_diag *diag);

/* ---- path_joints.c ---- */

/* A path's branch, jump, call or return, before its last instruction: goes on to the next one, or
 * leaves by a side exit. `bytes`: of the record, its slots up to here included. */
int ft_emission_joint(struct ft_emission *emission, unsigned index, int32_t bytes,
                      struct ft_diag *diag);

#endif
