/*
 * How metrics of scopes are shown: which routines and loops, in what order, and what each is called
 * in tables, CSV and JSON (docs/json.md, "Scopes"). Shared by all commands that print metrics by
 * scope, so that a scope looks the same everywhere.
 */
#ifndef FT_FORMATS_COMMANDS_SCOPE_REPORT_H
#define FT_FORMATS_COMMANDS_SCOPE_REPORT_H

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/scopes/scopes.h"

/* The `limit` routines and loops of greatest weight above 0, as a tree: each before those nested in
 * it, heavier siblings first. weights[scope] must be inclusive. The caller frees the list. */
int ft_scopes_select(const struct ft_scopes *scopes, const double *weights, size_t limit,
                     uint32_t **ret_list, size_t *ret_count, struct ft_diag *diag);

/* The columns that say which scope a row is about, and their cells for one scope: as text
 * indented name and lines; for CSV kind, name, module, file, lines and inlined calls. */
void ft_scope_columns(struct ft_table *table, bool csv);
void ft_scope_cells(struct ft_table *table, bool csv, const struct ft_scopes *scopes,
                    uint32_t scope);

/* A column of the inlined calls around loops, as text, if any of these scopes has some; returns
 * whether. Its cell: "add at sum.c:12, sum at main.c:3", innermost first. */
bool ft_scope_inlined_column(struct ft_table *table, const struct ft_scopes *scopes,
                             const uint32_t *list, size_t count);
void ft_scope_inlined_cell(struct ft_table *table, const struct ft_scopes *scopes, uint32_t scope);

/* {"kind", "name", "module", "file", "first_line", "last_line", "depth"}, of loops "inlined" too;
 * NULL: out of memory. */
json_t *ft_scope_json(const struct ft_scopes *scopes, uint32_t scope);

#endif
