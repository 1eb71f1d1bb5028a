#include "fit/skeletons/loop_contexts.h"

#include <stdlib.h>

#include "formats/base/array.h"

bool ft_loop_contexts_have(const struct ft_loop_contexts *loops, uint64_t context)
{
    for (size_t i = 0; i < loops->count; i++)
        if (loops->contexts[i] == context)
            return true;
    return false;
}

int ft_loop_contexts_add(struct ft_loop_contexts *loops, uint64_t context, struct ft_diag *diag)
{
    if (ft_loop_contexts_have(loops, context))
        return FT_OK;
    if (!FT_RESERVE(loops->contexts, loops->capacity, loops->count + 1))
        return ft_fail_memory(diag, "loops of several sizes");
    loops->contexts[loops->count++] = context;
    return FT_OK;
}

void ft_loop_contexts_fini(struct ft_loop_contexts *loops)
{
    free(loops->contexts);
    *loops = (struct ft_loop_contexts){0};
}
