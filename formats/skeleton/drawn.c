#include "formats/skeleton/drawn.h"

#include <stdlib.h>

#include "formats/skeleton/nest.h"

static void fini_loop(struct ft_drawn_loop *loop)
{
    for (size_t p = 0; p < loop->path_count; p++) {
        free(loop->paths[p].tokens);
        free(loop->paths[p].numbers);
    }
    free(loop->paths);
}

bool ft_drawn_loop_is_cut(const struct ft_drawn_loop *loop, uint32_t id)
{
    const struct ft_drawn_path *path = loop->paths;
    return loop->path_count > 0 && path->token_count > 0 &&
           path->tokens[path->token_count - 1] == ft_nest_token(FT_NEST_IRREGULAR, id);
}

void ft_drawn_loops_free(struct ft_drawn_loop *loops, size_t loop_count)
{
    for (size_t i = 0; loops && i < loop_count; i++)
        fini_loop(&loops[i]);
    free(loops);
}
