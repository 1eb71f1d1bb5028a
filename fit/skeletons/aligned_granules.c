#include "fit/skeletons/aligned_granules.h"

#include <stdlib.h>

#include "fit/skeletons/nest_rows.h"
#include "fit/skeletons/string_templates.h"
#include "formats/x86/unit.h"

#define GRANULE ((uint64_t)FT_STRING_GRANULE_BYTES)

struct aligning {
    const struct ft_nest *nest;
    const bool *is_granule; /* [reference] */
    bool *moves;            /* [number of a first execution] */
};

static bool find(void *context, size_t at, size_t first, size_t number)
{
    struct aligning *aligning = context;
    const uint32_t token = aligning->nest->tokens[at];
    if (ft_nest_kind(token) != FT_NEST_ACCESS)
        return true;
    if (first == number)
        aligning->moves[first] = aligning->is_granule[ft_nest_id(token)];
    else if (aligning->nest->numbers[number] % GRANULE)
        aligning->moves[first] = false;
    return true;
}

int ft_granules_align(const struct ft_skeleton *skeleton, const struct ft_places *places,
                      struct ft_nest *nest, struct ft_diag *diag)
{
    bool *is_granule = calloc(skeleton->reference_count + (size_t)1, sizeof *is_granule);
    bool *moves = calloc(nest->number_count + 1, sizeof *moves);
    struct aligning aligning = {nest, is_granule, moves};
    const int status = is_granule && moves ? FT_OK : ft_fail_memory(diag, "string instructions");
    if (!status) {
        for (uint32_t r = 0; r < skeleton->reference_count; r++)
            is_granule[r] = ft_string_is_whole(skeleton, r);
        ft_nest_visit_rows(nest, find, &aligning);
        for (size_t k = 0; k < nest->number_count; k++)
            if (moves[k])
                nest->numbers[k] -= ft_place_address(places, nest->numbers[k]) % GRANULE;
    }
    free(is_granule);
    free(moves);
    return status;
}
