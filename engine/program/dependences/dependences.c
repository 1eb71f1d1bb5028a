#include "engine/program/dependences/dependences.h"

#include <stdlib.h>
#include <string.h>

const char *const ft_dependence_kind_names[FT_DEPENDENCE_KINDS] = {"flow", "anti", "output"};

void ft_dependences_fini(struct ft_dependences *dependences)
{
    for (size_t l = 0; dependences->loops && l < dependences->loop_count; l++) {
        free(dependences->loops[l].nodes);
        free(dependences->loops[l].edges);
    }
    free(dependences->loops);
    *dependences = (struct ft_dependences){0};
}

void ft_dependences_count_loads(const struct ft_loop_dependences *loop,
                                uint64_t ret_counts[FT_LOAD_CLASSES])
{
    memset(ret_counts, 0, FT_LOAD_CLASSES * sizeof *ret_counts);
    for (uint32_t n = 0; n < loop->node_count; n++)
        ret_counts[loop->nodes[n].load_class]++;
}
