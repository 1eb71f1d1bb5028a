#include "predict/moved_rows.h"

#include <stdlib.h>

#include "engine/match/scope_places.h"

static double move(const struct ft_scope_rows *rows, const uint32_t *places, const bool *is_same,
                   double *moved)
{
    double matched = 0, total = 0;
    for (uint32_t i = 0; i < rows->scopes->scope_count; i++) {
        const double *from = rows->own + i * rows->width;
        total += from[0];
        matched += is_same[i] ? from[0] : 0;
        double *to = moved + places[i] * rows->width;
        for (size_t j = 0; j < rows->width; j++)
            to[j] += from[j];
    }
    return total > 0 ? matched / total : 1;
}

int ft_move_rows(const struct ft_scope_rows *rows, const struct ft_scopes *to,
                 double **ret_inclusive, double *ret_matched, struct ft_diag *diag)
{
    double *inclusive = calloc(to->scope_count * rows->width + 1, sizeof *inclusive);
    uint32_t *places = calloc(rows->scopes->scope_count + 1, sizeof *places);
    bool *is_same = calloc(rows->scopes->scope_count + 1, sizeof *is_same);
    int status = inclusive && places && is_same
                     ? ft_scope_places(rows->scopes, to, places, is_same, diag)
                     : ft_fail_memory(diag, "a check");
    if (status == FT_OK) {
        *ret_matched = move(rows, places, is_same, inclusive);
        ft_scopes_add_nested(to, inclusive, rows->width);
        *ret_inclusive = inclusive;
    } else {
        free(inclusive);
    }
    free(places);
    free(is_same);
    return status;
}
