#include "engine/skeleton/nest_numbers.h"

#include <stdlib.h>

bool ft_nest_numbers_init(struct ft_nest_numbers *numbers, const struct ft_nest *nest)
{
    *numbers = (struct ft_nest_numbers){.count = 1, .terms = calloc(1, sizeof *numbers->terms)};
    if (!numbers->terms)
        return false;
    numbers->terms[0].at = nest->numbers;
    return true;
}

static void move(struct ft_nest_term *term, size_t count)
{
    term->at += count;
    if (term->exponents)
        term->exponents += count;
}

bool ft_nest_numbers_enter(const struct ft_nest_numbers *around,
                           const struct ft_nest_element *element, struct ft_nest_numbers *ret_body)
{
    const bool is_geometric = element->kind == FT_NEST_GEOMETRIC;
    const size_t count = around->count;
    struct ft_nest_numbers body = {around->depth + 1, around->is_geometric || is_geometric,
                                   (is_geometric ? 4 : 2) * count, NULL};
    body.terms = malloc(body.count * sizeof *body.terms);
    if (!body.terms)
        return false;
    for (size_t t = 0; t < count; t++) {
        struct ft_nest_term *first = &body.terms[t], *steps = first + count;
        *first = *steps = around->terms[t];
        move(first, element->counts);
        move(steps, element->counts + FT_NEST_STEPS * element->body);
        steps->counters |= UINT32_C(1) << around->depth;
        for (unsigned i = 0; is_geometric && i < 2; i++) {
            struct ft_nest_term *power = steps + (i + 1) * count;
            *power = *first;
            power->at = first->at + (i ? FT_NEST_SQUARES : FT_NEST_POWERS) * element->body;
            power->exponents = first->at + FT_NEST_EXPONENTS * element->body;
            power->exponent_factor = i + 1;
            power->summed_by = around->depth;
        }
    }
    *ret_body = body;
    return true;
}

void ft_nest_numbers_fini(struct ft_nest_numbers *numbers)
{
    free(numbers->terms);
    numbers->terms = NULL;
}

void ft_nest_numbers_skip(struct ft_nest_numbers *numbers, size_t count)
{
    for (size_t t = 0; t < numbers->count; t++)
        move(&numbers->terms[t], count);
}
