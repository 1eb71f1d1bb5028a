/*
 * Chunks whose checksums are right and whose contents are not: bytes of one payload are changed and
 * the chunk is made again. Reading must end in an error or in some trace, never in a crash, a read
 * beyond a buffer (ASan watches) or an endless loop.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/expand/log_counter.h"
#include "formats/trace/trace_reader.h"
#include "tests/support/random.h"
#include "tests/support/small_trace.h"
#include "tests/support/tap.h"
#include "tests/support/temporary_folder.h"

#define CHUNKS_MAX 16

struct good_chunk {
    struct ft_chunk chunk;
    uint8_t *payload;
    struct ft_bytes frame;
};

static struct good_chunk good[CHUNKS_MAX];
static size_t good_count;
static uint64_t random_state = 0x2545f4914f6cdd1d;

static bool load_good(const char *path)
{
    struct ft_trace *trace;
    struct ft_log_buffer buffer = {0};
    if (ft_trace_open(path, NULL, &trace, NULL))
        return false;
    good_count = ft_trace_chunk_count(trace);
    bool loaded = good_count <= CHUNKS_MAX;
    for (size_t i = 0; loaded && i < good_count; i++) {
        const struct ft_chunk_description *description = ft_trace_chunk(trace, i);
        struct good_chunk *into = &good[i];
        loaded = ft_trace_chunk_read(trace, i, &buffer, NULL) == FT_OK;
        into->payload = malloc(FT_CHUNK_PAYLOAD_BYTES_MAX);
        memcpy(into->payload, buffer.chunk + FT_CHUNK_DESCRIPTION_BYTES,
               description->payload_bytes);
        into->chunk = (struct ft_chunk){.kind = description->kind,
                                        .thread = description->thread,
                                        .sequence = description->sequence,
                                        .totals = description->totals,
                                        .payload = into->payload,
                                        .payload_bytes = description->payload_bytes};
        ft_bytes_fini(&into->frame);
        ft_put(&into->frame, buffer.frame.data, buffer.frame.length);
    }
    ft_log_buffer_fini(&buffer);
    ft_trace_close(trace);
    return loaded;
}

/* Changes some bytes of the payload, or cuts it short. */
static void damage(struct ft_chunk *chunk, uint8_t *payload)
{
    static const uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff};
    if (random_below(&random_state, 8) == 0) {
        chunk->payload_bytes = random_below(&random_state, chunk->payload_bytes + 1);
        return;
    }
    for (uint64_t changes = 1 + random_below(&random_state, 3); changes && chunk->payload_bytes;
         changes--) {
        uint8_t *at = &payload[random_below(&random_state, chunk->payload_bytes)];
        *at = random_below(&random_state, 2) ? telling[random_below(&random_state, sizeof telling)]
                                             : (uint8_t)random_below(&random_state, 256);
    }
}

/* The frames one behind the other: what is left of a file whose HDF5 parts are gone. */
static bool write_frames(const char *path, size_t changed, const struct ft_bytes *frame)
{
    FILE *file = fopen(path, "w");
    bool written = file != NULL;
    for (size_t i = 0; written && i < good_count; i++) {
        const struct ft_bytes *from = i == changed ? frame : &good[i].frame;
        written = fwrite(from->data, 1, from->length, file) == from->length;
    }
    return file && fclose(file) == 0 && written;
}

/* Reads every record; gives FT_OK where nothing was found to be wrong. */
static int read_logs(struct ft_trace *trace)
{
    struct ft_log_decoder *decoder = NULL;
    struct ft_log_counter *counter = NULL;
    struct ft_log_buffer buffer = {0};
    struct ft_record records[64];
    struct ft_log_totals totals;
    int status = ft_log_decoder_create(ft_trace_units(trace), &decoder, NULL);
    if (status == FT_OK)
        status = ft_log_counter_create(ft_trace_units(trace), &counter, NULL);
    for (uint32_t thread = 0; thread < ft_trace_thread_count(trace); thread++)
        for (size_t i = 0; status == FT_OK && i < ft_trace_log_count(trace, thread); i++) {
            const struct ft_chunk_description *log = ft_trace_log(trace, thread, i);
            const uint8_t *payload;
            struct ft_log_state state;
            totals = (struct ft_log_totals){0};
            status = ft_trace_log_read(trace, thread, i, &buffer, &payload, NULL);
            if (status == FT_OK)
                status = ft_log_decoder_start(decoder, payload, log->payload_bytes,
                                              log->totals.instructions, &state, NULL);
            for (size_t count = 1; status == FT_OK && count;) {
                status = ft_log_decoder_next(decoder, records, 64, &count, NULL);
                for (size_t k = 0; status == FT_OK && k < count; k++)
                    status = ft_log_counter_add(counter, &records[k], &log->totals, &state, &totals,
                                                NULL);
            }
        }
    ft_log_buffer_fini(&buffer);
    ft_log_counter_destroy(counter);
    ft_log_decoder_destroy(decoder);
    return status;
}

/* Walks through what was opened, so that every pointer and index in it is used once. */
static void use_tables(const struct ft_trace *trace)
{
    size_t texts = 0;
    for (size_t i = 0; i < ft_trace_module_count(trace); i++) {
        const struct ft_module *module = ft_trace_module(trace, i);
        const struct ft_inline *chain[8];
        texts += strlen(module->path);
        for (size_t k = 0; k < module->symbol_count; k++)
            texts += strlen(module->strings + module->symbols[k].name);
        for (size_t k = 0; k < module->line_count; k++)
            texts += strlen(module->strings + module->lines[k].file);
        for (uint64_t offset = module->start; offset < module->start + 0x40; offset++) {
            ft_module_symbol(module, offset);
            ft_module_line(module, offset);
            ft_module_inline_chain(module, offset, chain, 8);
        }
    }
    for (size_t i = 0; i < ft_trace_event_count(trace); i++)
        if (ft_trace_event(trace, i)->text)
            texts += strlen(ft_trace_event(trace, i)->text);
    if (texts == SIZE_MAX)
        printf("# never\n");
}

int main(void)
{
    static const struct ft_trace_options incomplete = {.allow_incomplete = true};
    struct ft_diag diag = {0};
    unsigned refused = 0, log_refused = 0, read = 0;
    enter_temporary_folder();
    tap_ok(small_trace("good.h5", SMALL_GOOD, &diag) == FT_OK && load_good("good.h5"),
           "a good trace (%s)", diag.message);
    uint8_t *payload = malloc(FT_CHUNK_PAYLOAD_BYTES_MAX);
    const unsigned rounds = tap_repetitions(250, 250, 50);
    for (unsigned round = 0; round < rounds; round++) {
        size_t changed = round % good_count;
        struct ft_chunk chunk = good[changed].chunk;
        struct ft_bytes frame = {0};
        struct ft_trace *trace;
        memcpy(payload, good[changed].payload, chunk.payload_bytes);
        chunk.payload = payload;
        damage(&chunk, payload);
        if (ft_chunk_compress(&chunk, 1, &frame, NULL) || !write_frames("bad", changed, &frame))
            break;
        ft_bytes_fini(&frame);
        if (ft_trace_open("bad", &incomplete, &trace, NULL)) {
            refused++;
            continue;
        }
        use_tables(trace);
        if (read_logs(trace))
            log_refused++;
        else
            read++;
        ft_trace_close(trace);
    }
    tap_ok(refused + log_refused + read == rounds && log_refused > rounds / 9,
           "of %u damaged traces %u were refused, %u had a log that was, %u could be read", rounds,
           refused, log_refused, read);
    free(payload);
    for (size_t i = 0; i < good_count; i++) {
        free(good[i].payload);
        ft_bytes_fini(&good[i].frame);
    }
    return tap_plan_done();
}
