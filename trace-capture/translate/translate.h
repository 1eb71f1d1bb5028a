/*
 * The translator: a unit of the program's code becomes a copy in the code cache that does the same
 * and logs what its plan says (formats/x86/log_plan.h). Inner loops log at entry and exit only.
 *
 * Inside a translation the registers hold the program's values, except for one that holds the log
 * pointer: r11, or, if the unit uses r11, a register that it does not use. Unlogged translations
 * are plain copies, with the program's values in all registers; if they count instructions, the
 * count takes the register of the log pointer.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_TRANSLATE_H
#define FT_TRACE_CAPTURE_TRANSLATE_TRANSLATE_H

#include "trace-capture/translate/translator.h"

/* Translates the unit at pc, and those that it falls through to. The origin may be NULL.
 * FT_ERROR_DATA if the program has no code at pc; FT_ERROR_UNSUPPORTED, with the reason, if its
 * code cannot be captured. */
int ft_translate_chain(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                       const struct ft_origin *origin, struct ft_chain *ret_chain,
                       struct ft_diag *diag);

/* Translates a path, which it takes over (formats/x86/log_plan.h); exits to its start lead to it
 * from now on. */
int ft_translate_path(struct ft_translator *translator, struct ft_unit *path,
                      struct ft_translation **ret_translation, struct ft_diag *diag);

#endif
