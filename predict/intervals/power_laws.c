/* Terms 2 i and 2 i + 1 are the powers without and with a logarithm; the last one is constant. */
#include "predict/intervals/power_laws.h"

#include <math.h>
#include <string.h>

static const double powers[] = {0.5, 1, 1.5, 2, 2.5, 3, 4};

#define POWERS       (sizeof powers / sizeof *powers)
#define GROWING      (2 * POWERS)
#define NEXT_SLOWER  1U /* places in the list */
#define A_POWER_LESS 4U

static double term_at(size_t term, double n)
{
    if (term == GROWING)
        return 1;
    return pow(n, powers[term / 2]) * (term % 2 ? log2(n) : 1);
}

static void add_set(struct ft_law_terms *terms, uint32_t set)
{
    terms->sets[terms->set_count++] = set;
}

/* Led by a term, with slower ones. */
static void add_rivals(struct ft_law_terms *terms, size_t lead)
{
    const uint32_t faster = (1U << GROWING) - (1U << lead), constant = 1U << GROWING;
    const size_t slower[] = {NEXT_SLOWER, A_POWER_LESS};
    for (size_t i = 0; i < 2; i++)
        if (lead >= slower[i]) {
            terms->rivals[terms->rival_count].set =
                1U << lead | 1U << (lead - slower[i]) | constant;
            terms->rivals[terms->rival_count++].faster = faster;
        }
}

void ft_power_laws_init(struct ft_law_terms *terms, const double *sizes, size_t size_count,
                        double target)
{
    *terms = (struct ft_law_terms){.size_count = size_count, .target = target};
    memcpy(terms->sizes, sizes, size_count * sizeof *sizes);
    for (size_t term = 0; term <= GROWING; term++) {
        for (size_t i = 0; i < size_count; i++)
            terms->at_sizes[term][i] = term_at(term, sizes[i]);
        terms->at_target[term] = term_at(term, target);
    }
    for (size_t term = 0; term < GROWING; term++)
        add_rivals(terms, term);
    for (size_t term = 0; term < GROWING; term++)
        add_set(terms, 1U << term);
    for (size_t term = 0; term < GROWING; term++)
        add_set(terms, 1U << term | 1U << GROWING);
    for (size_t term = NEXT_SLOWER; term < GROWING; term++)
        add_set(terms, 1U << term | 1U << (term - NEXT_SLOWER));
    for (size_t term = A_POWER_LESS; term < GROWING; term++)
        add_set(terms, 1U << term | 1U << (term - A_POWER_LESS));
    for (size_t term = A_POWER_LESS; term < GROWING; term++)
        add_set(terms, 1U << term | 1U << (term - A_POWER_LESS) | 1U << GROWING);
}
