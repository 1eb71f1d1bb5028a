#include "fit/skeletons/synthetic_misses.h"

struct opening {
    const struct ft_synthesis *synthesis;
    struct ft_run_source *source;
};

static void close_source(struct opening *opening)
{
    if (opening->source)
        opening->source->destroy(opening->source);
    opening->source = NULL;
}

static int open_source(void *context, struct ft_run_source **ret_source, struct ft_diag *diag)
{
    struct opening *opening = context;
    close_source(opening);
    FT_TRY(ft_synthesis_source(opening->synthesis, &opening->source, diag));
    *ret_source = opening->source;
    return FT_OK;
}

int ft_synthesis_simulate(const struct ft_synthesis *synthesis, const struct ft_machine *machine,
                          struct ft_progress *progress, struct ft_simulation *ret_simulation,
                          struct ft_diag *diag)
{
    struct opening opening = {.synthesis = synthesis};
    int status = ft_simulate(machine, 1, open_source, &opening, progress, ret_simulation, diag);
    close_source(&opening);
    return status;
}
