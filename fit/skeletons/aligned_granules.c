#include "fit/skeletons/aligned_granules.h"

#include <stdlib.h>

#include "fit/skeletons/string_templates.h"
#include "formats/x86/unit.h"

#define GRANULE ((uint64_t)FT_STRING_GRANULE_BYTES)

struct aligning {
    const struct ft_nest *nest;
    const bool *is_granule; /* [reference] */
    bool *moves;            /* [number of a first execution] */
};

/* Elements from `at` to `end`; first: their numbers in the first execution; number: these, or how
 * they change. */
static void find(const struct aligning *aligning, size_t at, size_t end, size_t first,
                 size_t number)
{
    while (at < end) {
        const uint32_t *tokens = aligning->nest->tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t body = at + element.head, next = body + element.length;
        const size_t count = ft_nest_element_numbers(&element, tokens);
        if (element.kind == FT_NEST_ACCESS && first == number)
            aligning->moves[first] = aligning->is_granule[element.id];
        else if (element.kind == FT_NEST_ACCESS && aligning->nest->numbers[number] % GRANULE)
            aligning->moves[first] = false;
        if (element.length && element.kind != FT_NEST_GEOMETRIC)
            for (size_t row = 0; row < (element.counts ? element.rows : 1); row++)
                find(aligning, body, next, first + element.counts,
                     number + element.counts + row * element.body);
        first += count;
        number += count;
        at = next;
    }
}

int ft_granules_align(const struct ft_skeleton *skeleton, const struct ft_places *places,
                      struct ft_nest *nest, struct ft_diag *diag)
{
    bool *is_granule = calloc(skeleton->reference_count + (size_t)1, sizeof *is_granule);
    bool *moves = calloc(nest->number_count + 1, sizeof *moves);
    const struct aligning aligning = {nest, is_granule, moves};
    const int status = is_granule && moves ? FT_OK : ft_fail_memory(diag, "string instructions");
    if (!status) {
        for (uint32_t r = 0; r < skeleton->reference_count; r++)
            is_granule[r] = ft_string_is_whole(skeleton, r);
        find(&aligning, 0, nest->token_count, 0, 0);
        for (size_t k = 0; k < nest->number_count; k++)
            if (moves[k])
                nest->numbers[k] -= ft_place_address(places, nest->numbers[k]) % GRANULE;
    }
    free(is_granule);
    free(moves);
    return status;
}
