/*
 * Metrics of a trace's references by location in the code: routines and loops (inclusive), basic
 * blocks, or single references. Chooses and orders the locations to show, and names them in tables,
 * CSV and JSON (docs/json.md, "Places").
 */
#ifndef FT_ENGINE_COMMANDS_REPORT_LOCATION_REPORT_H
#define FT_ENGINE_COMMANDS_REPORT_LOCATION_REPORT_H

#include "formats/cli/json.h"
#include "formats/cli/options.h"
#include "formats/cli/table.h"
#include "formats/commands/startup_fold.h"
#include "formats/scopes/scopes.h"

enum ft_location_kind { FT_LOCATION_LOOPS, FT_LOCATION_BLOCKS, FT_LOCATION_REFERENCES };
extern const char *const ft_location_kind_names[3]; /* "loops", "blocks", "references" */

/* The value of --by; loops if it is not given. */
int ft_location_kind_read(const struct ft_arguments *arguments, enum ft_location_kind *ret_kind,
                          struct ft_diag *diag);

struct ft_locations {
    enum ft_location_kind kind;
    const struct ft_scopes *scopes;
    size_t width;
    double *rows;   /* [location * width + column], summed over its references */
    uint32_t *list; /* locations to show: loops as a tree, others by column 0, largest first */
    size_t count;
    struct ft_startup_fold startup; /* of loops: routines that are not in the list, but folded */
    uint32_t *lines;                /* [block]: its source line; only where locations are blocks */
};

/* values: [reference * width + column]. Shows at most `limit` locations, none whose column 0 is 0.
 * folds: of loops, start-up and exit code. */
int ft_locations_init(struct ft_locations *locations, enum ft_location_kind kind,
                      const struct ft_scopes *scopes, const double *values, size_t width,
                      size_t limit, bool folds, struct ft_diag *diag);
void ft_locations_fini(struct ft_locations *locations);

/* The columns that identify a row's location, and their cells. */
void ft_location_columns(struct ft_table *table, bool csv, enum ft_location_kind kind);
void ft_location_cells(struct ft_table *table, bool csv, const struct ft_locations *locations,
                       uint32_t location);
json_t *ft_location_json(const struct ft_locations *locations, uint32_t location);

#endif
