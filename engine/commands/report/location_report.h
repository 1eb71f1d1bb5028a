/*
 * Figures of a trace's references by place: routines and loops with all that is nested in them,
 * basic blocks, or the references themselves; which of them, in what order, and how they are called
 * in tables, CSV and JSON (docs/json.md, "Places").
 */
#ifndef FT_ENGINE_COMMANDS_REPORT_LOCATION_REPORT_H
#define FT_ENGINE_COMMANDS_REPORT_LOCATION_REPORT_H

#include "formats/cli/json.h"
#include "formats/cli/options.h"
#include "formats/cli/table.h"
#include "formats/scopes/scopes.h"

enum ft_location_kind { FT_LOCATION_LOOPS, FT_LOCATION_BLOCKS, FT_LOCATION_REFERENCES };
extern const char *const ft_location_kind_names[3]; /* "loops", "blocks", "references" */

/* What the option --by says: loops where it is not given. */
int ft_location_kind_read(const struct ft_arguments *arguments, enum ft_location_kind *ret_kind,
                          struct ft_diag *diag);

struct ft_locations {
    enum ft_location_kind kind;
    const struct ft_scopes *scopes;
    size_t width;
    double *rows;   /* [place * width + column], sums over the references in a place */
    uint32_t *list; /* places to show: loops as a tree, others by falling first figure */
    size_t count;
    uint32_t *lines; /* [block]; of blocks alone */
};

/* figures: [reference * width + column]. At most `limit` places, none whose first figure is 0. */
int ft_locations_init(struct ft_locations *places, enum ft_location_kind kind,
                      const struct ft_scopes *scopes, const double *figures, size_t width,
                      size_t limit, struct ft_diag *diag);
void ft_locations_fini(struct ft_locations *places);

/* The columns that say which place a row is about, and their cells. */
void ft_location_columns(struct ft_table *table, bool csv, enum ft_location_kind kind);
void ft_location_cells(struct ft_table *table, bool csv, const struct ft_locations *places,
                       uint32_t place);
json_t *ft_location_json(const struct ft_locations *places, uint32_t place);

#endif
