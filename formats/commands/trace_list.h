/*
 * Several traces, a line each: program, contents, and how the capture ended.
 */
#ifndef FT_FORMATS_COMMANDS_TRACE_LIST_H
#define FT_FORMATS_COMMANDS_TRACE_LIST_H

#include "formats/cli/options.h"

/* Prints the operands' table, as text or CSV. The first trace that cannot be read is the
 * error. */
int ft_trace_list_print(const struct ft_arguments *arguments, bool csv, struct ft_diag *diag);

#endif
