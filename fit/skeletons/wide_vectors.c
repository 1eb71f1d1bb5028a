#include "fit/skeletons/wide_vectors.h"

#include <stdlib.h>

#include "fit/skeletons/nest_rows.h"
#include "fit/skeletons/string_templates.h"

#define STEP ((uint64_t)FT_STRING_VECTOR_BYTES)

struct widening {
    const struct ft_skeleton *skeleton;
    struct ft_nest *nest;
    uint8_t *factors; /* [number of a first execution]: what a trip count is divided by, or 0 */
    bool divides;     /* else factors are found */
};

/* What the trip count of a loop is divided by; 0: it is another one. numbers: in its first
 * execution. */
static uint64_t factor_of(const struct widening *widening, const struct ft_nest_element *element,
                          const uint32_t *body, const uint64_t *numbers)
{
    const struct ft_skeleton *skeleton = widening->skeleton;
    if (element->kind != FT_NEST_REPEAT || element->body != 1 || element->length != 1 ||
        numbers[2] != STEP || ft_nest_kind(*body) != FT_NEST_ACCESS ||
        ft_nest_id(*body) >= skeleton->reference_count)
        return 0;
    const uint32_t id = ft_nest_id(*body), width = skeleton->references[id].size_bytes;
    return width > STEP && width % STEP == 0 &&
                   ft_scope_is_string_routine(&skeleton->scopes,
                                              skeleton->scopes.references[id].scope)
               ? width / STEP
               : 0;
}

/* The numbers of such a loop in a row: its first execution, or how they change. */
static void visit_loop(const struct widening *widening, size_t first, size_t number,
                       uint64_t factor)
{
    uint64_t *numbers = widening->nest->numbers + number;
    const int64_t change = (int64_t)numbers[0];
    if (!widening->divides && first == number)
        widening->factors[first] = (uint8_t)factor;
    else if (!widening->divides && change % (int64_t)factor != 0)
        widening->factors[first] = 0;
    if (!widening->divides || !widening->factors[first])
        return;
    numbers[0] = (uint64_t)(change / (int64_t)factor);
    if (first == number)
        numbers[2] *= factor;
}

static bool visit(void *context, size_t at, size_t first, size_t number)
{
    const struct widening *widening = context;
    const uint32_t *tokens = widening->nest->tokens + at;
    const struct ft_nest_element element = ft_nest_element(tokens);
    const uint64_t factor =
        widening->divides && first < widening->nest->number_count
            ? widening->factors[first]
            : factor_of(widening, &element, tokens + element.head, widening->nest->numbers + first);
    if (!factor || element.kind != FT_NEST_REPEAT)
        return true;
    visit_loop(widening, first, number, factor);
    return false;
}

int ft_vectors_widen(const struct ft_skeleton *skeleton, struct ft_nest *nest, struct ft_diag *diag)
{
    struct widening widening = {skeleton, nest, calloc(nest->number_count + 1, 1), false};
    if (!widening.factors)
        return ft_fail_memory(diag, "string routines");
    ft_nest_visit_rows(nest, visit, &widening);
    widening.divides = true;
    ft_nest_visit_rows(nest, visit, &widening);
    free(widening.factors);
    return FT_OK;
}
