#include "fit/skeletons/element_periods.h"

#include <stdlib.h>

#include "formats/skeleton/nest_executions.h"

#define MATTERS      0.001 /* of all accesses */
#define SCALAR_BYTES 8U    /* what is wider is a vector... */
#define VECTOR_BYTES 4U    /* ...of elements of at least so many bytes */

struct walk {
    const struct ft_skeleton *skeleton;
    const struct ft_nest *nest;
    const struct ft_nest_executions *executions;
    const bool *has_law; /* [number] */
    uint32_t periods;
};

static void add_stride(struct walk *walk, size_t token, size_t number)
{
    const struct ft_reference *reference =
        &walk->skeleton->references[ft_nest_id(walk->nest->tokens[token])];
    const uint64_t *before = walk->executions->before;
    const double made = (double)(before[token + 1] - before[token]);
    const int64_t stride = (int64_t)walk->nest->numbers[number];
    const uint64_t bytes = stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
    const uint64_t element =
        reference->size_bytes > SCALAR_BYTES ? VECTOR_BYTES : reference->size_bytes;
    if (walk->has_law[number] || element == 0 || bytes % element != 0 ||
        made < MATTERS * (double)before[walk->nest->token_count])
        return;
    for (unsigned k = 1; UINT64_C(1) << k <= FT_ELEMENT_PERIOD_MAX; k++)
        if (bytes / element == UINT64_C(1) << k)
            walk->periods |= UINT32_C(1) << k;
}

/* Tokens from `at` to `end`, whose numbers begin there; is_step: these are by how much addresses
 * change with a loop's iterations. */
static void walk_tokens(struct walk *walk, size_t at, size_t end, size_t number, bool is_step)
{
    while (at < end) {
        const uint32_t *tokens = walk->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head;
        if (element.kind == FT_NEST_ACCESS && is_step)
            add_stride(walk, at, number);
        for (size_t row = 0; row < (element.rows > 0 ? 2 : 1); row++)
            walk_tokens(walk, body, body + element.length,
                        number + element.counts + row * element.body, is_step || row > 0);
        number += ft_nest_element_numbers(&element, tokens);
        at = body + element.length;
    }
}

uint32_t ft_element_periods(const struct ft_sized_skeleton *sized)
{
    struct ft_nest_executions executions;
    struct ft_diag diag;
    uint32_t periods = UINT32_MAX;
    if (sized->largest.thread_count == 0)
        return periods;
    const struct ft_nest *nest = &sized->largest.threads[0].nest;
    bool *has_law = calloc(nest->number_count + 1, sizeof *has_law);
    if (has_law && ft_nest_executions_make(nest, &executions, &diag) == FT_OK) {
        struct walk walk = {&sized->largest, nest, &executions, has_law, 0};
        for (size_t i = 0; i < sized->number_count; i++)
            has_law[sized->numbers[i].number] = true;
        walk_tokens(&walk, 0, nest->token_count, 0, false);
        periods = walk.periods;
        ft_nest_executions_fini(&executions);
    }
    free(has_law);
    return periods;
}
