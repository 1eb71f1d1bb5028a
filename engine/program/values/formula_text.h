/*
 * Formulas as text:
 *     8*rsi0*i + 8*k + rdi0 + 16
 * where i, j, k ... number the iterations of the loops around, outermost first, rdi0 is the
 * register at the entry of the routine, arg8 the word of the caller's stack at RSP + 8 there, [...]
 * a value loaded from that address, and rax@1136 the register after the instruction at that offset
 * of the module. Strides that are not linear are written irregular(i), indirect(i) or unknown(i). A
 * fraction (rsi0/2) is rounded down.
 */
#ifndef FT_ENGINE_PROGRAM_VALUES_FORMULA_TEXT_H
#define FT_ENGINE_PROGRAM_VALUES_FORMULA_TEXT_H

#include "engine/program/values/formulas.h"

/* Both return a text that the caller frees; NULL when out of memory. */
char *ft_access_formula_text(const struct ft_formulas *formulas,
                             const struct ft_access_formula *access);
char *ft_address_expr_text(const struct ft_formulas *formulas, const struct ft_packed_expr *expr);

/* Strides in terms that carry over to another build, " irregular 8?+16 8": outermost loop first,
 * symbols as "?". The caller frees it; NULL when out of memory. */
char *ft_access_strides_text(const struct ft_formulas *formulas,
                             const struct ft_access_formula *access);

#define FT_PLACE_TEXT 8
/* "rax", "xmm3", "k1", "flags", "x87". */
void ft_place_text(uint8_t place, char text[FT_PLACE_TEXT]);

/* "irregular", "indirect", "unknown"; NULL without a flag. */
const char *ft_stride_flag_name(uint8_t flags);

#endif
