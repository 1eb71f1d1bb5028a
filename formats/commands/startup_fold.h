/*
 * Start-up and exit code in tables: the routines of the dynamic loader, and those of the C library
 * that run around main. Routines that each have less than 0.1 % of the whole are folded into one
 * row, so that a table shows what the program does. Shared by all commands that list routines; CSV
 * and JSON list them one by one.
 */
#ifndef FT_FORMATS_COMMANDS_STARTUP_FOLD_H
#define FT_FORMATS_COMMANDS_STARTUP_FOLD_H

#include "formats/cli/table.h"
#include "formats/scopes/scopes.h"

struct ft_startup_fold {
    uint32_t *routines; /* scopes that are folded */
    size_t count;
};

/* Folds routines by their inclusive weights, and sets these and those of their loops to 0, so that
 * ft_scopes_select leaves them out. A single routine is not folded. */
int ft_startup_fold_init(struct ft_startup_fold *fold, const struct ft_scopes *scopes,
                         double *weights, struct ft_diag *diag);
void ft_startup_fold_fini(struct ft_startup_fold *fold);

/* The cells of the columns of ft_scope_columns, as text: "start-up and exit (21 routines)". */
void ft_startup_fold_cells(struct ft_table *table, const struct ft_startup_fold *fold);
/* The sum over the folded routines of values[scope * width], which are inclusive. */
double ft_startup_fold_sum(const struct ft_startup_fold *fold, const double *values, size_t width);

#endif
