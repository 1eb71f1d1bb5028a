/*
 * For each raw record, its unit is compared with the one predicted from the last units, and each
 * value with its word's prediction. A misprediction is written as a code and a literal, to the
 * stream of the literal's width (log_codec.h), so that zstd sees like beside like. The unit's
 * program counts what the record executed (instructions, accesses, stack pointer) along the way.
 *
 * Nearly all records are plain units that always count the same, which one tight loop handles
 * (append_fixed); append_record handles the rest. Before an append, streams have room for its worst
 * case, so that inner loops write without checks. The items of loops are first cut into spans
 * (span_encoder.h).
 */
#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/codec/encoded_units.h"
#include "formats/codec/log_spans.h"
#include "formats/codec/span_encoder.h"

#define RAW_BYTES_MAX (32U << 20) /* of a chunk */
#define HEADER_BYTES  (17 + 10 * (1 + FT_LOG_STREAM_COUNT + 2))
#define STREAM_SLACK  64U
/* A record of the tight loop. */
#define FIXED_BYTES_MAX (sizeof(uint32_t) + 8 * FT_LOG_FIXED_WORDS_MAX)
/* Keeps a branch a branch: the processor then predicts where the next record starts, where a
 * conditional move would have to wait for the size. */
#define KEEP_BRANCH() __asm__ volatile("")

struct ft_log_encoder {
    struct ft_log_memory memory;
    struct ft_bytes streams[FT_LOG_STREAM_COUNT];
    struct ft_span_encoder spans;
    struct ft_encoded_units units;
    uint64_t *values; /* of the current record: the count of a loop, then as in ft_record */
    size_t value_capacity;
    struct ft_log_state start, state;
    struct ft_log_totals totals;
    size_t raw_bytes; /* appended to this chunk */
};

int ft_log_encoder_create(struct ft_log_encoder **ret_encoder, struct ft_diag *diag)
{
    struct ft_log_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return ft_fail_memory(diag, "the log encoder");
    int status = ft_log_memory_init(&encoder->memory, diag);
    if (status == FT_OK && !ft_span_encoder_init(&encoder->spans))
        status = ft_fail_memory(diag, "the log encoder");
    if (status) {
        ft_log_encoder_destroy(encoder);
        return status;
    }
    *ret_encoder = encoder;
    return FT_OK;
}

void ft_log_encoder_destroy(struct ft_log_encoder *encoder)
{
    if (!encoder)
        return;
    ft_log_memory_fini(&encoder->memory);
    ft_span_encoder_fini(&encoder->spans);
    for (int i = 0; i < FT_LOG_STREAM_COUNT; i++)
        ft_bytes_fini(&encoder->streams[i]);
    ft_encoded_units_fini(&encoder->units);
    free(encoder->values);
    free(encoder);
}

void ft_log_encoder_start(struct ft_log_encoder *encoder, const struct ft_log_state *state)
{
    ft_log_memory_reset(&encoder->memory);
    for (int i = 0; i < FT_LOG_STREAM_COUNT; i++)
        encoder->streams[i].length = 0;
    ft_span_encoder_reset(&encoder->spans);
    encoder->start = encoder->state = *state;
    encoder->totals = (struct ft_log_totals){0};
    encoder->raw_bytes = 0;
}

/* A record takes at most half as much again as it did raw: an unexpected unit, or an unexpected
 * value of 4 bytes in an iteration, takes that. */
static size_t encoded_bytes_max(size_t raw_bytes)
{
    return raw_bytes + raw_bytes / 2;
}

/* The payload that finish would give now, at most. */
static size_t payload_bytes(const struct ft_log_encoder *encoder)
{
    size_t bytes = HEADER_BYTES + encoder->spans.spans.length + encoder->spans.packed.length;
    for (int i = 0; i < FT_LOG_STREAM_COUNT; i++)
        bytes += encoder->streams[i].length;
    return bytes;
}

bool ft_log_encoder_fits(const struct ft_log_encoder *encoder, size_t raw_bytes)
{
    return raw_bytes <= FT_LOG_APPEND_BYTES_MAX &&
           encoder->raw_bytes + raw_bytes <= RAW_BYTES_MAX &&
           payload_bytes(encoder) + encoded_bytes_max(raw_bytes) <= FT_CHUNK_PAYLOAD_BYTES_MAX;
}

static inline void put_byte(struct ft_log_encoder *encoder, enum ft_log_stream stream,
                            unsigned byte)
{
    struct ft_bytes *bytes = &encoder->streams[stream];
    bytes->data[bytes->length++] = (uint8_t)byte;
}

static inline void put_literal(struct ft_log_encoder *encoder, enum ft_log_stream stream,
                               uint64_t value, size_t size)
{
    struct ft_bytes *bytes = &encoder->streams[stream];
    memcpy(bytes->data + bytes->length, &value, size);
    bytes->length += size;
}

static inline bool fits_signed(uint64_t value, unsigned bits)
{
    return value + ((uint64_t)1 << (bits - 1)) < (uint64_t)1 << bits;
}

/* Codes the value of a word that was not predicted. */
static __attribute__((noinline)) void
put_miss(struct ft_log_encoder *encoder, struct ft_log_word *word, uint64_t latest, uint64_t value)
{
    uint64_t to_last = value - word->last;
    uint64_t to_latest = value - latest;
    enum ft_log_code code;
    if (to_last == 0)
        code = FT_LOG_LAST;
    else if (to_last == word->stride)
        code = FT_LOG_STRIDE;
    else if (to_latest == word->offset)
        code = FT_LOG_OFFSET;
    else if (fits_signed(to_last, 8))
        code = FT_LOG_LAST_8;
    else if (fits_signed(to_latest, 8))
        code = FT_LOG_LATEST_8;
    else if (fits_signed(to_last, 16))
        code = FT_LOG_LAST_16;
    else if (fits_signed(to_latest, 16))
        code = FT_LOG_LATEST_16;
    else if (word->size_bytes == 4)
        code = FT_LOG_ABSOLUTE;
    else if (fits_signed(to_last, 32))
        code = FT_LOG_LAST_32;
    else if (fits_signed(to_latest, 32))
        code = FT_LOG_LATEST_32;
    else
        code = FT_LOG_ABSOLUTE;
    put_byte(encoder, FT_LOG_CODES, code);
    switch (code) {
    case FT_LOG_LAST:
    case FT_LOG_STRIDE:
    case FT_LOG_OFFSET:
        word->code = (uint8_t)code;
        break;
    case FT_LOG_LAST_8:
        put_literal(encoder, FT_LOG_LITERALS_1, to_last, 1);
        break;
    case FT_LOG_LATEST_8:
        put_literal(encoder, FT_LOG_LITERALS_1, to_latest, 1);
        break;
    case FT_LOG_LAST_16:
        put_literal(encoder, FT_LOG_LITERALS_2, to_last, 2);
        break;
    case FT_LOG_LATEST_16:
        put_literal(encoder, FT_LOG_LITERALS_2, to_latest, 2);
        break;
    case FT_LOG_LAST_32:
        put_literal(encoder, FT_LOG_LITERALS_4, to_last, 4);
        break;
    case FT_LOG_LATEST_32:
        put_literal(encoder, FT_LOG_LITERALS_4, to_latest, 4);
        break;
    default:
        if (word->size_bytes == 4)
            put_literal(encoder, FT_LOG_LITERALS_4, value, 4);
        else
            put_literal(encoder, FT_LOG_LITERALS_8, value, 8);
        break;
    }
}

static inline void put_item(struct ft_log_encoder *encoder, struct ft_log_word *words, size_t count,
                            const uint64_t *values, unsigned shape)
{
    uint64_t *latest = encoder->memory.latest;
    unsigned bit = 1;
    for (size_t i = 0; i < count; i++, bit++) {
        struct ft_log_word *word = &words[i];
        uint64_t *source = &latest[word->source];
        if (bit == 8) {
            put_byte(encoder, FT_LOG_SHAPES, shape);
            shape = 0;
            bit = 0;
        }
        if (values[i] != ft_log_predict(word, *source)) {
            shape |= 1U << bit;
            put_miss(encoder, word, *source, values[i]);
        }
        ft_log_learn(word, source, values[i]);
    }
    put_byte(encoder, FT_LOG_SHAPES, shape);
}

static void put_varint(struct ft_log_encoder *encoder, enum ft_log_stream stream, uint64_t value)
{
    for (; value > 0x7f; value >>= 7)
        put_byte(encoder, stream, 0x80 | (value & 0x7f));
    put_byte(encoder, stream, (unsigned)value);
}

/* Returns bit 0 of the record's shape, and moves the memory on to the unit. */
static inline unsigned put_unit(struct ft_log_encoder *encoder, uint32_t id)
{
    struct ft_log_memory *memory = &encoder->memory;
    uint32_t *successor = ft_log_successor(memory);
    struct ft_log_unit *previous = &memory->units[memory->previous];
    unsigned missed = *successor != id;
    if (missed)
        put_varint(encoder, FT_LOG_UNITS, previous->successor == id ? 0 : (uint64_t)id + 1);
    previous->successor = id;
    ft_log_follow(memory, successor, id);
    return missed;
}

size_t ft_log_encoder_met(struct ft_log_encoder *encoder, const uint32_t **ret_units)
{
    size_t count = encoder->units.met_count;
    encoder->units.met_count = 0;
    *ret_units = encoder->units.met;
    return count;
}

static void count_record(struct ft_log_encoder *encoder, const struct ft_unit_program *program,
                         const struct ft_record *record)
{
    ft_unit_program_count(program, record, &encoder->state, &encoder->totals);
}

/* The items of a loop's iterations, and of the one that left it early. `values` has room for all.
 */
static bool put_iterations(struct ft_log_encoder *encoder, struct ft_log_word *words,
                           struct ft_span_items *items, uint64_t *values,
                           size_t last_iteration_words)
{
    items->values = values;
    ft_items_widen(words, items->word_count, items->count, items->raw, values);
    if (!ft_span_encoder_begin(&encoder->spans, items))
        return false;
    for (size_t done = 0, count; done < items->count; done += count) {
        enum ft_span_kind kind =
            ft_span_encoder_next(&encoder->spans, items, done, words->last, &count);
        if (kind == FT_SPAN_CODED)
            for (size_t i = 0; i < count; i++, values += items->word_count)
                put_item(encoder, words, items->word_count, values, 0);
        else
            ft_words_learn_span(words, items->word_count, count, values, encoder->memory.latest);
        values += kind == FT_SPAN_CODED ? 0 : count * items->word_count;
    }
    if (last_iteration_words == 0)
        return true;
    ft_words_widen(words, last_iteration_words, items->raw + items->count * items->item_bytes,
                   values);
    if (ft_span_encoder_last_iteration(&encoder->spans, items) == FT_SPAN_CODED)
        put_item(encoder, words, last_iteration_words, values, 0);
    else
        ft_words_learn_span(words, last_iteration_words, 1, values, encoder->memory.latest);
    return true;
}

static int append_loop(struct ft_log_encoder *encoder, struct ft_raw_log *raw,
                       const struct ft_encoded_unit *encoded, const struct ft_log_unit *entry,
                       unsigned shape, struct ft_diag *diag)
{
    struct ft_log_word *words = &encoder->memory.words[entry->first_word];
    uint64_t end_word;
    memcpy(&end_word, raw->data + raw->position, 8);
    ft_words_widen(words + 1, entry->head_words - 1U, raw->data + raw->position + 8,
                   encoder->values + 1);
    size_t position = raw->position + entry->head_bytes;
    uint64_t count = ft_encoded_unit_iterations(encoded, end_word, encoder->values + 1,
                                                sizeof(uint32_t) + entry->head_bytes);
    if (encoded->iteration_bytes &&
        (count > (raw->length - position) / encoded->iteration_bytes ||
         raw->length - position - count * encoded->iteration_bytes < encoded->last_iteration_bytes))
        return ft_raw_log_fail(raw, encoded->unit->id,
                               "its iterations extend past the end of the buffer", diag);
    size_t value_count = (size_t)entry->head_words + entry->last_iteration_words;
    if (entry->iteration_words)
        value_count += entry->iteration_words * count;
    if (value_count > FT_LOG_RECORD_VALUES_MAX)
        return ft_raw_log_fail(raw, encoded->unit->id, "its record has too many values", diag);
    if (!FT_RESERVE(encoder->values, encoder->value_capacity, value_count))
        return ft_fail_memory(diag, "the log encoder");
    uint64_t *values = encoder->values;
    values[0] = count;
    put_item(encoder, words, entry->head_words, values, shape);
    if (entry->iteration_words) {
        struct ft_span_items items = {.raw = raw->data + position,
                                      .count = count,
                                      .word_count = entry->iteration_words,
                                      .item_bytes = encoded->iteration_bytes,
                                      .last_iteration_bytes = encoded->last_iteration_bytes};
        if (!put_iterations(encoder, words + entry->head_words, &items, values + entry->head_words,
                            entry->last_iteration_words))
            return ft_fail_memory(diag, "the log encoder");
        position += count * encoded->iteration_bytes + encoded->last_iteration_bytes;
    }
    raw->position = position;
    struct ft_record record = {.unit = encoded->unit->id,
                               .iteration_count = count,
                               .values = values + 1,
                               .value_count = value_count - 1};
    count_record(encoder, encoded->program, &record);
    return FT_OK;
}

/* A unit's first record in this chunk. */
static int prepare_unit(struct ft_log_encoder *encoder, const struct ft_raw_log *raw,
                        const struct ft_unit_table *units, uint32_t id, struct ft_diag *diag)
{
    FT_TRY(ft_log_memory_learn_unit(&encoder->memory, units, id, diag));
    return ft_encoded_units_make(&encoder->units, &encoder->memory, units, id, raw, diag);
}

/* The values of PARTIAL: those of the slots up to its last instruction. */
static int append_partial(struct ft_log_encoder *encoder, struct ft_raw_log *raw,
                          const struct ft_unit_table *units, struct ft_diag *diag)
{
    uint32_t fields[2];
    if (raw->length - raw->position < sizeof fields)
        return ft_raw_log_fail(raw, 0, "cut off", diag);
    memcpy(fields, raw->data + raw->position, sizeof fields);
    uint32_t id = fields[0];
    if (!ft_log_unit_ready(&encoder->memory, id))
        FT_TRY(prepare_unit(encoder, raw, units, id, diag));
    if (id == 0 || fields[1] > encoder->units.items[id].unit->instruction_count)
        return ft_raw_log_fail(raw, id, "a partial record of it is inconsistent", diag);
    raw->position += sizeof fields;
    FT_TRY(ft_encoded_unit_program(&encoder->units.items[id], diag));
    const struct ft_unit *unit = encoder->units.items[id].unit;
    uint64_t *values = encoder->values;
    size_t count = 0;
    values[count++] = id;
    values[count++] = fields[1];
    for (unsigned i = 0; i < unit->slot_count; i++) {
        const struct ft_slot *slot = &unit->slots[i];
        if (slot->instruction > fields[1])
            continue;
        if (slot->size_bytes > raw->length - raw->position)
            return ft_raw_log_fail(raw, id, "cut off", diag);
        for (unsigned at = 0; at < slot->size_bytes; at += 8) {
            uint64_t value = 0;
            memcpy(&value, raw->data + raw->position + at, slot->size_bytes < 8 ? 4 : 8);
            values[count++] = value;
        }
        raw->position += slot->size_bytes;
    }
    for (size_t i = 0; i < count; i++)
        put_varint(encoder, FT_LOG_ESCAPES, values[i]);
    struct ft_record record = {
        .escape = FT_ESCAPE_PARTIAL, .iteration_count = 1, .values = values, .value_count = count};
    count_record(encoder, encoder->units.items[id].program, &record);
    return FT_OK;
}

static int append_escape(struct ft_log_encoder *encoder, struct ft_raw_log *raw,
                         const struct ft_unit_table *units, struct ft_diag *diag)
{
    uint32_t kind;
    if (raw->length - raw->position < sizeof kind)
        return ft_raw_log_fail(raw, 0, "cut off", diag);
    memcpy(&kind, raw->data + raw->position, sizeof kind);
    raw->position += sizeof kind;
    put_varint(encoder, FT_LOG_ESCAPES, kind);
    if (kind == FT_ESCAPE_PARTIAL)
        return append_partial(encoder, raw, units, diag);
    if (kind < FT_ESCAPE_STACK || kind >= FT_ESCAPE_END)
        return ft_raw_log_fail(raw, 0, "an escape of unknown kind", diag);
    uint64_t fields[FT_ESCAPE_FIELDS_MAX];
    if (raw->length - raw->position < sizeof *fields)
        return ft_raw_log_fail(raw, 0, "cut off", diag);
    memcpy(fields, raw->data + raw->position, sizeof *fields);
    size_t count = ft_escape_fields(kind, fields[0]), bytes = count * sizeof *fields;
    if (raw->length - raw->position < bytes)
        return ft_raw_log_fail(raw, 0, "cut off", diag);
    memcpy(fields, raw->data + raw->position, bytes);
    raw->position += bytes;
    for (size_t i = 0; i < count; i++)
        put_varint(encoder, FT_LOG_ESCAPES, fields[i]);
    struct ft_record record = {
        .escape = kind, .iteration_count = 1, .values = fields, .value_count = count};
    count_record(encoder, NULL, &record);
    return FT_OK;
}

static int append_record(struct ft_log_encoder *encoder, const struct ft_unit_table *units,
                         struct ft_raw_log *raw, struct ft_diag *diag)
{
    struct ft_log_memory *memory = &encoder->memory;
    uint32_t id;
    if (raw->length - raw->position < sizeof id)
        return ft_raw_log_fail(raw, 0, "cut off", diag);
    memcpy(&id, raw->data + raw->position, sizeof id);
    struct ft_log_unit *entry = ft_log_unit_ready(memory, id);
    if (!entry) {
        FT_TRY(prepare_unit(encoder, raw, units, id, diag));
        entry = &memory->units[id];
    }
    raw->position += sizeof id;
    if (id == 0) {
        put_byte(encoder, FT_LOG_SHAPES, put_unit(encoder, id));
        return append_escape(encoder, raw, units, diag);
    }
    const struct ft_encoded_unit *encoded = &encoder->units.items[id];
    if (raw->length - raw->position < entry->head_bytes)
        return ft_raw_log_fail(raw, id, "cut off", diag);
    unsigned shape = put_unit(encoder, id);
    if (entry->is_loop)
        return append_loop(encoder, raw, encoded, entry, shape, diag);
    struct ft_log_word *words = &memory->words[entry->first_word];
    ft_words_widen(words, entry->head_words, raw->data + raw->position, encoder->values);
    put_item(encoder, words, entry->head_words, encoder->values, shape);
    raw->position += entry->head_bytes;
    if (entry->is_fixed) {
        encoder->totals.instructions += entry->each_instructions;
        encoder->totals.accesses += entry->each_accesses;
        encoder->totals.prefetches += entry->each_prefetches;
        encoder->state.rsp += (uint64_t)(int64_t)entry->each_rsp;
        return FT_OK;
    }
    struct ft_record record = {.unit = id,
                               .iteration_count = 1,
                               .values = encoder->values,
                               .value_count = entry->head_words};
    count_record(encoder, encoded->program, &record);
    return FT_OK;
}

/* Encodes the words of a plain unit of fixed counts; returns the end of its record. */
static inline __attribute__((always_inline)) const uint8_t *
append_fixed_words(struct ft_log_encoder *encoder, const struct ft_log_unit *unit,
                   const uint8_t *at, uint8_t **shapes, unsigned *shape)
{
    struct ft_log_memory *memory = &encoder->memory;
    struct ft_log_word *word = &memory->words[unit->first_word];
    const struct ft_log_word *words_end = word + unit->head_words;
    for (unsigned bit = 1; word < words_end; bit++, word++) {
        if (bit == 8) {
            *(*shapes)++ = (uint8_t)*shape;
            *shape = bit = 0;
        }
        uint64_t *source = &memory->latest[word->source];
        uint64_t value;
        if (word->size_bytes == 4) {
            uint32_t half;
            memcpy(&half, at, sizeof half);
            value = half;
            at += sizeof half;
            KEEP_BRANCH();
        } else {
            memcpy(&value, at, sizeof value);
            at += sizeof value;
        }
        if (value != ft_log_predict(word, *source)) {
            *shape |= 1U << bit;
            put_miss(encoder, word, *source, value);
        }
        ft_log_learn(word, source, value);
    }
    return at;
}

/* Encodes plain units of fixed counts up to the first other record. What changes with every record
 * is kept in local variables, as bytes stored through pointers might alias anything. The expected
 * unit is read a record ahead: its table does not fit the first-level cache, and a misprediction is
 * only discovered once the entry has arrived. */
static void append_fixed(struct ft_log_encoder *encoder, struct ft_raw_log *raw)
{
    struct ft_log_memory *memory = &encoder->memory;
    struct ft_bytes *shape_stream = &encoder->streams[FT_LOG_SHAPES];
    const uint8_t *at = raw->data + raw->position, *end = raw->data + raw->length;
    uint8_t *shapes = shape_stream->data + shape_stream->length;
    struct ft_log_unit *units = memory->units, *previous = &units[memory->previous];
    struct ft_log_totals totals = encoder->totals;
    uint64_t rsp = encoder->state.rsp;
    uint32_t history = memory->history, epoch = memory->epoch;
    uint32_t *successor = &memory->successors[history >> (32 - FT_LOG_HISTORY_BITS)];
    uint32_t expected = *successor;
    while ((size_t)(end - at) >= FIXED_BYTES_MAX) {
        uint32_t id;
        memcpy(&id, at, sizeof id);
        if (id >= memory->unit_count)
            break;
        struct ft_log_unit *unit = &units[id];
        if (unit->fixed_epoch != epoch)
            break;
        unsigned shape = 0;
        at += sizeof id;
        if (expected != id) {
            shape = 1;
            put_varint(encoder, FT_LOG_UNITS, previous->successor == id ? 0 : (uint64_t)id + 1);
            *successor = id;
        }
        previous->successor = id;
        previous = unit;
        history = ft_log_history(history, id);
        successor = &memory->successors[history >> (32 - FT_LOG_HISTORY_BITS)];
        expected = *successor;
        at = append_fixed_words(encoder, unit, at, &shapes, &shape);
        *shapes++ = (uint8_t)shape;
        totals.records++;
        totals.instructions += unit->each_instructions;
        totals.accesses += unit->each_accesses;
        totals.prefetches += unit->each_prefetches;
        rsp += (uint64_t)(int64_t)unit->each_rsp;
    }
    raw->position = (size_t)(at - raw->data);
    shape_stream->length = (size_t)(shapes - shape_stream->data);
    encoder->totals = totals;
    encoder->state.rsp = rsp;
    memory->history = history;
    memory->previous = (uint32_t)(previous - units);
}

int ft_log_encoder_append(struct ft_log_encoder *encoder, const struct ft_unit_table *units,
                          const uint8_t *records, size_t bytes, struct ft_diag *diag)
{
    if (!FT_RESERVE(encoder->values, encoder->value_capacity, FT_LOG_UNIT_WORDS_MAX + 2))
        return ft_fail_memory(diag, "the log encoder");
    for (int i = 0; i < FT_LOG_STREAM_COUNT; i++) {
        struct ft_bytes *stream = &encoder->streams[i];
        if (!FT_RESERVE(stream->data, stream->capacity,
                        stream->length + encoded_bytes_max(bytes) + STREAM_SLACK))
            return ft_fail_memory(diag, "the log encoder");
    }
    struct ft_raw_log raw = {records, bytes, 0};
    for (append_fixed(encoder, &raw); raw.position < raw.length; append_fixed(encoder, &raw)) {
        FT_TRY(append_record(encoder, units, &raw, diag));
        encoder->totals.records++;
    }
    encoder->raw_bytes += bytes;
    return FT_OK;
}

int ft_log_encoder_finish(struct ft_log_encoder *encoder, struct ft_bytes *ret_payload,
                          struct ft_log_totals *ret_totals, struct ft_log_state *ret_next)
{
    const struct ft_span_encoder *spans = &encoder->spans;
    ft_span_encoder_finish(&encoder->spans);
    bool has_spans = spans->spans.length > 0;
    ret_payload->length = 0;
    ret_payload->failed = spans->spans.failed;
    ft_put_u64(ret_payload, encoder->start.rsp);
    ft_put_u64(ret_payload, encoder->start.fs_base);
    ft_put_u8(ret_payload, encoder->start.direction_down | (has_spans ? FT_LOG_HAS_SPANS : 0));
    ft_put_varint(ret_payload, encoder->totals.records);
    for (int i = 0; i < FT_LOG_STREAM_COUNT; i++)
        ft_put_varint(ret_payload, encoder->streams[i].length);
    if (has_spans) {
        ft_put_varint(ret_payload, spans->spans.length);
        ft_put_varint(ret_payload, spans->packed.length);
    }
    for (int i = 0; i < FT_LOG_STREAM_COUNT; i++)
        ft_put(ret_payload, encoder->streams[i].data, encoder->streams[i].length);
    ft_put(ret_payload, spans->spans.data, has_spans ? spans->spans.length : 0);
    ft_put(ret_payload, spans->packed.data, has_spans ? spans->packed.length : 0);
    if (ret_payload->failed)
        return FT_ERROR_MEMORY;
    *ret_totals = encoder->totals;
    ret_totals->has_spans = has_spans;
    *ret_next = encoder->state;
    return FT_OK;
}
