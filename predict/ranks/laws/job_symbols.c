#include "predict/ranks/laws/job_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* What tells calls apart while they are folded. */
enum level { BY_COMMUNICATOR, BY_TAG, BY_PEER, LEVELS };

static bool find_key(struct ft_job_symbols *symbols, const struct ft_symbol_key *key,
                     uint32_t *ret_symbol)
{
    for (size_t i = 0; i < symbols->key_count; i++)
        if (memcmp(&symbols->keys[i], key, sizeof *key) == 0) {
            *ret_symbol = (uint32_t)i;
            return true;
        }
    if (!FT_RESERVE(symbols->keys, symbols->key_capacity, symbols->key_count + 1))
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
    return FT_OK;
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
    free(symbols->shapes);
    *symbols = (struct ft_job_symbols){0};
}

int ft_job_symbols_copy_shape(const struct ft_call_shape *shape, struct ft_call_shape *ret_copy,
                              struct ft_diag *diag)
{
    struct ft_call_shape copy = {.count = shape->count, .capacity = shape->count};
    copy.nodes = malloc((shape->count + 1) * sizeof *copy.nodes);
    if (!copy.nodes)
        return ft_fail_memory(diag, "laws");
    if (shape->count)
        memcpy(copy.nodes, shape->nodes, shape->count * sizeof *copy.nodes);
    *ret_copy = copy;
    return FT_OK;
}
