/*
 * The names of groups in tables: the scope, the line of their first reference, and the stride in
 * bytes at the largest training size. Where several groups share all three, the line is followed by
 * a number, "21 (2)", in the order of the model; CSV has that order.
 */
#ifndef FT_FIT_COMMANDS_GROUP_LABEL_H
#define FT_FIT_COMMANDS_GROUP_LABEL_H

#include "formats/cli/table.h"
#include "formats/model/model.h"

#define FT_WHOLE_PROGRAM SIZE_MAX /* in place of a group */

void ft_group_columns(struct ft_table *table, bool csv);
void ft_group_cells(struct ft_table *table, const struct ft_model *model, size_t group, bool csv);

#endif
