/*
 * Emits the exits of units.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_UNIT_EXITS_H
#define FT_TRACE_CAPTURE_TRANSLATE_UNIT_EXITS_H

#include "trace-capture/translate/emission.h"

/* A direct exit: to the translation of its target if there is one, else to a stub, which is emitted
 * later. */
struct ft_link *ft_emission_link(struct ft_emission *emission, uint64_t target_pc, uint64_t field);
/* Continues at next_pc, by falling through if that is not translated yet. */
void ft_emission_next(struct ft_emission *emission, uint64_t next_pc);
/* The last instruction of a unit that is not a loop, after its slots; `bytes` is the record's
 * length. */
void ft_emission_exit(struct ft_emission *emission, int32_t bytes);
/* After the record is closed: the timestamp of what is atomic (timestamps.h). */
void ft_emission_timestamp(struct ft_emission *emission);
/* A branch inside the unit; `bytes` is the length of the record up to here. */
void ft_emission_side_exit(struct ft_emission *emission, unsigned index, int32_t bytes);
/* The condition of a branch, and whether it only has a short displacement. */
unsigned ft_emission_condition(const ZydisDecodedInstruction *decoded, bool *ret_is_short_only);
/* Pushes the program's own return address. */
void ft_emission_push_return(struct ft_emission *emission, uint64_t address);
/* Loads the target of the index-th instruction, an indirect jump or call, into rcx. */
void ft_emission_load_target(struct ft_emission *emission, unsigned index);
/* Bytes that the index-th instruction, a return, pops besides the address. */
uint16_t ft_emission_popped(const struct ft_emission *emission, unsigned index);
/* Emits the stubs of exits, and links exits whose target is translated. */
int ft_emission_finish_links(struct ft_emission *emission, struct ft_diag *diag);

/* Gives a side exit its prefix, if it logs and has none yet. */
int ft_translate_prefix(struct ft_translator *translator, const struct ft_translation *translation,
                        struct ft_link *link, struct ft_diag *diag);

#endif
