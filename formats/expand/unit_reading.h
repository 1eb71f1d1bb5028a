/*
 * Reads the definition of a unit from a CODE chunk (formats/x86/unit.h writes it), decodes its
 * instructions, and checks that its slots make every address known.
 */
#ifndef FT_FORMATS_EXPAND_UNIT_READING_H
#define FT_FORMATS_EXPAND_UNIT_READING_H

#include "formats/x86/unit.h"

int ft_unit_read(struct ft_cursor *cursor, struct ft_unit *ret_unit, struct ft_diag *diag);

#endif
