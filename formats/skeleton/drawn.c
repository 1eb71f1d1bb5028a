#include "formats/skeleton/drawn.h"

#include <stdlib.h>

static void fini_loop(struct ft_drawn_loop *loop)
{
    for (size_t p = 0; p < loop->path_count; p++) {
        free(loop->paths[p].tokens);
        free(loop->paths[p].numbers);
    }
    free(loop->paths);
}

void ft_drawn_loops_free(struct ft_drawn_loop *loops, size_t loop_count)
{
    for (size_t i = 0; loops && i < loop_count; i++)
        fini_loop(&loops[i]);
    free(loops);
}
