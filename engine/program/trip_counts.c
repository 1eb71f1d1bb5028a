/*
 * The scope walk shows which loops are entered, repeated and left (scope_walk.h); each of its
 * levels has a count of the iterations made.
 *
 * Of a run of many iterations only the first few are walked. Once two consecutive ones ended in the
 * activations that they began in, all further ones enter, repeat and leave the same loops. A loop
 * that is left in one of them was entered in the one before, or in itself, by the same instructions
 * as in the second of the two, so it has made as many iterations. A loop that stays active repeats
 * as often in each; only the innermost of those that stay can (its header leaves everything
 * deeper).
 */
#include "engine/program/trip_counts.h"

#include <stdlib.h>

#include "engine/program/scope_walk.h"
#include "formats/base/array.h"

struct level {
    uint32_t loop;
    uint64_t iterations;
    uint64_t iterations_before; /* the iteration that it turned in last */
    uint64_t iteration;         /* number of that one */
};

struct entry {
    uint32_t loop;
    uint64_t iterations;
};

struct ft_trip_counter {
    const struct ft_scope_steps *steps;
    struct ft_scope_walk walk;
    struct ft_trips *loops;
    uint64_t *executions;
    struct level *levels; /* as those of the walk */
    size_t depth, capacity;
    uint64_t iteration;  /* walked so far, of all runs */
    struct entry *ended; /* in the iteration at hand */
    size_t ended_count, ended_capacity;
};

void ft_trips_add(struct ft_trips *sum, const struct ft_trips *trips)
{
    if (trips->entries && (sum->entries == 0 || trips->min < sum->min))
        sum->min = trips->min;
    if (trips->max > sum->max)
        sum->max = trips->max;
    sum->entries += trips->entries;
    sum->iterations += trips->iterations;
    for (unsigned bin = 0; bin < FT_TRIP_BINS; bin++)
        sum->bins[bin] += trips->bins[bin];
}

static void count_entry(struct ft_trips *trips, uint64_t iterations, uint64_t times)
{
    if (trips->entries == 0 || iterations < trips->min)
        trips->min = iterations;
    if (iterations > trips->max)
        trips->max = iterations;
    trips->entries += times;
    trips->iterations += iterations * times;
    trips->bins[ft_trip_bin(iterations)] += times;
}

int ft_trip_counter_create(const struct ft_scope_steps *steps, struct ft_trip_counter **ret_counter,
                           struct ft_diag *diag)
{
    struct ft_trip_counter *counter = calloc(1, sizeof *counter);
    if (!counter)
        return ft_fail_memory(diag, "trip counts");
    counter->steps = steps;
    counter->walk.steps = steps;
    counter->loops = calloc(steps->loop_count + 1, sizeof *counter->loops);
    counter->executions = calloc(steps->count + 1, sizeof *counter->executions);
    if (!counter->loops || !counter->executions) {
        ft_trip_counter_destroy(counter);
        return ft_fail_memory(diag, "trip counts");
    }
    *ret_counter = counter;
    return FT_OK;
}

void ft_trip_counter_destroy(struct ft_trip_counter *counter)
{
    if (!counter)
        return;
    ft_scope_walk_fini(&counter->walk);
    free(counter->loops);
    free(counter->executions);
    free(counter->levels);
    free(counter->ended);
    free(counter);
}

const struct ft_trips *ft_trip_counter_loops(const struct ft_trip_counter *counter)
{
    return counter->loops;
}

const uint64_t *ft_trip_counter_executions(const struct ft_trip_counter *counter)
{
    return counter->executions;
}

static int leave_to(struct ft_trip_counter *counter, size_t depth, struct ft_diag *diag)
{
    while (counter->depth > depth) {
        const struct level *level = &counter->levels[--counter->depth];
        if (level->loop == FT_NO_LOOP)
            continue;
        count_entry(&counter->loops[level->loop], level->iterations, 1);
        if (!FT_RESERVE(counter->ended, counter->ended_capacity, counter->ended_count + 1))
            return ft_fail_memory(diag, "trip counts");
        counter->ended[counter->ended_count++] = (struct entry){level->loop, level->iterations};
    }
    return FT_OK;
}

static int follow(struct ft_trip_counter *counter, const struct ft_scope_operation *operation,
                  const struct ft_scope_step *step, struct ft_diag *diag)
{
    if (operation->scope == FT_SCOPE_LEFT)
        return leave_to(counter, operation->depth, diag);
    if (operation->scope == FT_SCOPE_ITERATES) {
        struct level *level = &counter->levels[operation->depth - 1];
        if (level->iteration != counter->iteration) {
            level->iteration = counter->iteration;
            level->iterations_before = level->iterations;
        }
        level->iterations++;
        return FT_OK;
    }
    if (!FT_RESERVE(counter->levels, counter->capacity, operation->depth))
        return ft_fail_memory(diag, "trip counts");
    const uint32_t loop = counter->walk.levels[operation->depth - 1].loop;
    counter->depth = operation->depth;
    counter->levels[operation->depth - 1] = (struct level){
        .loop = loop,
        .iterations = loop != FT_NO_LOOP && step->loop == loop && step->heads_loop,
        .iteration = counter->iteration,
    };
    return FT_OK;
}

static int walk_iteration(struct ft_trip_counter *counter, const uint32_t *references,
                          uint32_t count, struct ft_diag *diag)
{
    counter->iteration++;
    counter->ended_count = 0;
    for (uint32_t j = 0; j < count; j++) {
        if (references[j] < counter->steps->first)
            continue;
        int status = ft_scope_walk_step(&counter->walk, references[j], 0, diag);
        const struct ft_scope_step *step =
            &counter->steps->steps[references[j] - counter->steps->first];
        for (size_t i = 0; !status && i < counter->walk.operation_count; i++)
            status = follow(counter, &counter->walk.operations[i], step, diag);
        counter->walk.operation_count = 0;
        if (status)
            return status;
    }
    return FT_OK;
}

/* The iteration that was walked last comes again, so many times. */
static void repeat(struct ft_trip_counter *counter, uint64_t times)
{
    for (size_t i = 0; i < counter->ended_count; i++)
        count_entry(&counter->loops[counter->ended[i].loop], counter->ended[i].iterations, times);
    if (counter->walk.depth_min[FT_WATCH_ITERATIONS] == 0)
        return;
    struct level *staying = &counter->levels[counter->walk.depth_min[FT_WATCH_ITERATIONS] - 1];
    if (staying->iteration == counter->iteration)
        staying->iterations += times * (staying->iterations - staying->iterations_before);
}

static int take_run(struct ft_trip_counter *counter, const struct ft_run *run,
                    const uint32_t *references, struct ft_diag *diag)
{
    struct ft_scope_snapshot snapshot;
    bool was_back = false;
    for (uint32_t j = 0; j < run->reference_count; j++)
        if (references[j] >= counter->steps->first)
            counter->executions[references[j] - counter->steps->first] += run->iteration_count;
    for (uint64_t i = 0; i < run->iteration_count; i++) {
        int status = walk_iteration(counter, references, run->reference_count, diag);
        if (status)
            return status;
        bool is_back =
            i > 0 && ft_scope_walk_is_back(&counter->walk, FT_WATCH_ITERATIONS, &snapshot);
        if (is_back && was_back) {
            repeat(counter, run->iteration_count - 1 - i);
            return FT_OK;
        }
        was_back = is_back;
        ft_scope_walk_remember(&counter->walk, FT_WATCH_ITERATIONS, &snapshot);
    }
    return FT_OK;
}

int ft_trip_counter_take(struct ft_trip_counter *counter, const struct ft_run_batch *batch,
                         struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t r = 0; !status && r < batch->run_count; r++)
        status = take_run(counter, &batch->runs[r], batch->references + batch->runs[r].first, diag);
    return status;
}

int ft_trip_counter_end_thread(struct ft_trip_counter *counter, struct ft_diag *diag)
{
    int status = leave_to(counter, 0, diag);
    counter->walk.depth = 0;
    counter->walk.depth_min[FT_WATCH_ITERATIONS] = 0;
    counter->walk.previous = NULL;
    return status;
}
