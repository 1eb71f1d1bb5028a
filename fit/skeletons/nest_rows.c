#include "fit/skeletons/nest_rows.h"

struct visiting {
    const struct ft_nest *nest;
    ft_nest_row_visitor *visit;
    void *context;
};

static void visit_rows(const struct visiting *visiting, size_t at, size_t end, size_t first,
                       size_t number)
{
    while (at < end) {
        const uint32_t *tokens = visiting->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        const size_t count = ft_nest_element_numbers(&element, tokens);
        if (visiting->visit(visiting->context, at, first, number) && element.length &&
            element.kind != FT_NEST_GEOMETRIC)
            for (size_t row = 0; row < (element.counts ? element.rows : 1); row++)
                visit_rows(visiting, body, next, first + element.counts,
                           number + element.counts + row * element.body);
        first += count;
        number += count;
        at = next;
    }
}

void ft_nest_visit_rows(const struct ft_nest *nest, ft_nest_row_visitor *visit, void *context)
{
    const struct visiting visiting = {nest, visit, context};
    visit_rows(&visiting, 0, nest->token_count, 0, 0);
}
