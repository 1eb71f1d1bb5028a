#include "engine/skeleton/limited_source.h"

#include <stdlib.h>

struct limited_source {
    struct ft_run_source base;
    struct ft_run_source *inner;
    double accesses, accesses_max;
};

static int next(struct ft_run_source *base, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    struct limited_source *source = (struct limited_source *)base;
    FT_TRY(source->inner->next(source->inner, ret_batch, diag));
    for (size_t r = 0; r < ret_batch->run_count; r++)
        source->accesses +=
            (double)ret_batch->runs[r].reference_count * (double)ret_batch->runs[r].iteration_count;
    return source->accesses <= source->accesses_max
               ? FT_OK
               : ft_fail(diag, FT_ERROR_UNSUPPORTED, "there would be more than %.3g accesses",
                         source->accesses_max);
}

static void destroy(struct ft_run_source *base)
{
    struct limited_source *source = (struct limited_source *)base;
    source->inner->destroy(source->inner);
    free(source);
}

int ft_limited_source_create(struct ft_run_source *source, double accesses_max,
                             struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct limited_source *limited = calloc(1, sizeof *limited);
    if (!limited) {
        source->destroy(source);
        return ft_fail_memory(diag, "a source of accesses");
    }
    *limited =
        (struct limited_source){.base = *source, .inner = source, .accesses_max = accesses_max};
    limited->base.next = next;
    limited->base.destroy = destroy;
    *ret_source = &limited->base;
    return FT_OK;
}
