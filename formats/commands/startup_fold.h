/*
 * Start-up and exit code in tables: the routines of the dynamic loader, and those of the C library
 * that run around main. Routines that each have less than 0.1 % of the whole are folded into one
 * row, so that a table shows what the program does. Shared by all commands that list routines; CSV
 * and JSON list them one by one.
 */
#ifndef FT_FORMATS_COMMANDS_STARTUP_FOLD_H
#define FT_FORMATS_COMMANDS_STARTUP_FOLD_H

#include "formats/cli/options.h"
#include "formats/cli/table.h"
#include "formats/scopes/scopes.h"

struct ft_startup_fold {
    uint32_t *routines; /* scopes that are folded */
    size_t count;
};

/* In the options of commands that fold. */
#define FT_STARTUP_OPTION                                                                          \
    {                                                                                              \
        "all", 0, NULL, "list routines of start-up and exit one by one, however small"             \
    }
/* Whether tables fold: as text, without --all. The command has --all, --json and --csv. */
bool ft_startup_is_folded(const struct ft_arguments *arguments);

/* Folds routines by their inclusive weights, and sets these and those of their loops to 0, so that
 * ft_scopes_select leaves them out. A single routine is not folded. */
int ft_startup_fold_init(struct ft_startup_fold *fold, const struct ft_scopes *scopes,
                         double *weights, struct ft_diag *diag);
void ft_startup_fold_fini(struct ft_startup_fold *fold);

/* ft_scopes_select (scope_report.h) with routines folded, if they are to be. weights: see above. */
int ft_startup_fold_select(struct ft_startup_fold *fold, bool folds, const struct ft_scopes *scopes,
                           double *weights, size_t limit, uint32_t **ret_list, size_t *ret_count,
                           struct ft_diag *diag);

/* The cells of the columns of ft_scope_columns, as text: "start-up and exit (21 routines)". */
void ft_startup_fold_cells(struct ft_table *table, const struct ft_startup_fold *fold);
/* The sum over the folded routines of values[scope * width], which are inclusive. */
double ft_startup_fold_sum(const struct ft_startup_fold *fold, const double *values, size_t width);
/* The same of all columns; the caller frees the row. NULL: out of memory. */
double *ft_startup_fold_row(const struct ft_startup_fold *fold, const double *values, size_t width);

#endif
