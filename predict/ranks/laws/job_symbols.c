#include "predict/ranks/laws/job_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* What tells calls apart while they are folded. */
enum level { BY_COMMUNICATOR, BY_TAG, BY_PEER, LEVELS };

/* A key that is new gets the next symbol; false: out of memory. */
static bool find_key(struct ft_job_symbols *symbols, const struct ft_symbol_key *key,
                     uint32_t *ret_symbol)
{
    uint64_t hash = ft_hash_mix((uintptr_t)key->function);
    for (size_t i = 0; i < sizeof key->parts / sizeof *key->parts; i++)
        hash = ft_hash_add(hash, key->parts[i]);
    for (size_t probe = hash; ft_hash_next(&symbols->table, hash, &probe, ret_symbol);)
        if (memcmp(&symbols->keys[*ret_symbol], key, sizeof *key) == 0)
            return true;
    if (!FT_RESERVE(symbols->keys, symbols->key_capacity, symbols->key_count + 1) ||
        !ft_hash_table_add(&symbols->table, hash, (uint32_t)symbols->key_count))
        return false;
    *ret_symbol = (uint32_t)symbols->key_count;
    symbols->keys[symbols->key_count++] = *key;
    return true;
}

static struct ft_symbol_key key_of(const struct ft_rank_calls *calls,
                                   const struct ft_rank_call *call, enum level level)
{
    struct ft_symbol_key key = {.function = call->function};
    key.parts[0] = call->communicator;
    if (level >= BY_TAG) {
        ft_rank_call_detail(calls, call, FT_MPI_KEY_SENT_TAG, 0, &key.parts[1]);
        ft_rank_call_detail(calls, call, FT_MPI_KEY_RECEIVED_TAG, 0, &key.parts[2]);
    }
    if (level >= BY_PEER) {
        ft_rank_call_detail(calls, call, FT_MPI_KEY_DESTINATION, 0, &key.parts[3]);
        ft_rank_call_detail(calls, call, FT_MPI_KEY_SOURCE, 0, &key.parts[4]);
    }
    return key;
}

static bool number_calls(struct ft_job_symbols *symbols, const struct ft_rank_calls *calls,
                         enum level level, uint32_t *ret_numbers)
{
    for (size_t i = 0; i < calls->count; i++) {
        const struct ft_symbol_key key = key_of(calls, &calls->items[i], level);
        if (!find_key(symbols, &key, &ret_numbers[i]))
            return false;
    }
    return true;
}

int ft_job_symbols_add(struct ft_job_symbols *symbols, const struct ft_mpi_job *job, uint32_t run,
                       struct ft_diag *diag)
{
    for (size_t r = 0; r < job->rank_count; r++) {
        if (!FT_RESERVE(symbols->ranks, symbols->rank_capacity, symbols->rank_count + 1))
            return ft_fail_memory(diag, "the calls of ranks");
        struct ft_symbol_rank *rank = &symbols->ranks[symbols->rank_count];
        *rank = (struct ft_symbol_rank){.source = {run, job->ranks[r].rank}};
        FT_TRY(ft_rank_calls_read(&job->ranks[r], &rank->calls, diag));
        symbols->rank_count++;
        rank->symbols = calloc(rank->calls.count + 1, sizeof *rank->symbols);
        if (!rank->symbols || !number_calls(symbols, &rank->calls, BY_COMMUNICATOR, rank->symbols))
            return ft_fail_memory(diag, "the calls of ranks");
    }
    return FT_OK;
}

/* ---- shapes ---- */

/* Takes the shape, or frees one that is there already. */
static bool add_shape(struct ft_job_symbols *symbols, struct ft_call_shape *shape)
{
    size_t place = 0;
    for (size_t i = 0; i < symbols->shape_count; i++)
        if (ft_call_shape_equal(&symbols->shapes[i], shape)) {
            ft_call_shape_fini(shape);
            return true;
        }
    if (!FT_RESERVE(symbols->shapes, symbols->shape_capacity, symbols->shape_count + 1)) {
        ft_call_shape_fini(shape);
        return false;
    }
    while (place < symbols->shape_count && symbols->shapes[place].count <= shape->count)
        place++;
    memmove(&symbols->shapes[place + 1], &symbols->shapes[place],
            (symbols->shape_count++ - place) * sizeof *shape);
    symbols->shapes[place] = *shape;
    return true;
}

static bool fold_rank(struct ft_job_symbols *symbols, const struct ft_symbol_rank *rank,
                      uint32_t *numbers)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        struct ft_call_shape shape = {0};
        if (!number_calls(symbols, &rank->calls, (enum level)level, numbers) ||
            !ft_call_shape_fold(numbers, rank->symbols, rank->calls.count, &shape) ||
            !add_shape(symbols, &shape))
            return false;
    }
    return true;
}

/* ---- loops of few iterations ---- */

#define UNROLLED_MAX 8U
#define DIFFERENT    UINT64_MAX

/* trips: [node], of loops that have the same in all ranks; 0: not visited. False: a rank does not
 * have the shape. */
static bool find_trips(const struct ft_job_symbols *symbols, const struct ft_call_shape *shape,
                       uint64_t *trips, bool *ret_is_out_of_memory)
{
    struct ft_shape_visits visits = {0};
    bool matches = true;
    for (size_t r = 0; r < symbols->rank_count && matches; r++) {
        const struct ft_symbol_rank *rank = &symbols->ranks[r];
        matches = ft_call_shape_match(shape, rank->symbols, rank->calls.count, &visits,
                                      ret_is_out_of_memory);
        for (size_t i = 0; i < visits.count && matches; i++) {
            const struct ft_shape_visit *visit = &visits.items[i];
            if (shape->nodes[visit->node].symbol != FT_SHAPE_LOOP)
                continue;
            const bool is_same = trips[visit->node] == 0 || trips[visit->node] == visit->value;
            trips[visit->node] = is_same && visit->value > 0 ? visit->value : DIFFERENT;
        }
    }
    free(visits.items);
    return matches;
}

static bool has_loop(const struct ft_call_shape *shape, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        if (shape->nodes[i].symbol == FT_SHAPE_LOOP)
            return true;
    return false;
}

/* Innermost loops of few iterations, always as many, become that many bodies. */
static bool copy_unrolled(const struct ft_call_shape *shape, uint32_t first, uint32_t end,
                          const uint64_t *trips, struct ft_call_shape *copy)
{
    for (uint32_t i = first; i < end; i = shape->nodes[i].end) {
        const bool is_loop = shape->nodes[i].symbol == FT_SHAPE_LOOP;
        const bool unrolls = is_loop && trips[i] > 0 && trips[i] <= UNROLLED_MAX &&
                             !has_loop(shape, i + 1, shape->nodes[i].end);
        const size_t at = copy->count;
        for (uint64_t trip = 0; unrolls && trip < trips[i]; trip++)
            if (!copy_unrolled(shape, i + 1, shape->nodes[i].end, trips, copy))
                return false;
        if (unrolls)
            continue;
        if (!FT_RESERVE(copy->nodes, copy->capacity, copy->count + 1))
            return false;
        copy->nodes[copy->count++].symbol = shape->nodes[i].symbol;
        if (is_loop && !copy_unrolled(shape, i + 1, shape->nodes[i].end, trips, copy))
            return false;
        copy->nodes[at].end = (uint32_t)copy->count;
    }
    return true;
}

/* What differs from iteration to iteration, such as the two sides of a direction that no rank has
 * neighbours in, has laws of its own there. */
static bool add_unrolled(struct ft_job_symbols *symbols, const struct ft_call_shape *shape)
{
    uint64_t *trips = calloc(shape->count + 1, sizeof *trips);
    struct ft_call_shape copy = {0};
    bool is_out_of_memory = trips == NULL;
    if (trips && find_trips(symbols, shape, trips, &is_out_of_memory))
        is_out_of_memory = !copy_unrolled(shape, 0, (uint32_t)shape->count, trips, &copy) ||
                           !add_shape(symbols, &copy);
    free(trips);
    return !is_out_of_memory;
}

/* Of all shapes that there are before: those that it adds have no such loops. */
static int add_all_unrolled(struct ft_job_symbols *symbols, struct ft_diag *diag)
{
    struct ft_call_shape *shapes = calloc(symbols->shape_count + 1, sizeof *shapes);
    const size_t count = symbols->shape_count;
    bool is_there = shapes != NULL;
    if (is_there)
        memcpy(shapes, symbols->shapes,
               count * sizeof *shapes); /* their nodes stay where they are */
    for (size_t i = 0; i < count && is_there; i++)
        is_there = add_unrolled(symbols, &shapes[i]);
    free(shapes);
    return is_there ? FT_OK : ft_fail_memory(diag, "the calls of ranks");
}

int ft_job_symbols_fold(struct ft_job_symbols *symbols, struct ft_diag *diag)
{
    for (size_t i = 0; i < symbols->rank_count; i++) {
        const struct ft_symbol_rank *rank = &symbols->ranks[i];
        uint32_t *numbers = calloc(rank->calls.count + 1, sizeof *numbers);
        const bool is_folded = numbers && fold_rank(symbols, rank, numbers);
        free(numbers);
        if (!is_folded)
            return ft_fail_memory(diag, "the calls of ranks");
    }
    return add_all_unrolled(symbols, diag);
}

void ft_job_symbols_fini(struct ft_job_symbols *symbols)
{
    for (size_t i = 0; i < symbols->rank_count; i++) {
        ft_rank_calls_fini(&symbols->ranks[i].calls);
        free(symbols->ranks[i].symbols);
    }
    for (size_t i = 0; i < symbols->shape_count; i++)
        ft_call_shape_fini(&symbols->shapes[i]);
    free(symbols->ranks);
    free(symbols->keys);
    ft_hash_table_fini(&symbols->table);
    free(symbols->shapes);
    *symbols = (struct ft_job_symbols){0};
}
