#include "engine/schedule/body.h"

#include <stdlib.h>

void ft_body_fini(struct ft_body *body)
{
    free(body->operations);
    free(body->edges);
    *body = (struct ft_body){0};
}
