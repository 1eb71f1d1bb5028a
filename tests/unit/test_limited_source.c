/* A source of 100 accesses in two batches, limited to 100, and to 99. */
#include <stdlib.h>

#include "engine/skeleton/limited_source.h"
#include "tests/support/tap.h"

struct fixed_source {
    struct ft_run_source base;
    unsigned batches; /* left */
};

static int next(struct ft_run_source *base, struct ft_run_batch *ret_batch, struct ft_diag *diag)
{
    static const struct ft_run run = {.reference_count = 5, .iteration_count = 10};
    struct fixed_source *source = (struct fixed_source *)base;
    (void)diag;
    *ret_batch = (struct ft_run_batch){.runs = &run, .run_count = source->batches > 0};
    source->batches -= source->batches > 0;
    return FT_OK;
}

static void destroy(struct ft_run_source *base)
{
    free(base);
}

/* How many batches come before the end, or the failure of *ret_status. */
static unsigned take(double accesses_max, int *ret_status)
{
    struct fixed_source *fixed = calloc(1, sizeof *fixed);
    struct ft_run_source *source;
    struct ft_run_batch batch;
    struct ft_diag diag = {0};
    unsigned count = 0;
    if (!fixed)
        abort();
    *fixed = (struct fixed_source){{.next = next, .destroy = destroy}, 2};
    if (ft_limited_source_create(&fixed->base, accesses_max, &source, &diag) != FT_OK)
        abort();
    while ((*ret_status = source->next(source, &batch, &diag)) == FT_OK && batch.run_count > 0)
        count++;
    source->destroy(source);
    return count;
}

int main(void)
{
    int status;
    tap_ok(take(100, &status) == 2 && status == FT_OK, "as many as there may be");
    tap_ok(take(99, &status) == 1 && status == FT_ERROR_UNSUPPORTED, "one more fails");
    return tap_plan_done();
}
