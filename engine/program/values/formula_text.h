/*
 * Formulas as people read them:
 *     8*rsi0*i + 8*k + rdi0 + 16
 * where i, j, k ... count the iterations of the loops around, outermost first, rdi0 is the register
 * where the routine begins, arg8 the word of the caller's stack at RSP + 8 there, [...] what was
 * loaded from there, and rax@1136 what the register holds behind the instruction at that offset of
 * the module. A stride that is no expression is written irregular(i), indirect(i) or unknown(i). A
 * fraction (rsi0/2) is rounded down.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_FORMULA_TEXT_H
#define FT_ENGINE_PROGRAM_VALUES_FORMULA_TEXT_H

#include "engine/program/values/formulas.h"

/* Both give a text that the caller frees; NULL without memory. */
char *ft_access_formula_text(const struct ft_formulas *formulas,
                             const struct ft_access_formula *access);
char *ft_address_expr_text(const struct ft_formulas *formulas, const struct ft_packed_expr *expr);

/* Strides in terms that another build has too, " irregular 8?+16 8": those of the outermost loop
 * first, unknowns, which are registers, as "?". The caller frees it; NULL without memory. */
char *ft_access_strides_text(const struct ft_formulas *formulas,
                             const struct ft_access_formula *access);

#define FT_PLACE_TEXT 8
/* "rax", "xmm3", "k1", "flags", "x87". */
void ft_place_text(uint8_t place, char text[FT_PLACE_TEXT]);

/* "irregular", "indirect", "unknown"; NULL without a flag. */
const char *ft_stride_flag_name(uint8_t flags);

#endif
