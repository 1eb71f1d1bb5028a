/*
 * Reads the definition of a unit as it stands in CODE chunks (formats/x86/unit.h writes it). The
 * instructions are decoded again, and it is checked that with the slots every address is known.
 */
#ifndef FT_FORMATS_EXPAND_UNIT_READING_H
#define FT_FORMATS_EXPAND_UNIT_READING_H

#include "formats/x86/unit.h"

int ft_unit_read(struct ft_cursor *cursor, struct ft_unit *ret_unit, struct ft_diag *diag);

#endif
