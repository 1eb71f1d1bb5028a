/*
 * Each entity draws its random numbers from a generator of its own, which the seed, the generation
 * and its place start, so that no order of threads can matter.
 *
 *  entities     random ones, mutation, two-point crossover, learning
 *  generations  as many children as entities on each island, from parents by tournaments of two;
 *               of both the fittest survive
 *  migration    copies go to the next island, in the place of its last
 */
#include "machines/bandwidth/genetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/splitmix.h"

#define ISLAND_MIN 2    /* entities */
#define LESSONS    2    /* attempts of an entity to improve itself */
#define STEP_MIN   1e-4 /* of a mutation, as a share of the parameter's range */
#define STEP_MAX   0.5

const struct ft_genetic_options ft_genetic_published = {10000, 200, 0.8, 0.8, 0.01, 1};

struct entity {
    double genes[FT_BANDWIDTH_PARAMETERS_MAX];
    double learned[FT_BANDWIDTH_PARAMETERS_MAX]; /* what its fitness is of */
    double fitness;                              /* less is fitter */
};

struct world {
    const struct ft_training *training;
    const struct ft_genetic_options *options;
    uint32_t island_entities;
    struct entity *entities, *children; /* [island * island_entities + place]; sorted */
    uint32_t *order;                    /* [island * 2 * island_entities]: workspace */
};

/* ---- entities ---- */

static size_t below(uint64_t *state, size_t count)
{
    return (size_t)(ft_splitmix_uniform(state) * (double)count);
}

static double gaussian(uint64_t *state)
{
    const double radius = sqrt(-2 * log(1 - ft_splitmix_uniform(state)));
    return radius * cos(2 * M_PI * ft_splitmix_uniform(state));
}

/* One gene drifts; at the ends of its range it is reflected. */
static void mutate(double *genes, size_t count, uint64_t *state)
{
    double *gene = &genes[below(state, count)];
    const double step = STEP_MIN * pow(STEP_MAX / STEP_MIN, ft_splitmix_uniform(state));
    double value = fabs(*gene + step * gaussian(state));
    value = value > 1 ? 2 - value : value;
    *gene = fmin(fmax(value, 0), 1);
}

/* Genes between two points are the other parent's. */
static void cross(double *genes, const double *other, size_t count, uint64_t *state)
{
    size_t from = below(state, count), to = below(state, count);
    if (from > to) {
        const size_t swapped = from;
        from = to;
        to = swapped;
    }
    memcpy(genes + from, other + from, (to - from + 1) * sizeof *genes);
}

/* Islands 0 and 1 don't learn, 2 and 3 inherit what was learned, 4 and 5 only live by it. */
static void live(const struct world *world, struct entity *entity, size_t island, uint64_t *state)
{
    const struct ft_training *training = world->training;
    const size_t bytes = training->gene_count * sizeof(double);
    memcpy(entity->learned, entity->genes, bytes);
    entity->fitness = ft_training_fitness(training, entity->genes);
    for (unsigned i = 0; island >= FT_GENETIC_ISLANDS / 3 && i < LESSONS; i++) {
        double tried[FT_BANDWIDTH_PARAMETERS_MAX];
        memcpy(tried, entity->learned, bytes);
        mutate(tried, training->gene_count, state);
        const double fitness = ft_training_fitness(training, tried);
        if (fitness < entity->fitness) {
            memcpy(entity->learned, tried, bytes);
            entity->fitness = fitness;
        }
    }
    if (island >= FT_GENETIC_ISLANDS / 3 && island < 2 * FT_GENETIC_ISLANDS / 3)
        memcpy(entity->genes, entity->learned, bytes);
}

/* ---- generations ---- */

static uint64_t random_state(const struct world *world, uint32_t generation, size_t place)
{
    uint64_t state = world->options->seed;
    state = ft_splitmix(&state) + generation;
    state = ft_splitmix(&state) + place;
    return ft_splitmix(&state);
}

/* The fitter of two. */
static const struct entity *parent(const struct world *world, size_t island, uint64_t *state)
{
    const size_t first = below(state, world->island_entities),
                 second = below(state, world->island_entities);
    return &world->entities[island * world->island_entities + (first < second ? first : second)];
}

static void make_entity(const struct world *world, size_t place)
{
    struct entity *entity = &world->children[place];
    uint64_t state = random_state(world, 0, place);
    for (size_t i = 0; i < world->training->gene_count; i++)
        entity->genes[i] = ft_splitmix_uniform(&state);
    live(world, entity, place / world->island_entities, &state);
}

static void make_child(const struct world *world, uint32_t generation, size_t place)
{
    const size_t island = place / world->island_entities, count = world->training->gene_count;
    struct entity *child = &world->children[place];
    uint64_t state = random_state(world, generation, place);
    memcpy(child->genes, parent(world, island, &state)->genes, sizeof child->genes);
    if (ft_splitmix_uniform(&state) < world->options->crossover)
        cross(child->genes, parent(world, island, &state)->genes, count, &state);
    if (ft_splitmix_uniform(&state) < world->options->mutation)
        mutate(child->genes, count, &state);
    live(world, child, island, &state);
}

/* Entities of an island first, then its children. */
static const struct entity *entity_at(const struct world *world, size_t island, uint32_t index)
{
    const size_t count = world->island_entities;
    return index < count ? &world->entities[island * count + index]
                         : &world->children[island * count + index - count];
}

struct ranking {
    const struct world *world;
    size_t island;
};

static int compare_entities(const void *a, const void *b, void *context)
{
    const struct ranking *ranking = context;
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    const double left_fitness = entity_at(ranking->world, ranking->island, left)->fitness,
                 right_fitness = entity_at(ranking->world, ranking->island, right)->fitness;
    if (left_fitness != right_fitness)
        return left_fitness < right_fitness ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* The fittest of an island's entities, if it has any yet, and children become its entities, sorted;
 * survivors is workspace. */
static void select_fittest(const struct world *world, size_t island, bool is_first,
                           struct entity *survivors)
{
    const uint32_t count = world->island_entities, from = is_first ? count : 0;
    uint32_t *order = world->order + island * 2 * count;
    struct ranking ranking = {world, island};
    for (uint32_t i = from; i < 2 * count; i++)
        order[i - from] = i;
    qsort_r(order, 2 * count - from, sizeof *order, compare_entities, &ranking);
    for (uint32_t i = 0; i < count; i++)
        survivors[i] = *entity_at(world, island, order[i]);
    memcpy(world->entities + island * count, survivors, count * sizeof *survivors);
}

/* ---- migration ---- */

/* The islands are sorted again by the next generation's selection; where migrants come, the order
 * of those before them stays. */
static void migrate(const struct world *world, uint32_t generation)
{
    const uint32_t count = world->island_entities;
    uint64_t state = random_state(world, generation, SIZE_MAX);
    for (size_t island = 0; island < FT_GENETIC_ISLANDS; island++) {
        const size_t next = (island + 1) % FT_GENETIC_ISLANDS;
        uint32_t last = count - 1;
        for (uint32_t i = 0; i < count; i++)
            if (ft_splitmix_uniform(&state) < world->options->migration && last > 0)
                world->entities[next * count + last--] = world->entities[island * count + i];
    }
}

/* ---- all of it ---- */

static int create_world(struct world *world, struct ft_diag *diag)
{
    const size_t count = (size_t)world->island_entities * FT_GENETIC_ISLANDS;
    world->entities = calloc(count, sizeof *world->entities);
    world->children = calloc(count, sizeof *world->children);
    world->order = calloc(2 * count, sizeof *world->order);
    return world->entities && world->children && world->order ? FT_OK
                                                              : ft_fail_memory(diag, "entities");
}

static int evolve(const struct world *world, struct ft_progress *progress, struct ft_diag *diag)
{
    const size_t count = (size_t)world->island_entities * FT_GENETIC_ISLANDS;
    struct entity *survivors = calloc(count, sizeof *survivors);
    if (!survivors)
        return ft_fail_memory(diag, "entities");
    for (uint32_t generation = 0; generation <= world->options->generations; generation++) {
#pragma omp parallel for schedule(static)
        for (size_t i = 0; i < count; i++) {
            if (generation == 0)
                make_entity(world, i);
            else
                make_child(world, generation, i);
        }
#pragma omp parallel for schedule(static)
        for (size_t island = 0; island < FT_GENETIC_ISLANDS; island++)
            select_fittest(world, island, generation == 0,
                           survivors + island * world->island_entities);
        if (generation < world->options->generations)
            migrate(world, generation);
        ft_progress_update(progress, generation, world->options->generations, "generations");
    }
    free(survivors);
    return FT_OK;
}

int ft_genetic_train(const struct ft_training *training, const struct ft_genetic_options *options,
                     struct ft_progress *progress, double *ret_genes, struct ft_diag *diag)
{
    struct world world = {
        .training = training,
        .options = options,
        .island_entities = options->entities / FT_GENETIC_ISLANDS,
    };
    if (world.island_entities < ISLAND_MIN)
        return ft_fail(diag, FT_ERROR_USAGE, "%u entities are too few: %d islands need %d each",
                       options->entities, FT_GENETIC_ISLANDS, ISLAND_MIN);
    int status = create_world(&world, diag);
    if (status == FT_OK)
        status = evolve(&world, progress, diag);
    if (status == FT_OK) {
        const struct entity *fittest = &world.entities[0];
        for (size_t island = 1; island < FT_GENETIC_ISLANDS; island++) {
            const struct entity *first = &world.entities[island * world.island_entities];
            if (first->fitness < fittest->fitness)
                fittest = first;
        }
        memcpy(ret_genes, fittest->learned, training->gene_count * sizeof *ret_genes);
    }
    free(world.entities);
    free(world.children);
    free(world.order);
    return status;
}
