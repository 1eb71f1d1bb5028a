/*
 * Rows of the scopes of one trace as rows of those of another, of the same program: scopes are
 * matched as in engine/match/scopes.h, in one build by their code, in several by names, lines and
 * nesting. A scope that the other one does not have counts for the nearest around it that it has.
 */
#ifndef FT_PREDICT_SCOPE_ROWS_H
#define FT_PREDICT_SCOPE_ROWS_H

#include "formats/scopes/scopes.h"

/* ret_places: [scope of `from`]: the scope of `to` that it counts for. ret_is_same, where not NULL:
 * [scope of `from`]: whether that is the same one. */
int ft_scope_places(const struct ft_scopes *from, const struct ft_scopes *to, uint32_t *ret_places,
                    bool *ret_is_same, struct ft_diag *diag);
/* Adds rows[scope of `from` * width + column] to ret_rows[scope of `to` * width + column]. */
void ft_scope_rows_add(const double *rows, size_t scope_count, size_t width, const uint32_t *places,
                       double *ret_rows);

#endif
