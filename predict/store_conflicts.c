#include "predict/store_conflicts.h"

#include <math.h>

#include "fit/evaluate/stride_law.h"
#include "formats/base/common_divisor.h"

/* Where a core does not say; store buffers hold 56 to 112. */
#define STORE_BUFFER  64.0
#define LONGEST_BYTES 1e15
/* Accesses of a scope over those in the nest, from which on the nest is not that of the size. */
#define MISSING 1.5

struct looking {
    const struct ft_synthetic_exposure *exposure;
    const struct ft_reference *references;
    const struct ft_level *level;
    double under_way; /* stores */
    double *stores;   /* [scope] */
};

/* What repeats around accesses. */
struct around {
    size_t first, steps; /* of its body's numbers: the first time, and by how much they change */
    double trips;        /* each time that it runs */
    double stores;       /* an iteration */
};

static bool is_store(const struct looking *looking, const struct ft_nest_element *element)
{
    return element->kind == FT_NEST_ACCESS && looking->references[element->id].kind == FT_STORE;
}

static double stores_of(const struct looking *looking, size_t at, size_t end)
{
    double stores = 0;
    while (at < end) {
        const struct ft_nest_element element = ft_nest_element(looking->exposure->nest.tokens + at);
        if (is_store(looking, &element))
            stores += (double)looking->exposure->times[at];
        at += element.head; /* into the brackets */
    }
    return stores;
}

/* Of the stores at a stride the share that conflicts: all where they go to one set and are far more
 * than it has ways; none where as many sets are in turn as what is under way fits into. */
static double share_of(const struct ft_level *level, uint64_t stride_bytes, double trips,
                       double under_way)
{
    if (stride_bytes == 0 || stride_bytes % level->block_bytes != 0)
        return 0;
    const uint64_t sets = ft_level_sets(level);
    const double ways = (double)level->ways, most = under_way / ways;
    const uint64_t shared =
        (uint64_t)ft_common_divisor(sets, stride_bytes / level->block_bytes % sets);
    const double in_turn = (double)sets / (double)shared;
    if (in_turn >= most)
        return 0;
    const double beyond = trips / (ways * in_turn) - 1;
    return fmin(fmax(beyond, 0), 1) * (1 - log(in_turn) / log(most));
}

static void judge(const struct looking *looking, size_t at, size_t number,
                  const struct around *around)
{
    const struct ft_synthetic_exposure *exposure = looking->exposure;
    const uint64_t step = exposure->nest.numbers[around->steps + (number - around->first)];
    const uint64_t stride = step >> 63 ? -step : step;
    looking->stores[exposure->scopes[at]] +=
        (double)exposure->times[at] *
        share_of(looking->level, stride, around->trips, looking->under_way / around->stores);
}

/* A loop in which numbers double has no one stride. */
static bool is_around(const struct looking *looking, size_t at, size_t number,
                      const struct ft_nest_element *element, struct around *ret_around)
{
    const struct ft_synthetic_exposure *exposure = looking->exposure;
    const size_t body = at + element->head;
    if ((element->kind != FT_NEST_REPEAT && element->kind != FT_NEST_CYCLE) ||
        exposure->times[at] == 0)
        return false;
    const double iterations = (double)exposure->times[body];
    *ret_around = (struct around){
        .first = number + element->counts,
        .steps = number + element->counts + FT_NEST_STEPS * element->body,
        .trips = iterations / (double)exposure->times[at],
        .stores =
            iterations > 0 ? stores_of(looking, body, body + element->length) / iterations : 0,
    };
    return ret_around->trips >= 2;
}

static void look(const struct looking *looking, size_t at, size_t end, size_t number,
                 const struct around *around)
{
    while (at < end) {
        const uint32_t *tokens = looking->exposure->nest.tokens + at;
        const struct ft_nest_element element = ft_nest_element(tokens);
        const size_t next = at + element.head + element.length;
        struct around own;
        if (is_store(looking, &element) && around)
            judge(looking, at, number, around);
        if (element.kind == FT_NEST_GEOMETRIC)
            look(looking, at + element.head, next, number + element.counts, NULL);
        else if (element.kind != FT_NEST_ACCESS && element.kind != FT_NEST_IRREGULAR)
            look(looking, at + element.head, next, number + element.counts,
                 is_around(looking, at, number, &element, &own) ? &own : around);
        number += ft_nest_element_numbers(&element, tokens);
        at = next;
    }
}

/* Whether a loop of the scope goes, at the size, from line to line of few sets. */
static bool conflicts_at(const struct ft_synthetic_request *request, uint32_t scope,
                         double under_way)
{
    const struct ft_model *model = request->model;
    const struct ft_point at = ft_point_at(&model->basis, &request->size);
    for (size_t group = 0; group < model->group_count; group++) {
        if (model->groups[group].scope != scope)
            continue;
        const struct ft_stride_law law = ft_stride_law_of(model, group, 0, &at);
        const double trips = ft_stride_trip_count(model, group, 0, &at);
        if (law.is_loop && law.is_known && law.bytes < LONGEST_BYTES &&
            share_of(&request->machine->levels[0], (uint64_t)law.bytes,
                     isnan(trips) ? INFINITY : trips, under_way) > 0)
            return true;
    }
    return false;
}

/* What the nest does not have of the scope is like what it has, if that does so at the size. */
static double growth_of(const struct ft_synthetic_request *request, uint32_t scope, double made,
                        double under_way)
{
    const double accesses = request->accesses[scope * request->width];
    if (accesses < MISSING * made)
        return 1;
    return conflicts_at(request, scope, under_way) ? accesses / made : 0;
}

void ft_store_conflicts_find(const struct ft_synthetic_request *request,
                             const struct ft_synthetic_exposure *exposure,
                             const struct ft_reference *references, double *ret_stores)
{
    const struct looking looking = {
        exposure, references, &request->machine->levels[0],
        request->store_buffer > 0 ? request->store_buffer : STORE_BUFFER, ret_stores};
    for (size_t s = 0; s < exposure->scope_count; s++)
        ret_stores[s] = 0;
    if (request->machine->cache_count == 0)
        return;
    look(&looking, 0, exposure->nest.token_count, 0, NULL);
    for (uint32_t s = 0; s < exposure->scope_count; s++)
        if (ret_stores[s] > 0)
            ret_stores[s] *= growth_of(request, s, exposure->accesses[s], looking.under_way);
}
