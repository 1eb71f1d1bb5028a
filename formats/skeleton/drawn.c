#include "formats/skeleton/drawn.h"

#include <stdlib.h>

void ft_drawn_loop_fini(struct ft_drawn_loop *loop)
{
    for (size_t p = 0; p < loop->path_count; p++) {
        free(loop->paths[p].tokens);
        free(loop->paths[p].numbers);
    }
    free(loop->paths);
    *loop = (struct ft_drawn_loop){0};
}
