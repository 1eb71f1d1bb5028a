/*
 * In the order of docs/trace-format.md: numbers and words with their predictors; the items of
 * spans, coded, repeated or packed; the words of a record, iteration by iteration; the unit that
 * follows, predicted from those before it; escapes; then record after record until all streams are
 * empty.
 */
#include "tests/support/reference_log_decoder.h"

#include <stdlib.h>

#define STREAMS      8
#define COUNT_SOURCE (FT_REGISTER_COUNT + 1) /* after what is no register */
#define HISTORIES    65536
#define VALUES_MAX   (1U << 20)
#define ENDLESS      UINT64_MAX

enum stream_number {
    SHAPES,
    CODES,
    UNITS,
    LITERALS_1,
    LITERALS_2,
    LITERALS_4,
    LITERALS_8,
    ESCAPES
};

/* Kinds of spans. */
enum { CODED, REPEATED, PACKED };

struct word {
    uint64_t last, stride, offset;
    unsigned predictor; /* 0 last, 1 stride, 2 offset */
};

struct reference_decoder {
    const struct ft_unit_table *units;
    struct ft_cursor streams[STREAMS];
    struct word *
        *words; /* [unit], NULL until its first record; beginnings have those of the whole */
    uint32_t *successors;
    uint32_t *table;
    uint64_t latest[COUNT_SOURCE + 1];
    uint32_t history, previous;
    uint64_t values[VALUES_MAX];
    size_t value_count;
    unsigned shape, shape_bit;
    struct ft_cursor spans, packed; /* two more streams, of chunks that have spans */
    struct ft_bytes items;          /* each word of items of iterations, in its size */
    unsigned span_kind;
    uint64_t span_left, distance;
    uint64_t base;
    unsigned shift, width, bit; /* bit: of span_bits, the next one */
    const uint8_t *span_bits;
};

static unsigned word_count(const struct ft_unit *unit, unsigned first, unsigned end)
{
    unsigned count = 0;
    for (unsigned s = first; s < end; s++)
        count += unit->slots[s].size_bytes > 8 ? unit->slots[s].size_bytes / 8 : 1;
    return count;
}

static uint64_t get_number(struct ft_cursor *stream, unsigned bytes, bool is_signed)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)ft_get_u8(stream) << (8 * i);
    if (is_signed && bytes < 8 && value >> (8 * bytes - 1))
        value -= (uint64_t)1 << (8 * bytes);
    return value;
}

static uint64_t get_coded(struct reference_decoder *decoder, struct word *word, uint64_t latest,
                          unsigned size_bytes)
{
    unsigned code = ft_get_u8(&decoder->streams[CODES]);
    if (code <= 2) {
        word->predictor = code;
        return code == 0   ? word->last
               : code == 1 ? word->last + word->stride
                           : latest + word->offset;
    }
    if (code <= 8) {
        unsigned width = (code - 3) % 3; /* 1, 2, 4 bytes */
        return (code <= 5 ? word->last : latest) +
               get_number(&decoder->streams[LITERALS_1 + width], 1U << width, true);
    }
    if (code > 9)
        decoder->streams[CODES].failed = true;
    return size_bytes == 4 ? get_number(&decoder->streams[LITERALS_4], 4, false)
                           : get_number(&decoder->streams[LITERALS_8], 8, false);
}

static void learn(struct reference_decoder *decoder, struct word *word, unsigned source,
                  uint64_t value)
{
    word->stride = value - word->last;
    word->offset = value - decoder->latest[source];
    word->last = value;
    decoder->latest[source] = value;
    if (decoder->value_count < VALUES_MAX)
        decoder->values[decoder->value_count++] = value;
}

/* The next word of an item: its bit, then its value. */
static void get_word(struct reference_decoder *decoder, struct word *word, unsigned source,
                     unsigned size_bytes)
{
    if (decoder->shape_bit == 8) {
        decoder->shape = ft_get_u8(&decoder->streams[SHAPES]);
        decoder->shape_bit = 0;
    }
    bool is_coded = decoder->shape >> decoder->shape_bit++ & 1;
    uint64_t latest = decoder->latest[source], value = word->last;
    if (is_coded)
        value = get_coded(decoder, word, latest, size_bytes);
    else if (word->predictor == 1)
        value = word->last + word->stride;
    else if (word->predictor == 2)
        value = latest + word->offset;
    learn(decoder, word, source, value);
}

/* The words of slots [first, end) of an item. */
static void get_slots(struct reference_decoder *decoder, const struct ft_unit *unit,
                      struct word *word, unsigned first, unsigned end)
{
    for (unsigned s = first; s < end; s++) {
        const struct ft_slot *slot = &unit->slots[s];
        unsigned source = slot->kind == FT_SLOT_REGISTER ? slot->source : FT_REGISTER_COUNT;
        for (unsigned k = 0; k < word_count(unit, s, s + 1); k++)
            get_word(decoder, word++, source, slot->size_bytes);
    }
}

static void start_item(struct reference_decoder *decoder)
{
    decoder->shape = ft_get_u8(&decoder->streams[SHAPES]);
    decoder->shape_bit = 1;
}

/* The head of the next span; `word` is the first of the item that comes. */
static void start_span(struct reference_decoder *decoder, const struct word *word)
{
    decoder->span_kind = CODED;
    decoder->span_left = ENDLESS;
    if (decoder->spans.position == decoder->spans.length)
        return;
    uint64_t head = ft_get_varint(&decoder->spans);
    decoder->span_kind = head & 3;
    decoder->span_left = head >> 2;
    if (decoder->span_kind == REPEATED) {
        uint64_t distance = ft_get_varint(&decoder->spans);
        decoder->distance = distance ? distance : decoder->distance;
    } else if (decoder->span_kind == PACKED) {
        uint64_t change = ft_get_varint(&decoder->spans);
        decoder->base = word->last + (change % 2 ? -(change / 2) - 1 : change / 2);
        decoder->shift = ft_get_u8(&decoder->spans);
        decoder->width = ft_get_u8(&decoder->spans);
        decoder->bit = 0;
        decoder->span_bits =
            ft_get(&decoder->packed, (decoder->span_left * decoder->width + 7) / 8);
    }
}

static uint64_t repeated_word(struct reference_decoder *decoder, unsigned size_bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size_bytes; i++) {
        uint8_t byte = decoder->items.data[decoder->items.length - decoder->distance];
        ft_put_u8(&decoder->items, byte);
        value |= (uint64_t)byte << (8 * i);
    }
    return value;
}

static uint64_t packed_word(struct reference_decoder *decoder, unsigned size_bytes)
{
    uint64_t field = 0;
    for (unsigned i = 0; i < decoder->width; i++, decoder->bit++)
        field |= (uint64_t)(decoder->span_bits[decoder->bit / 8] >> decoder->bit % 8 & 1) << i;
    uint64_t value = decoder->base + (field << decoder->shift);
    ft_put(&decoder->items, &value, size_bytes);
    return value;
}

/* The words of slots [first, end), an item of an iteration or of the turn that left. */
static void get_iteration(struct reference_decoder *decoder, const struct ft_unit *unit,
                          struct word *word, unsigned first, unsigned end)
{
    if (decoder->span_left == 0)
        start_span(decoder, word);
    if (decoder->span_left != ENDLESS)
        decoder->span_left--;
    size_t before = decoder->value_count;
    if (decoder->span_kind == CODED) {
        start_item(decoder);
        get_slots(decoder, unit, word, first, end);
    }
    for (unsigned s = first; s < end; s++) {
        const struct ft_slot *slot = &unit->slots[s];
        unsigned source = slot->kind == FT_SLOT_REGISTER ? slot->source : FT_REGISTER_COUNT;
        unsigned size = slot->size_bytes == 4 ? 4 : 8;
        for (unsigned k = 0; k < word_count(unit, s, s + 1); k++, word++)
            if (decoder->span_kind == CODED)
                ft_put(&decoder->items, &decoder->values[before++], size);
            else
                learn(decoder, word, source,
                      decoder->span_kind == REPEATED ? repeated_word(decoder, size)
                                                     : packed_word(decoder, size));
    }
}

/* The unit of the next record, whose item has started. */
static uint32_t get_unit(struct reference_decoder *decoder)
{
    uint32_t *predicted = &decoder->table[decoder->history >> 16];
    uint64_t id = *predicted;
    if (decoder->shape & 1) {
        id = ft_get_varint(&decoder->streams[UNITS]);
        id = id == 0 ? decoder->successors[decoder->previous] : id - 1;
    }
    if (id >= decoder->units->count) {
        decoder->streams[UNITS].failed = true;
        return 0;
    }
    decoder->successors[decoder->previous] = *predicted = (uint32_t)id;
    decoder->previous = (uint32_t)id;
    decoder->history = decoder->history << 4 ^ (uint32_t)id * 0x9e3779b1U;
    return (uint32_t)id;
}

static void get_escape(struct reference_decoder *decoder, struct ft_record *record)
{
    struct ft_cursor *stream = &decoder->streams[ESCAPES];
    record->escape = (uint32_t)ft_get_varint(stream);
    unsigned count = record->escape == FT_ESCAPE_KERNEL ? 4 : 1;
    if (record->escape == FT_ESCAPE_CALL) {
        uint64_t head = decoder->values[decoder->value_count++] = ft_get_varint(stream);
        count = head & 7; /* arguments */
    }
    if (record->escape == FT_ESCAPE_DETAIL) {
        uint64_t head = decoder->values[decoder->value_count++] = ft_get_varint(stream);
        count = head & 63;
    }
    if (record->escape == FT_ESCAPE_PARTIAL) {
        decoder->values[decoder->value_count++] = ft_get_varint(stream);
        uint64_t limit = decoder->values[decoder->value_count++] = ft_get_varint(stream);
        const struct ft_unit *unit = decoder->units->units[decoder->values[0]];
        count = 0;
        for (unsigned s = 0; s < unit->slot_count; s++)
            if (unit->slots[s].instruction <= limit)
                count += word_count(unit, s, s + 1);
    }
    while (count-- > 0)
        decoder->values[decoder->value_count++] = ft_get_varint(stream);
}

static void get_record(struct reference_decoder *decoder, struct ft_record *record)
{
    decoder->value_count = 0;
    start_item(decoder);
    *record = (struct ft_record){.unit = get_unit(decoder), .iteration_count = 1};
    const struct ft_unit *unit = decoder->units->units[record->unit];
    bool is_loop = unit && ft_unit_is_loop(unit);
    if (!unit) {
        get_escape(decoder, record);
    } else {
        unsigned entry_slots = is_loop ? unit->entry_slot_count : unit->slot_count;
        unsigned head_words = is_loop + word_count(unit, 0, entry_slots);
        const struct ft_unit *whole =
            unit->beginning_of ? decoder->units->units[unit->beginning_of] : unit;
        struct word **words = &decoder->words[whole->id];
        if (!*words)
            *words = calloc(is_loop + word_count(whole, 0, whole->slot_count) + 1U, sizeof **words);
        if (is_loop)
            get_word(decoder, *words, COUNT_SOURCE, 8);
        get_slots(decoder, unit, *words + is_loop, 0, entry_slots);
        if (is_loop)
            record->iteration_count = decoder->values[0];
        if (entry_slots < unit->slot_count)
            for (uint64_t i = 0; i < record->iteration_count; i++)
                get_iteration(decoder, unit, *words + head_words, entry_slots, unit->slot_count);
        if (unit->last_iteration_slots)
            get_iteration(decoder, unit, *words + head_words, entry_slots,
                          entry_slots + unit->last_iteration_slots);
    }
    record->values = decoder->values + is_loop;
    record->value_count = decoder->value_count - is_loop;
}

static bool has_failed(const struct reference_decoder *decoder)
{
    for (int i = 0; i < STREAMS; i++)
        if (decoder->streams[i].failed)
            return true;
    return decoder->value_count >= VALUES_MAX;
}

bool reference_log_decode(const uint8_t *payload, size_t bytes, const struct ft_unit_table *units,
                          reference_log_visitor *visit, void *context)
{
    struct reference_decoder *decoder = calloc(1, sizeof *decoder);
    struct ft_cursor cursor = {.data = payload, .length = bytes};
    size_t lengths[STREAMS];
    bool whole = true;
    decoder->units = units;
    decoder->words = calloc(units->count, sizeof *decoder->words);
    decoder->successors = calloc(units->count, sizeof *decoder->successors);
    decoder->table = calloc(HISTORIES, sizeof *decoder->table);
    ft_get(&cursor, 16); /* RSP, FS base */
    bool has_spans = ft_get_u8(&cursor) & 2;
    uint64_t record_count = ft_get_varint(&cursor);
    for (int i = 0; i < STREAMS; i++)
        lengths[i] = ft_get_varint(&cursor);
    decoder->spans.length = has_spans ? ft_get_varint(&cursor) : 0;
    decoder->packed.length = has_spans ? ft_get_varint(&cursor) : 0;
    for (int i = 0; i < STREAMS; i++)
        decoder->streams[i] =
            (struct ft_cursor){.data = ft_get(&cursor, lengths[i]), .length = lengths[i]};
    decoder->spans.data = ft_get(&cursor, decoder->spans.length);
    decoder->packed.data = ft_get(&cursor, decoder->packed.length);
    for (uint64_t i = 0; i < record_count && whole; i++) {
        struct ft_record record;
        get_record(decoder, &record);
        whole = !has_failed(decoder) && visit(context, &record);
    }
    for (int i = 0; i < STREAMS; i++)
        whole = whole && decoder->streams[i].position == lengths[i];
    whole = whole && decoder->spans.position == decoder->spans.length &&
            decoder->packed.position == decoder->packed.length;
    ft_bytes_fini(&decoder->items);
    for (size_t id = 0; id < units->count; id++)
        free(decoder->words[id]);
    free(decoder->words);
    free(decoder->successors);
    free(decoder->table);
    free(decoder);
    return whole && !cursor.failed;
}
