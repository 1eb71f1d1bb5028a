#include "predict/explain/last_touches.h"

#include <stdlib.h>

#define FIRST_BITS 14U

static int allocate(struct ft_last_touches *touches, unsigned bits, struct ft_diag *diag)
{
    *touches = (struct ft_last_touches){.slots = calloc((size_t)1 << bits, sizeof *touches->slots),
                                        .bits = bits};
    return touches->slots ? FT_OK : ft_fail_memory(diag, "the last touches of blocks");
}

int ft_last_touches_init(struct ft_last_touches *touches, struct ft_diag *diag)
{
    return allocate(touches, FIRST_BITS, diag);
}

void ft_last_touches_fini(struct ft_last_touches *touches)
{
    free(touches->slots);
    *touches = (struct ft_last_touches){0};
}

int ft_last_touches_grow(struct ft_last_touches *touches, struct ft_diag *diag)
{
    struct ft_last_touches larger;
    FT_TRY(allocate(&larger, touches->bits + 1, diag));
    for (size_t i = 0; i < (size_t)1 << touches->bits; i++) {
        const struct ft_last_touch *touch = &touches->slots[i];
        if (touch->block)
            *ft_last_touch_of(&larger, touch->block - 1) = *touch;
    }
    larger.count = touches->count;
    free(touches->slots);
    *touches = larger;
    return FT_OK;
}
