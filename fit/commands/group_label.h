/*
 * How groups are called in tables: the scope, the line of their first reference, and the stride in
 * bytes at the largest training size. Where all of these are those of another group too, people
 * read a number behind the line, "21 (2)", by the order in the model; programs have that order.
 */
#ifndef FT_FIT_COMMANDS_GROUP_LABEL_H
#define FT_FIT_COMMANDS_GROUP_LABEL_H

#include "formats/cli/table.h"
#include "formats/model/model.h"

#define FT_WHOLE_PROGRAM SIZE_MAX /* in place of a group */

void ft_group_columns(struct ft_table *table, bool csv);
void ft_group_cells(struct ft_table *table, const struct ft_model *model, size_t group, bool csv);

#endif
