/*
 * The translator: a unit of the program's code becomes a copy in the code cache that does the same
 * and logs what its plan asks for (formats/x86/log_plan.h). Inner loops log at entry and exit only.
 *
 * Inside a translation the program's registers hold the program's values, but for one that holds
 * the log pointer: r11, or where the unit itself uses r11 a register that it leaves alone. What is
 * translated to run unlogged is only the copy, and holds the program's values in all registers; or
 * where it counts its instructions, the count in the place of the log pointer.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_TRANSLATE_H
#define FT_TRACE_CAPTURE_TRANSLATE_TRANSLATE_H

#include "trace-capture/translate/translator.h"

/* Translates the unit at pc, and those that it runs into. The way in may be NULL. Where the program
 * has no code at pc: FT_ERROR_DATA; where its code cannot be captured: FT_ERROR_UNSUPPORTED with
 * the reason. */
int ft_translate_chain(struct ft_translator *translator, enum ft_mode mode, uint64_t pc,
                       const struct ft_way_in *way_in, struct ft_chain *ret_chain,
                       struct ft_diag *diag);

/* Translates a path, which it takes over (formats/x86/log_plan.h); exits that lead to its start
 * lead to it from now on. */
int ft_translate_path(struct ft_translator *translator, struct ft_unit *path,
                      struct ft_translation **ret_translation, struct ft_diag *diag);

#endif
