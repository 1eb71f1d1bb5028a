#include "fit/skeletons/synthetic_misses.h"

#include "engine/simulate/warping/warped_simulation.h"

#define DRAWN_MAX 0.1 /* of the accesses: of more, warping skips too little */

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
    const struct ft_skeleton *largest = &synthesis->sized->largest;
    const struct ft_places places = ft_synthesis_places(synthesis);
    struct opening opening = {.synthesis = synthesis};
    struct ft_warped_simulation_task task = {
        .program = {.nest = &synthesis->nest,
                    .places = &places,
                    .references = largest->references,
                    .reference_count = largest->reference_count,
                    .drawn = synthesis->drawn,
                    .drawn_count = synthesis->sized->drawn_count,
                    .seed = FT_SYNTHESIS_SEED,
                    .accesses_max = synthesis->accesses_max},
        .open = open_source,
        .context = &opening,
        .simulated_max = synthesis->simulated_max,
        .progress = progress,
    };
    struct ft_synthetic_share sum;
    FT_TRY(ft_synthetic_share_sum(synthesis->sized, &sum, diag));
    int status =
        sum.drawn > DRAWN_MAX * sum.accesses
            ? ft_simulate(machine, 1, open_source, &opening, progress, ret_simulation, diag)
            : ft_warped_simulate(&task, machine, ret_simulation, diag);
    close_source(&opening);
    return status;
}
