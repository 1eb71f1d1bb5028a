/*
 * usage: check_lost WHOLE PART
 *
 * PART is what is left of a capture that was killed, or of a trace that was cut, of the program
 * whose whole trace is WHOLE. Everything that is wholly in its bytes must be delivered, and the
 * records of each thread must be the first of that thread in WHOLE; the last one may be of a loop
 * that was killed at its head, with the iterations made so far. This program looks for frames at
 * every byte, with nothing but zstd. Exit code 0: so it is; 1: not; 2: nothing can be read, and
 * there is nothing that could be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "formats/trace/trace_reader.h"

#define GROUPS_MAX 64
#define BATCH      512

/* Chunks of one kind, or of one thread's log. */
struct group {
    uint16_t kind;
    uint32_t thread;
    uint8_t *found; /* [sequence] */
    size_t capacity;
};

static struct group groups[GROUPS_MAX];
static size_t group_count;

static void note(uint16_t kind, uint32_t thread, uint64_t sequence)
{
    size_t at = 0;
    while (at < group_count && (groups[at].kind != kind || groups[at].thread != thread))
        at++;
    if (at == GROUPS_MAX || sequence > 1U << 20)
        return;
    struct group *group = &groups[at];
    if (at == group_count) {
        *group = (struct group){.kind = kind, .thread = thread};
        group_count++;
    }
    if (sequence >= group->capacity) {
        size_t capacity = 2 * (size_t)sequence + 64;
        group->found = realloc(group->found, capacity);
        memset(group->found + group->capacity, 0, capacity - group->capacity);
        group->capacity = capacity;
    }
    group->found[sequence] = 1;
}

static void free_groups(void)
{
    for (size_t i = 0; i < group_count; i++)
        free(groups[i].found);
}

static size_t first_missing(const struct group *group)
{
    size_t count = 0;
    while (count < group->capacity && group->found[count])
        count++;
    return count;
}

static uint8_t *read_file(const char *path, size_t *ret_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    *ret_bytes = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*ret_bytes + 1);
    *ret_bytes = data ? fread(data, 1, *ret_bytes, file) : 0;
    fclose(file);
    return data;
}

/* Notes every chunk whose bytes are all there. */
static void look_for_chunks(const char *path)
{
    size_t bytes = 0;
    uint8_t *data = read_file(path, &bytes), *chunk = malloc(FT_CHUNK_BYTES);
    for (size_t at = 0; data && at + 8 < bytes; at++) {
        if (memcmp(data + at, "\x28\xb5\x2f\xfd", 4) != 0 ||
            ZSTD_getFrameContentSize(data + at, bytes - at) != FT_CHUNK_BYTES)
            continue;
        size_t frame = ZSTD_findFrameCompressedSize(data + at, bytes - at);
        if (ZSTD_isError(frame) ||
            ZSTD_decompress(chunk, FT_CHUNK_BYTES, data + at, frame) != FT_CHUNK_BYTES ||
            memcmp(chunk, "FTCK", 4) != 0)
            continue;
        uint16_t kind;
        uint32_t thread;
        uint64_t sequence;
        memcpy(&kind, chunk + 6, sizeof kind);
        memcpy(&thread, chunk + 8, sizeof thread);
        memcpy(&sequence, chunk + 16, sizeof sequence);
        note(kind, thread, sequence);
    }
    free(data);
    free(chunk);
}

/* Chunks that the reader delivers of a group. */
static size_t delivered(const struct ft_trace *trace, const struct group *group)
{
    if (group->kind == FT_CHUNK_LOG)
        return ft_trace_log_count(trace, group->thread);
    size_t count = 0;
    for (size_t i = 0; i < ft_trace_chunk_count(trace); i++)
        count += ft_trace_chunk(trace, i)->kind == group->kind;
    return count;
}

static bool all_delivered(const struct ft_trace *trace)
{
    bool all = true;
    for (size_t i = 0; i < group_count; i++) {
        size_t due = first_missing(&groups[i]), given = delivered(trace, &groups[i]);
        if (due != given)
            printf("# %s of thread %u: %zu delivered, %zu in the file without a gap\n",
                   ft_chunk_kind_name(groups[i].kind), groups[i].thread, given, due);
        all &= due == given;
    }
    return all;
}

/* One record after the other of a thread. */
struct stream {
    struct ft_trace *trace;
    uint32_t thread;
    struct ft_log_decoder *decoder;
    struct ft_log_buffer buffer;
    size_t chunk;
    struct ft_record records[BATCH];
    size_t at, count;
};

static void stream_init(struct stream *stream, struct ft_trace *trace, uint32_t thread)
{
    *stream = (struct stream){.trace = trace, .thread = thread};
    if (ft_log_decoder_create(ft_trace_units(trace), &stream->decoder, NULL))
        abort();
}

static void stream_fini(struct stream *stream)
{
    ft_log_decoder_destroy(stream->decoder);
    ft_log_buffer_fini(&stream->buffer);
}

/* NULL at the end; ends the process where a record cannot be read. */
static const struct ft_record *stream_next(struct stream *stream)
{
    struct ft_diag diag;
    while (stream->at == stream->count) {
        const uint8_t *payload;
        struct ft_log_state state;
        int status = FT_OK;
        stream->at = 0;
        if (stream->chunk)
            status =
                ft_log_decoder_next(stream->decoder, stream->records, BATCH, &stream->count, &diag);
        if (status == FT_OK && stream->count == 0) {
            if (stream->chunk == ft_trace_log_count(stream->trace, stream->thread))
                return NULL;
            const struct ft_chunk_description *log =
                ft_trace_log(stream->trace, stream->thread, stream->chunk);
            status = ft_trace_log_read(stream->trace, stream->thread, stream->chunk++,
                                       &stream->buffer, &payload, &diag);
            if (status == FT_OK)
                status = ft_log_decoder_start(stream->decoder, payload, log->payload_bytes,
                                              log->totals.instructions, &state, &diag);
        }
        if (status) {
            printf("# %s\n", diag.message);
            exit(1);
        }
    }
    return &stream->records[stream->at++];
}

static bool same_unit(const struct ft_unit *a, const struct ft_unit *b)
{
    return a && b && a->pc == b->pc && a->kind == b->kind && a->code_bytes == b->code_bytes &&
           a->slot_count == b->slot_count && memcmp(a->code, b->code, a->code_bytes) == 0;
}

/* Escapes carry numbers of events and times, which no two captures share. */
static bool same_record(const struct stream *a, const struct ft_record *left,
                        const struct stream *b, const struct ft_record *right)
{
    if (left->unit == 0 || right->unit == 0)
        return left->unit == right->unit && left->escape == right->escape;
    return same_unit(ft_trace_unit(a->trace, left->unit), ft_trace_unit(b->trace, right->unit)) &&
           left->iteration_count == right->iteration_count &&
           left->value_count == right->value_count &&
           memcmp(left->values, right->values, left->value_count * sizeof *left->values) == 0;
}

/* Whether `part` is `whole` with fewer iterations. */
static bool is_cut_loop(const struct stream *a, const struct ft_record *whole,
                        const struct stream *b, const struct ft_record *part)
{
    if (whole->unit == 0 || part->unit == 0)
        return false;
    const struct ft_unit *unit = ft_trace_unit(a->trace, whole->unit);
    return same_unit(unit, ft_trace_unit(b->trace, part->unit)) && unit->kind == FT_UNIT_LOOP &&
           part->iteration_count < whole->iteration_count &&
           part->value_count <= whole->value_count &&
           memcmp(whole->values, part->values, part->value_count * sizeof *part->values) == 0;
}

static bool is_prefix(struct ft_trace *whole, struct ft_trace *part, uint32_t thread,
                      uint64_t *count)
{
    static struct stream a, b;
    const struct ft_record *left = NULL, *right;
    bool same = true;
    stream_init(&a, whole, thread);
    stream_init(&b, part, thread);
    while (same && (right = stream_next(&b))) {
        left = stream_next(&a);
        same = left && same_record(&a, left, &b, right);
        *count += same;
    }
    if (!same)
        same = left && is_cut_loop(&a, left, &b, right) && !stream_next(&b);
    stream_fini(&a);
    stream_fini(&b);
    return same;
}

int main(int argc, char **argv)
{
    static const struct ft_trace_options incomplete = {.allow_incomplete = true};
    struct ft_trace *whole, *part;
    struct ft_diag diag = {0};
    uint64_t records = 0;
    if (argc != 3 || ft_trace_open(argv[1], NULL, &whole, &diag)) {
        printf("# %s\n", argc == 3 ? diag.message : "usage: check_lost WHOLE PART");
        return 1;
    }
    look_for_chunks(argv[2]);
    bool has_metadata = false;
    for (size_t i = 0; i < group_count; i++)
        has_metadata |= groups[i].kind == FT_CHUNK_METADATA;
    if (ft_trace_open(argv[2], &incomplete, &part, &diag)) {
        printf("# %s%s\n", diag.message, has_metadata ? ", although its start is there" : "");
        ft_trace_close(whole);
        free_groups();
        return has_metadata ? 1 : 2;
    }
    bool good = all_delivered(part);
    for (uint32_t thread = 0; good && thread < ft_trace_thread_count(part); thread++)
        good = is_prefix(whole, part, thread, &records);
    printf("# %llu records, %s\n", (unsigned long long)records,
           good ? "the first of the whole trace" : "and there something is missing or different");
    ft_trace_close(part);
    ft_trace_close(whole);
    free_groups();
    return !good;
}
