/*
 * How misses of the levels of a machine, predicted or simulated, are shown: a table of levels,
 * columns in a table of scopes, JSON (docs/json.md, "Levels").
 *
 * `misses` are pairs, one per level: fully associative, set-associative.
 */
#ifndef FT_MACHINES_COMMANDS_LEVEL_REPORT_H
#define FT_MACHINES_COMMANDS_LEVEL_REPORT_H

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "machines/machine.h"

/* Name, capacity, block and ways of a level, as text: columns and cells. */
void ft_level_geometry_columns(struct ft_table *table);
void ft_level_geometry_cells(struct ft_table *table, const struct ft_level *level);

/* As text: the levels, one per row, with their misses and miss ratios. */
int ft_level_table_print(const struct ft_machine *machine, const double *misses, double accesses,
                         FILE *stream, struct ft_diag *diag);

/* Columns of misses in a table of other things: as text one for a fully associative level, else
 * two; for CSV always two, with keys such as l1d_predicted_set_associative for how = "predicted".
 */
void ft_level_columns(struct ft_table *table, bool csv, const struct ft_machine *machine,
                      const char *how);
void ft_level_cells(struct ft_table *table, bool csv, const struct ft_machine *machine,
                    const double *misses);
/* A column for CSV: l1d_resolved for L1D and "resolved". */
void ft_key_column(struct ft_table *table, const char *name, const char *what);
void ft_level_column(struct ft_table *table, const struct ft_level *level, const char *what);

/* What identifies a level: {"name", "kind", "capacity_bytes", "block_bytes", "ways"}. */
json_t *ft_level_json(const struct ft_level *level);

#endif
