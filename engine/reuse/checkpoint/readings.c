#include "engine/reuse/checkpoint/readings.h"

#include <stdlib.h>

#include "engine/reuse/checkpoint/counts.h"
#include "formats/base/array.h"

void ft_checkpoint_reading_fini(struct ft_checkpoint_reading *reading)
{
    for (uint32_t t = 0; reading->readers && t < reading->state.thread_count; t++) {
        free(reading->readers[t].motions);
        ft_execution_counts_fini(&reading->readers[t].counts);
    }
    free(reading->readers);
    ft_interleaving_state_fini(&reading->state);
    ft_thread_order_fini(&reading->order);
    *reading = (struct ft_checkpoint_reading){0};
}

void ft_checkpoint_readings_fini(struct ft_checkpoint_readings *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        ft_checkpoint_reading_fini(&kept->readings[i]);
    free(kept->readings);
    *kept = (struct ft_checkpoint_readings){0};
}

int ft_checkpoint_readings_put(struct ft_checkpoint_readings *kept,
                               struct ft_checkpoint_reading *reading, struct ft_diag *diag)
{
    bool done = false;
#pragma omp critical(ft_checkpoint_readings)
    if (FT_RESERVE(kept->readings, kept->capacity, kept->count + 1)) {
        kept->readings[kept->count++] = *reading;
        done = true;
    }
    if (!done) {
        ft_checkpoint_reading_fini(reading);
        return ft_fail_memory(diag, "what was read so far");
    }
    *reading = (struct ft_checkpoint_reading){0};
    return FT_OK;
}

bool ft_checkpoint_readings_take(struct ft_checkpoint_readings *kept,
                                 const struct ft_piece_key *key,
                                 struct ft_checkpoint_reading *ret_reading)
{
    bool found = false;
#pragma omp critical(ft_checkpoint_readings)
    for (size_t i = 0; !found && i < kept->count; i++) {
        found = ft_piece_keys_agree(&kept->readings[i].key, key);
        if (found) {
            *ret_reading = kept->readings[i];
            kept->readings[i] = kept->readings[--kept->count];
        }
    }
    return found;
}

void ft_checkpoint_readings_drop(struct ft_checkpoint_readings *kept, uint32_t trace,
                                 uint32_t first_size, uint32_t size_count)
{
#pragma omp critical(ft_checkpoint_readings)
    {
        size_t left = 0;
        for (size_t i = 0; i < kept->count; i++) {
            if (ft_piece_key_is_of(&kept->readings[i].key, trace, first_size, size_count))
                ft_checkpoint_reading_fini(&kept->readings[i]);
            else
                kept->readings[left++] = kept->readings[i];
        }
        kept->count = left;
    }
}

/* ---- to a file ---- */

static void put_reader(struct ft_sealed_output *output, const struct ft_checkpoint_reader *reader)
{
    const uint64_t numbers[] = {reader->position.chunk, reader->position.accesses, reader->accesses,
                                reader->motion_count};
    ft_sealed_put(output, numbers, sizeof numbers);
    ft_sealed_put(output, reader->motions, reader->motion_count * sizeof *reader->motions);
    ft_checkpoint_counts_put(output, &reader->counts, reader->unit_count);
}

static void put_timestamps(struct ft_sealed_output *output,
                           const struct ft_thread_timestamps *timestamps)
{
    ft_sealed_put_u64(output, timestamps->accesses);
    ft_sealed_put_u64(output, timestamps->count);
    ft_sealed_put(output, timestamps->timestamps,
                  timestamps->count * sizeof *timestamps->timestamps);
}

void ft_checkpoint_readings_write(const struct ft_checkpoint_readings *kept,
                                  struct ft_sealed_output *output)
{
    ft_sealed_put_u64(output, kept->count);
    for (size_t i = 0; i < kept->count; i++) {
        const struct ft_checkpoint_reading *reading = &kept->readings[i];
        const struct ft_interleaving_state *state = &reading->state;
        ft_sealed_put(output, &reading->key, sizeof reading->key);
        ft_sealed_put_u64(output, state->thread_count);
        ft_sealed_put_u64(output, state->current);
        ft_sealed_put_u64(output, state->granted);
        for (uint32_t t = 0; t < state->thread_count; t++) {
            ft_interleaved_thread_put(output, &state->threads[t]);
            put_reader(output, &reading->readers[t]);
            put_timestamps(output, &reading->order.threads[t]);
        }
    }
}

/* ---- from a file ---- */

static int get_reader(struct ft_sealed_input *input, struct ft_checkpoint_reader *reader,
                      struct ft_diag *diag)
{
    uint64_t numbers[4];
    ft_sealed_get(input, numbers, sizeof numbers);
    reader->position = (struct ft_log_place){numbers[0], numbers[1]};
    reader->accesses = numbers[2];
    reader->motions = ft_sealed_get_array(input, numbers[3], sizeof *reader->motions);
    if (!reader->motions || numbers[3] > UINT32_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "the strides are truncated");
    reader->motion_count = (uint32_t)numbers[3];
    return ft_checkpoint_counts_get(input, &reader->counts, &reader->unit_count, diag);
}

/* Stamps ascend, as in a log. */
static int get_timestamps(struct ft_sealed_input *input, struct ft_thread_timestamps *timestamps,
                          struct ft_diag *diag)
{
    timestamps->accesses = ft_sealed_get_u64(input);
    const uint64_t count = ft_sealed_get_u64(input);
    timestamps->timestamps = ft_sealed_get_array(input, count, sizeof *timestamps->timestamps);
    if (!timestamps->timestamps)
        return ft_fail(diag, FT_ERROR_DATA, "the timestamps of a thread are truncated");
    timestamps->count = timestamps->capacity = count;
    struct ft_timestamp before = {0};
    for (size_t i = 0; i < count; i++) {
        const struct ft_timestamp *timestamp = &timestamps->timestamps[i];
        if (timestamp->accesses < before.accesses || timestamp->time < before.time ||
            timestamp->accesses > timestamps->accesses)
            return ft_fail(diag, FT_ERROR_DATA, "the timestamps of a thread are inconsistent");
        before = *timestamp;
    }
    return FT_OK;
}

static int get_reading(struct ft_sealed_input *input, struct ft_checkpoint_reading *reading,
                       struct ft_diag *diag)
{
    struct ft_interleaving_state *state = &reading->state;
    ft_sealed_get(input, &reading->key, sizeof reading->key);
    const uint64_t count = ft_sealed_get_u64(input), current = ft_sealed_get_u64(input);
    state->granted = ft_sealed_get_u64(input);
    if (ft_sealed_failed(input) || count > FT_TRACE_THREADS_MAX || current > UINT32_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "the list of threads is inconsistent");
    state->current = (uint32_t)current;
    state->threads = calloc(count + 1, sizeof *state->threads);
    reading->readers = calloc(count + 1, sizeof *reading->readers);
    reading->order.threads = calloc(count + 1, sizeof *reading->order.threads);
    int status = state->threads && reading->readers && reading->order.threads
                     ? FT_OK
                     : ft_fail_memory(diag, "threads");
    for (uint32_t t = 0; !status && t < count; t++) {
        state->thread_count = reading->order.thread_count = t + 1;
        status = ft_interleaved_thread_get(input, &state->threads[t], diag);
        if (!status)
            status = get_reader(input, &reading->readers[t], diag);
        if (!status)
            status = get_timestamps(input, &reading->order.threads[t], diag);
    }
    return status;
}

int ft_checkpoint_readings_read(struct ft_checkpoint_readings *kept, struct ft_sealed_input *input,
                                struct ft_diag *diag)
{
    const uint64_t count = ft_sealed_get_u64(input);
    int status = FT_OK;
    for (uint64_t i = 0; !status && i < count; i++) {
        struct ft_checkpoint_reading reading = {0};
        status = get_reading(input, &reading, diag);
        if (!status && ft_sealed_failed(input))
            status = ft_fail(diag, FT_ERROR_DATA, "it is truncated");
        if (!status)
            status = ft_checkpoint_readings_put(kept, &reading, diag);
        ft_checkpoint_reading_fini(&reading);
    }
    return status;
}
