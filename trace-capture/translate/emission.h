/*
 * A translation while it is emitted: the state that the files share that emit it. Internal to
 * translate/.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_EMISSION_H
#define FT_TRACE_CAPTURE_TRANSLATE_EMISSION_H

#include "formats/x86/instruction.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translator.h"

struct ft_emission {
    struct ft_translator *translator;
    struct ft_translation *translation;
    struct ft_emitter emitter;
    uint64_t fall_through;            /* pc of the unit that this one falls through to, or 0 */
    ZydisDecodedInstruction *decoded; /* by instruction */
    bool out_of_reach;                /* no room for a return address, or no reach for a link */
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

/* Stores a slot at `offset` in the record. */
void ft_emission_slot(struct ft_emission *emission, const struct ft_slot *slot, int32_t offset);
/* Copies the index-th instruction, which is no branch. */
int ft_emission_copy(struct ft_emission *emission, unsigned index, struct ft_diag *diag);
/* Counts the unit, or the iteration, that begins here: logged code in the context, unlogged code in
 * `pointer`, which is advanced at its end. */
void ft_emission_count(struct ft_emission *emission, unsigned scratch);
void ft_emission_count_in(struct ft_emission *emission, unsigned pointer);
/* Moves the log pointer, or the count, from r11 to the unit's register, and restores the program's
 * r11; and back, advancing it by `bytes`. */
void ft_emission_enter(struct ft_emission *emission);
void ft_emission_leave(struct ft_emission *emission, int32_t bytes);
/* Paths keep the log pointer in r11 throughout: around an instruction that uses r11 it is saved to
 * the context, and the program's r11 is loaded from there. */
void ft_emission_show_r11(struct ft_emission *emission);
void ft_emission_hide_r11(struct ft_emission *emission);

#endif
