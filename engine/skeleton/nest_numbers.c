#include "engine/skeleton/nest_numbers.h"

#include <stdlib.h>

bool ft_nest_numbers_init(struct ft_nest_numbers *numbers, const struct ft_nest *nest)
{
    *numbers = (struct ft_nest_numbers){0, malloc(sizeof *numbers->at)};
    if (!numbers->at)
        return false;
    numbers->at[0] = nest->numbers;
    return true;
}

bool ft_nest_numbers_enter(const struct ft_nest_numbers *around,
                           const struct ft_nest_element *element, struct ft_nest_numbers *ret_body)
{
    const size_t count = (size_t)1 << around->depth;
    struct ft_nest_numbers body = {around->depth + 1, malloc(2 * count * sizeof *body.at)};
    if (!body.at)
        return false;
    for (size_t c = 0; c < count; c++) {
        body.at[c] = around->at[c] + element->counts;
        body.at[c + count] = around->at[c] + element->counts + element->body;
    }
    *ret_body = body;
    return true;
}

void ft_nest_numbers_fini(struct ft_nest_numbers *numbers)
{
    free(numbers->at);
    numbers->at = NULL;
}

void ft_nest_numbers_skip(struct ft_nest_numbers *numbers, size_t count)
{
    for (size_t c = 0; c < (size_t)1 << numbers->depth; c++)
        numbers->at[c] += count;
}
