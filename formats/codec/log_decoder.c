/*
 * The inverse of the encoder: the shape of each item says which words follow their predictor; the
 * others take a code and a literal from their streams. Every stream is bounded by the payload and
 * every read is checked, so that damage that passes the checksum ends in an error.
 *
 * The values of a batch share one array; a batch ends with the record that fills it.
 */
#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/codec/log_codec.h"
#include "formats/codec/span_decoder.h"

#define BATCH_VALUES (1U << 15)

struct stream {
    const uint8_t *at, *end;
};

struct ft_log_decoder {
    struct ft_log_memory memory;
    const struct ft_unit_table *units;
    struct stream streams[FT_LOG_STREAM_COUNT];
    struct ft_span_decoder spans;
    uint64_t *values;
    size_t value_capacity, value_count;
    uint64_t records, record_count; /* decoded so far; of the whole chunk */
    uint64_t loop_instructions;     /* that loops still to come may have run */
};

int ft_log_decoder_create(const struct ft_unit_table *units, struct ft_log_decoder **ret_decoder,
                          struct ft_diag *diag)
{
    struct ft_log_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder)
        return ft_fail_memory(diag, "the log decoder");
    decoder->units = units;
    int status = ft_log_memory_init(&decoder->memory, diag);
    if (status == FT_OK && !FT_RESERVE(decoder->values, decoder->value_capacity,
                                       BATCH_VALUES + FT_LOG_UNIT_WORDS_MAX + 2))
        status = ft_fail_memory(diag, "the log decoder");
    if (status) {
        ft_log_decoder_destroy(decoder);
        return status;
    }
    *ret_decoder = decoder;
    return FT_OK;
}

void ft_log_decoder_destroy(struct ft_log_decoder *decoder)
{
    if (!decoder)
        return;
    ft_log_memory_fini(&decoder->memory);
    ft_span_decoder_fini(&decoder->spans);
    free(decoder->values);
    free(decoder);
}

static int broken(const struct ft_log_decoder *decoder, struct ft_diag *diag, const char *what)
{
    return ft_fail(diag, FT_ERROR_DATA, "record %llu: %s", (unsigned long long)decoder->records,
                   what);
}

int ft_log_decoder_start(struct ft_log_decoder *decoder, const uint8_t *payload, size_t bytes,
                         uint64_t instructions, struct ft_log_state *ret_state,
                         struct ft_diag *diag)
{
    struct ft_cursor cursor = {.data = payload, .length = bytes};
    struct ft_log_state state;
    uint64_t lengths[FT_LOG_STREAM_COUNT], span_lengths[2] = {0};
    struct ft_cursor spans[2] = {{0}};
    state.rsp = ft_get_u64(&cursor);
    state.fs_base = ft_get_u64(&cursor);
    unsigned flags = ft_get_u8(&cursor);
    state.direction_down = (flags & ~FT_LOG_HAS_SPANS) != 0;
    ft_log_memory_reset(&decoder->memory);
    decoder->records = 0;
    decoder->loop_instructions = instructions;
    decoder->record_count = ft_get_varint(&cursor);
    for (int i = 0; i < FT_LOG_STREAM_COUNT; i++)
        lengths[i] = ft_get_varint(&cursor);
    for (int i = 0; i < 2 && flags & FT_LOG_HAS_SPANS; i++)
        span_lengths[i] = ft_get_varint(&cursor);
    for (int i = 0; i < FT_LOG_STREAM_COUNT; i++) {
        const uint8_t *data = ft_get(&cursor, lengths[i]);
        decoder->streams[i] = (struct stream){data, data ? data + lengths[i] : NULL};
    }
    for (int i = 0; i < 2 && flags & FT_LOG_HAS_SPANS; i++)
        spans[i] =
            (struct ft_cursor){.data = ft_get(&cursor, span_lengths[i]), .length = span_lengths[i]};
    ft_span_decoder_start(&decoder->spans, spans[0], spans[1]);
    if (cursor.failed || cursor.position != bytes)
        return ft_fail(diag, FT_ERROR_DATA, "the streams of the log do not fill its payload");
    *ret_state = state;
    return FT_OK;
}

static inline bool get_literal(struct stream *stream, size_t size, uint64_t *ret_value)
{
    if ((size_t)(stream->end - stream->at) < size)
        return false;
    uint64_t value = 0;
    memcpy(&value, stream->at, size);
    stream->at += size;
    *ret_value = value;
    return true;
}

static bool get_varint(struct stream *stream, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && stream->at < stream->end; shift += 7) {
        uint8_t byte = *stream->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *ret_value = value;
            return true;
        }
    }
    return false;
}

static inline bool get_difference(struct stream *stream, size_t size, uint64_t *ret_value)
{
    uint64_t value;
    if (!get_literal(stream, size, &value))
        return false;
    unsigned shift = 64 - 8 * (unsigned)size;
    *ret_value = (uint64_t)((int64_t)(value << shift) >> shift);
    return true;
}

/* The value of a word that was not predicted. */
static bool get_miss(struct ft_log_decoder *decoder, struct ft_log_word *word, uint64_t latest,
                     uint64_t *ret_value)
{
    struct stream *streams = decoder->streams;
    if (streams[FT_LOG_CODES].at >= streams[FT_LOG_CODES].end)
        return false;
    unsigned code = *streams[FT_LOG_CODES].at++;
    uint64_t base = word->last;
    switch (code) {
    case FT_LOG_LAST:
    case FT_LOG_STRIDE:
    case FT_LOG_OFFSET:
        word->code = (uint8_t)code;
        *ret_value = ft_log_predict(word, latest);
        return true;
    case FT_LOG_LATEST_8:
        base = latest; /* fall through */
    case FT_LOG_LAST_8:
        if (!get_difference(&streams[FT_LOG_LITERALS_1], 1, ret_value))
            return false;
        break;
    case FT_LOG_LATEST_16:
        base = latest; /* fall through */
    case FT_LOG_LAST_16:
        if (!get_difference(&streams[FT_LOG_LITERALS_2], 2, ret_value))
            return false;
        break;
    case FT_LOG_LATEST_32:
        base = latest; /* fall through */
    case FT_LOG_LAST_32:
        if (!get_difference(&streams[FT_LOG_LITERALS_4], 4, ret_value))
            return false;
        break;
    case FT_LOG_ABSOLUTE:
        return word->size_bytes == 4 ? get_literal(&streams[FT_LOG_LITERALS_4], 4, ret_value)
                                     : get_literal(&streams[FT_LOG_LITERALS_8], 8, ret_value);
    default:
        return false;
    }
    *ret_value += base;
    return true;
}

/* Bit 0 of `shape` has been used; further shape bytes are taken as needed. */
static inline bool get_item(struct ft_log_decoder *decoder, struct ft_log_word *words, size_t count,
                            unsigned shape, uint64_t *values)
{
    uint64_t *latest = decoder->memory.latest;
    unsigned bit = 1;
    for (size_t i = 0; i < count; i++, bit++) {
        struct ft_log_word *word = &words[i];
        uint64_t *source = &latest[word->source];
        if (bit == 8) {
            struct stream *shapes = &decoder->streams[FT_LOG_SHAPES];
            if (shapes->at >= shapes->end)
                return false;
            shape = *shapes->at++;
            bit = 0;
        }
        uint64_t value;
        if (!(shape >> bit & 1))
            value = ft_log_predict(word, *source);
        else if (!get_miss(decoder, word, *source, &value))
            return false;
        ft_log_learn(word, source, value);
        values[i] = value;
    }
    return true;
}

static inline bool get_unit(struct ft_log_decoder *decoder, unsigned shape, uint32_t *ret_id)
{
    struct ft_log_memory *memory = &decoder->memory;
    uint32_t *successor = ft_log_successor(memory);
    struct ft_log_unit *previous = &memory->units[memory->previous];
    uint32_t id = *successor;
    if (shape & 1) {
        uint64_t coded;
        if (!get_varint(&decoder->streams[FT_LOG_UNITS], &coded) || coded > UINT32_MAX)
            return false;
        id = coded ? (uint32_t)coded - 1 : previous->successor;
    }
    previous->successor = id;
    ft_log_follow(memory, successor, id);
    *ret_id = id;
    return true;
}

static int get_escape(struct ft_log_decoder *decoder, uint64_t *values, struct ft_record *record,
                      struct ft_diag *diag)
{
    struct stream *stream = &decoder->streams[FT_LOG_ESCAPES];
    uint64_t kind;
    size_t count = 0;
    if (!get_varint(stream, &kind) || kind < FT_ESCAPE_STACK || kind >= FT_ESCAPE_END)
        return broken(decoder, diag, "an escape of unknown kind");
    while (count < 1 || count < ft_escape_fields((uint32_t)kind, values[0]))
        if (!get_varint(stream, &values[count++]))
            return broken(decoder, diag, "the escapes are cut off");
    if (kind == FT_ESCAPE_PARTIAL) {
        uint64_t id = values[0];
        if (!get_varint(stream, &values[count++]))
            return broken(decoder, diag, "the escapes are cut off");
        if (id == 0 || id >= decoder->units->count || !decoder->units->units[id] ||
            values[1] > decoder->units->units[id]->instruction_count)
            return broken(decoder, diag, "a partial record of an unknown unit");
        if (!ft_log_unit_ready(&decoder->memory, (uint32_t)id))
            FT_TRY(ft_log_memory_learn_unit(&decoder->memory, decoder->units, (uint32_t)id, diag));
        const struct ft_unit *unit = decoder->units->units[id];
        for (unsigned i = 0; i < unit->slot_count; i++)
            if (unit->slots[i].instruction <= values[1])
                for (unsigned k = 0; k < ft_slot_words(&unit->slots[i]); k++)
                    if (!get_varint(stream, &values[count++]))
                        return broken(decoder, diag, "the escapes are cut off");
    }
    *record = (struct ft_record){
        .escape = (uint32_t)kind, .iteration_count = 1, .values = values, .value_count = count};
    return FT_OK;
}

/* Makes room for the values of a loop's iterations after its head, which has been read; where the
 * array moves, so do the values of the batch's earlier records. */
static int make_room(struct ft_log_decoder *decoder, const struct ft_log_unit *entry,
                     uint64_t count, struct ft_record *records, size_t record_count,
                     struct ft_diag *diag)
{
    struct stream *shapes = &decoder->streams[FT_LOG_SHAPES];
    uint64_t words = entry->iteration_words;
    size_t items_max = decoder->spans.has_spans ? ft_span_decoder_room(&decoder->spans)
                                                : (size_t)(shapes->end - shapes->at);
    if (count > items_max || words * count > FT_LOG_RECORD_VALUES_MAX)
        return broken(decoder, diag, "more iterations than the chunk holds");
    size_t need = decoder->value_count + words * (count + 1) + FT_LOG_UNIT_WORDS_MAX + 2;
    if (need <= decoder->value_capacity)
        return FT_OK;
    uint64_t *old = decoder->values;
    uint64_t *moved = malloc(2 * need * sizeof *moved);
    if (!moved)
        return ft_fail_memory(diag, "the values of a loop");
    memcpy(moved, old, decoder->value_count * sizeof *moved);
    for (size_t i = 0; i < record_count; i++)
        records[i].values = moved + (records[i].values - old);
    free(old);
    decoder->values = moved;
    decoder->value_capacity = 2 * need;
    return FT_OK;
}

/* The next items of one span, all of the same words; a coded one has at least one shape byte. */
static bool get_items(struct ft_log_decoder *decoder, struct ft_log_word *words, size_t word_count,
                      size_t items, uint64_t *values, size_t *ret_count)
{
    struct stream *shapes = &decoder->streams[FT_LOG_SHAPES];
    enum ft_span_kind kind;
    size_t count;
    if (!ft_span_decoder_next(&decoder->spans, items, &kind, &count))
        return false;
    *ret_count = count;
    if (kind != FT_SPAN_CODED)
        return ft_span_decoder_take(&decoder->spans, words, word_count, count,
                                    decoder->memory.latest, values);
    for (size_t i = 0; i < count; i++)
        if (shapes->at >= shapes->end ||
            !get_item(decoder, words, word_count, *shapes->at++, values + i * word_count))
            return false;
    return ft_span_decoder_note(&decoder->spans, words, word_count, count, values);
}

/* The items of a loop's iterations, and of the one that left it early. */
static int get_iterations(struct ft_log_decoder *decoder, const struct ft_log_unit *entry,
                          uint64_t count, struct ft_diag *diag)
{
    struct ft_log_word *words = &decoder->memory.words[entry->first_word] + entry->head_words;
    uint64_t *values = decoder->values + decoder->value_count;
    size_t taken;
    for (uint64_t done = 0; done < count; done += taken) {
        if (!get_items(decoder, words, entry->iteration_words, count - done, values, &taken))
            return broken(decoder, diag, "its iterations are cut off or damaged");
        values += taken * entry->iteration_words;
    }
    if (entry->last_iteration_words &&
        !get_items(decoder, words, entry->last_iteration_words, 1, values, &taken))
        return broken(decoder, diag, "its last iteration is cut off or damaged");
    decoder->value_count += entry->iteration_words * count + entry->last_iteration_words;
    return FT_OK;
}

/* Completes the record of a loop, of which the head has been read: values[0] is its count. */
static int get_loop(struct ft_log_decoder *decoder, const struct ft_log_unit *entry,
                    struct ft_record *records, size_t record_count, struct ft_diag *diag)
{
    struct ft_record *record = &records[record_count - 1];
    const struct ft_unit *unit = decoder->units->units[record->unit];
    uint64_t instructions;
    record->iteration_count = record->values[0];
    if (__builtin_mul_overflow(record->iteration_count, unit->instruction_count, &instructions) ||
        __builtin_add_overflow(instructions, unit->last_iteration_instructions, &instructions) ||
        instructions > decoder->loop_instructions)
        return broken(decoder, diag, "more iterations than its chunk counts");
    decoder->loop_instructions -= instructions;
    if (entry->iteration_words) {
        FT_TRY(make_room(decoder, entry, record->iteration_count, records, record_count, diag));
        FT_TRY(get_iterations(decoder, entry, record->iteration_count, diag));
        record->value_count +=
            entry->iteration_words * record->iteration_count + entry->last_iteration_words;
    }
    record->values++;
    record->value_count--;
    return FT_OK;
}

/* Decodes plain units that were predicted, which nearly all records are, up to the first other one.
 * What changes with every record is kept in local variables, as in the encoder. False if values are
 * cut off. */
static bool get_predicted(struct ft_log_decoder *decoder, struct ft_record *records, size_t limit,
                          size_t *ret_count)
{
    struct ft_log_memory *memory = &decoder->memory;
    struct ft_log_unit *units = memory->units;
    struct stream *stream = &decoder->streams[FT_LOG_SHAPES];
    const uint8_t *shapes = stream->at, *shapes_end = stream->end;
    uint64_t *values = decoder->values + decoder->value_count;
    const uint64_t *values_end = decoder->values + BATCH_VALUES;
    uint64_t left = decoder->record_count - decoder->records;
    uint32_t history = memory->history, previous = memory->previous;
    size_t count = 0;
    bool whole = true;
    if (limit > left)
        limit = left;
    while (count < limit && values <= values_end && shapes < shapes_end && !(*shapes & 1)) {
        uint32_t id = memory->successors[history >> (32 - FT_LOG_HISTORY_BITS)];
        const struct ft_log_unit *entry = &units[id];
        if (id == 0 || entry->is_loop || entry->head_words > FT_LOG_SHAPE_WORDS)
            break;
        whole = get_item(decoder, &memory->words[entry->first_word], entry->head_words, *shapes++,
                         values);
        if (!whole)
            break;
        units[previous].successor = id;
        history = ft_log_history(history, id);
        previous = id;
        records[count++] = (struct ft_record){
            .unit = id, .iteration_count = 1, .values = values, .value_count = entry->head_words};
        values += entry->head_words;
    }
    stream->at = shapes;
    decoder->value_count = (size_t)(values - decoder->values);
    decoder->records += count;
    memory->history = history;
    memory->previous = previous;
    *ret_count = count;
    return whole;
}

/* Decodes one record of any kind. */
static int get_record(struct ft_log_decoder *decoder, struct ft_record *records,
                      size_t record_count, struct ft_diag *diag)
{
    struct ft_log_memory *memory = &decoder->memory;
    struct stream *shapes = &decoder->streams[FT_LOG_SHAPES];
    struct ft_record *record = &records[record_count - 1];
    uint64_t *values = decoder->values + decoder->value_count;
    uint32_t id;
    if (shapes->at >= shapes->end)
        return broken(decoder, diag, "the log is cut off");
    unsigned shape = *shapes->at++;
    if (!get_unit(decoder, shape, &id))
        return broken(decoder, diag, "its unit is cut off");
    struct ft_log_unit *entry = ft_log_unit_ready(memory, id);
    if (!entry) {
        FT_TRY(ft_log_memory_learn_unit(memory, decoder->units, id, diag));
        entry = &memory->units[id];
    }
    if (id == 0) {
        FT_TRY(get_escape(decoder, values, record, diag));
        decoder->value_count += record->value_count;
        return FT_OK;
    }
    if (!get_item(decoder, &memory->words[entry->first_word], entry->head_words, shape, values))
        return broken(decoder, diag, "its values are cut off");
    *record = (struct ft_record){
        .unit = id, .iteration_count = 1, .values = values, .value_count = entry->head_words};
    decoder->value_count += entry->head_words;
    return entry->is_loop ? get_loop(decoder, entry, records, record_count, diag) : FT_OK;
}

int ft_log_decoder_next(struct ft_log_decoder *decoder, struct ft_record *ret_records, size_t limit,
                        size_t *ret_count, struct ft_diag *diag)
{
    size_t count = 0;
    int status = FT_OK;
    decoder->value_count = 0;
    while (count < limit && decoder->records < decoder->record_count &&
           decoder->value_count <= BATCH_VALUES) {
        size_t taken;
        if (!get_predicted(decoder, ret_records + count, limit - count, &taken))
            status = broken(decoder, diag, "its values are cut off");
        count += taken;
        if (taken == 0 && status == FT_OK) {
            status = get_record(decoder, ret_records, ++count, diag);
            decoder->records++;
        }
        if (status) {
            decoder->record_count = 0; /* nothing after it can be trusted */
            return status;
        }
    }
    *ret_count = count;
    return FT_OK;
}
