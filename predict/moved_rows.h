/*
 * Rows of a trace's scopes as rows of a model's: each counts for the same scope, or for the nearest
 * one around it that the model has (engine/match/scope_places.h).
 */
#ifndef FT_PREDICT_MOVED_ROWS_H
#define FT_PREDICT_MOVED_ROWS_H

#include "formats/scopes/scopes.h"

struct ft_scope_rows {
    const struct ft_scopes *scopes;
    const double *own; /* [scope * width + column], exclusive; column 0 is accesses */
    size_t width;
};
/* ret_inclusive: [scope of `to` * width + column], nested scopes included; the caller frees it.
 * ret_matched: share of the accesses in scopes that are the same. */
int ft_move_rows(const struct ft_scope_rows *rows, const struct ft_scopes *to,
                 double **ret_inclusive, double *ret_matched, struct ft_diag *diag);

#endif
