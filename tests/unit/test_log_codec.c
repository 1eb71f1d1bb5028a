/*
 * Random logs through the encoder and back: every record, value and total must come out as it went
 * in, over several chunks, with loops that repeat what they logged, vectors and escapes; damaged
 * payloads must end in an error or in records, never in a crash.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/codec/log.h"
#include "formats/expand/expand.h"
#include "tests/support/random.h"
#include "tests/support/reference_log_decoder.h"
#include "tests/support/tap.h"

#define UNITS 40

static uint64_t random_state = 88172645463325252U;

static struct ft_unit units[UNITS];
static struct ft_slot slots[UNITS][24];
static struct ft_instruction instructions[UNITS][64];
static const struct ft_unit *table[UNITS];
static const struct ft_unit_table unit_table = {table, UNITS};

static int by_instruction(const void *left, const void *right)
{
    const struct ft_slot *a = left, *b = right;
    return (int)a->instruction - (int)b->instruction;
}

static unsigned left_early; /* units of loops that are */

/* `count` slots of any size, in order. */
static void make_slots(struct ft_slot *made, unsigned count)
{
    static const uint8_t sizes[] = {8, 8, 4, 8, 32, 64};
    for (unsigned i = 0; i < count; i++) {
        uint8_t size = sizes[random_below(&random_state, 6)];
        made[i] = (struct ft_slot){.kind = size > 8 ? FT_SLOT_VECTOR : FT_SLOT_REGISTER,
                                   .source = (uint8_t)random_below(&random_state, FT_RSP),
                                   .size_bytes = size,
                                   .instruction = (uint8_t)random_below(&random_state, 12)};
    }
    qsort(made, count, sizeof *made, by_instruction);
}

/* Entry slots are whole registers at the head of a loop. */
static void make_loop(struct ft_unit *unit, struct ft_slot *made)
{
    static const uint8_t sources[] = {FT_COUNT_INDUCTION, FT_COUNT_COUNTER};
    unit->kind = FT_UNIT_LOOP;
    unit->entry_slot_count = (uint16_t)(1 + random_below(&random_state, 3));
    for (unsigned i = 0; i < unit->entry_slot_count; i++)
        made[i] =
            (struct ft_slot){.kind = FT_SLOT_REGISTER, .source = (uint8_t)(8 + i), .size_bytes = 8};
    unsigned count = unit->id % 2 == 0 ? 0 : unit->id % 12 == 9 ? 1 : 4;
    make_slots(made + unit->entry_slot_count, count);
    if (count == 1)
        made[unit->entry_slot_count].size_bytes = unit->id % 8 == 1 ? 8 : 4;
    unit->slot_count = (uint16_t)(unit->entry_slot_count + count);
    unit->count_source = unit->id % 2 ? FT_COUNT_VALUES : sources[random_below(&random_state, 2)];
    unit->induction_register = made[0].source;
    unit->induction_stride = random_below(&random_state, 2) ? -24 : 8;
}

/* Half of the loops are loop paths, every third of these with a further unit: the same left early.
 */
static bool make_loop_path(struct ft_unit *unit, struct ft_slot *made)
{
    uint32_t whole = unit->id % 12 == 6 ? unit->id - 3 : unit->id % 24 == 0 ? unit->id - 12 : 0;
    unit->kind = unit->id % 12 == 3 || unit->id % 24 == 12 ? FT_UNIT_LOOP_PATH : unit->kind;
    if (!whole)
        return false;
    uint32_t id = unit->id;
    *unit = units[whole];
    unit->id = id;
    unit->beginning_of = whole;
    unit->last_iteration_instructions = 1 + (uint8_t)random_below(&random_state, 11);
    unit->last_iteration_slots =
        (uint16_t)random_below(&random_state, unit->slot_count - unit->entry_slot_count + 1U);
    unit->slots = made;
    memcpy(made, units[whole].slots, unit->slot_count * sizeof *made);
    return true;
}

/* Units of `nop`s whose slots are made up: the codec looks at nothing else. */
static void make_units(void)
{
    static uint8_t nops[64];
    memset(nops, 0x90, sizeof nops);
    for (unsigned id = 1; id < UNITS; id++) {
        struct ft_unit *unit = &units[id];
        *unit = (struct ft_unit){.id = id,
                                 .module = FT_NO_MODULE,
                                 .pc = 0x400000 + 64 * id,
                                 .code = nops,
                                 .code_bytes = 12,
                                 .instruction_count = 12,
                                 .slots = slots[id],
                                 .instructions = instructions[id]};
        for (unsigned i = 0; i < unit->instruction_count; i++)
            ft_instruction_decode(nops, 1, unit->pc + i, &instructions[id][i], NULL);
        if (id % 3 == 0) {
            make_loop(unit, slots[id]);
            left_early += make_loop_path(unit, slots[id]);
        } else {
            unit->slot_count = (uint16_t)random_below(&random_state, id % 10 == 8 ? 24 : 5);
            unit->entry_slot_count = unit->slot_count;
            make_slots(slots[id], unit->slot_count);
        }
        table[id] = unit;
    }
}

/* What went in: unit, iterations, values. */
struct expected {
    struct ft_record record;
    size_t first_value;
};

struct log {
    struct ft_bytes raw;
    struct expected *records;
    size_t record_count, record_capacity;
    uint64_t *values;
    size_t value_count, value_capacity;
    uint64_t instruction_count;
};

static void add_value(struct log *log, uint64_t value)
{
    if (!FT_RESERVE(log->values, log->value_capacity, log->value_count + 1))
        abort();
    log->values[log->value_count++] = value;
}

/* Values that now follow a stride, now repeat, now jump. */
static uint64_t next_value(unsigned key, unsigned size)
{
    static uint64_t last[1 << 12];
    uint64_t *value = &last[key % (1 << 12)];
    switch (random_below(&random_state, 8)) {
    case 0:
        *value += random_below(&random_state, 300) - 150;
        break;
    case 1:
        *value += random_below(&random_state, 100000) - 50000;
        break;
    case 2:
        *value = random_next(&random_state) >> random_below(&random_state, 64);
        break;
    case 3:
        break;
    default:
        *value += 16;
        break;
    }
    if (size == 4)
        *value = (uint32_t)*value;
    return *value;
}

static void put_slots(struct log *log, const struct ft_unit *unit, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        unsigned size = unit->slots[i].size_bytes;
        for (unsigned at = 0; at < size; at += 8) {
            uint64_t value = next_value(unit->id * 64 + i + at, size);
            ft_put(&log->raw, &value, size == 4 ? 4 : 8);
            add_value(log, value);
        }
    }
}

/* Values of iterations come from a tape, which every unit begins again at times and goes on with
 * where it was; some are others. */
#define TAPE 400
static uint64_t tape[UNITS][TAPE];
static unsigned tape_at[UNITS];

static uint64_t tape_value(unsigned unit, unsigned size)
{
    unsigned at = tape_at[unit]++ % TAPE;
    if (tape[unit][at] == 0 || random_below(&random_state, 50) == 0)
        tape[unit][at] = random_next(&random_state) >> (32 + unit % 4 * 8);
    return size == 4 ? (uint32_t)tape[unit][at] : tape[unit][at];
}

static void put_iteration(struct log *log, const struct ft_unit *unit, unsigned slot_count,
                          bool from_tape)
{
    unsigned first = unit->entry_slot_count;
    if (!from_tape)
        put_slots(log, unit, first, first + slot_count);
    for (unsigned i = first; from_tape && i < first + slot_count; i++)
        for (unsigned at = 0, size = unit->slots[i].size_bytes; at < size; at += 8) {
            uint64_t value = tape_value(unit->id, size);
            ft_put(&log->raw, &value, size == 4 ? 4 : 8);
            add_value(log, value);
        }
}

static void put_loop(struct log *log, const struct ft_unit *unit)
{
    uint64_t count = random_below(&random_state, 10) ? random_below(&random_state, 20)
                                                     : random_below(&random_state, 300);
    size_t end_word_at = log->raw.length;
    ft_put_u64(&log->raw, 0);
    put_slots(log, unit, 0, unit->entry_slot_count);
    uint64_t first = unit->count_source == FT_COUNT_INDUCTION
                         ? log->values[log->records[log->record_count].first_value]
                         : 0;
    bool from_tape = random_below(&random_state, 3) > 0;
    unsigned slot_count = unit->slot_count - unit->entry_slot_count;
    for (uint64_t i = 0; i < count; i++)
        put_iteration(log, unit, slot_count, from_tape);
    uint64_t end_word = count, values_end = log->raw.length - end_word_at + sizeof unit->id;
    put_iteration(log, unit, unit->last_iteration_slots, from_tape);
    if (unit->count_source == FT_COUNT_VALUES)
        end_word = values_end;
    else if (unit->count_source == FT_COUNT_INDUCTION)
        end_word = first + count * (uint64_t)unit->induction_stride;
    memcpy(log->raw.data + end_word_at, &end_word, sizeof end_word);
    log->records[log->record_count].record.iteration_count = count;
    log->instruction_count += count * unit->instruction_count + unit->last_iteration_instructions;
}

static void put_escape(struct log *log)
{
    struct ft_record *record = &log->records[log->record_count].record;
    record->escape = 1 + (uint32_t)random_below(&random_state, FT_ESCAPE_END - 1);
    ft_put_u32(&log->raw, 0);
    ft_put_u32(&log->raw, record->escape);
    if (record->escape == FT_ESCAPE_PARTIAL) {
        const struct ft_unit *unit = &units[1 + random_below(&random_state, UNITS - 1)];
        uint32_t limit = (uint32_t)random_below(&random_state, unit->instruction_count + 1U);
        ft_put_u32(&log->raw, unit->id);
        ft_put_u32(&log->raw, limit);
        add_value(log, unit->id);
        add_value(log, limit);
        log->instruction_count += limit;
        for (unsigned i = 0; i < unit->slot_count; i++)
            if (unit->slots[i].instruction <= limit)
                put_slots(log, unit, i, i + 1);
    } else {
        uint64_t first = record->escape == FT_ESCAPE_DIRECTION ? 0 : random_next(&random_state);
        unsigned count = record->escape == FT_ESCAPE_KERNEL   ? 4
                         : record->escape == FT_ESCAPE_CALL   ? 1 + (unsigned)(first % 8)
                         : record->escape == FT_ESCAPE_DETAIL ? 1 + (unsigned)(first % 64)
                                                              : 1;
        for (unsigned i = 0; i < count; i++) {
            uint64_t field = i ? random_next(&random_state) : first;
            ft_put_u64(&log->raw, field);
            add_value(log, field);
        }
    }
}

static void put_record(struct log *log, uint32_t id)
{
    if (!FT_RESERVE(log->records, log->record_capacity, log->record_count + 1))
        abort();
    struct expected *expected = &log->records[log->record_count];
    *expected = (struct expected){.record = {.unit = id, .iteration_count = 1},
                                  .first_value = log->value_count};
    if (id == 0) {
        put_escape(log);
    } else {
        ft_put_u32(&log->raw, id);
        if (ft_unit_is_loop(&units[id])) {
            put_loop(log, &units[id]);
        } else {
            put_slots(log, &units[id], 0, units[id].slot_count);
            log->instruction_count += units[id].instruction_count;
        }
    }
    log->records[log->record_count].record.value_count = log->value_count - expected->first_value;
    log->record_count++;
}

static void log_fini(struct log *log)
{
    ft_bytes_fini(&log->raw);
    free(log->records);
    free(log->values);
    *log = (struct log){0};
}

/* Whether a record is the at-th of the log. */
static bool is_expected(const struct log *log, size_t at, const struct ft_record *record)
{
    const struct expected *expected = &log->records[at];
    return at < log->record_count && record->unit == expected->record.unit &&
           record->escape == expected->record.escape &&
           record->iteration_count == expected->record.iteration_count &&
           record->value_count == expected->record.value_count &&
           memcmp(record->values, log->values + expected->first_value,
                  record->value_count * sizeof(uint64_t)) == 0;
}

/* Decodes a whole payload and compares; gives whether all is as expected. */
static bool matches(struct ft_log_decoder *decoder, const struct ft_bytes *payload,
                    const struct log *log, struct ft_log_state *state, struct ft_diag *diag)
{
    struct ft_record batch[100];
    size_t count = 1, at = 0;
    if (ft_log_decoder_start(decoder, payload->data, payload->length, UINT64_MAX, state, diag))
        return false;
    while (count) {
        if (ft_log_decoder_next(decoder, batch, 100, &count, diag))
            return false;
        for (size_t i = 0; i < count; i++, at++)
            if (!is_expected(log, at, &batch[i]))
                return false;
    }
    return at == log->record_count;
}

struct comparison {
    const struct log *log;
    size_t at;
};

static bool compare(void *context, const struct ft_record *record)
{
    struct comparison *comparison = context;
    return is_expected(comparison->log, comparison->at++, record);
}

/* The same with the reference decoder. */
static bool matches_reference(const struct ft_bytes *payload, const struct log *log)
{
    struct comparison comparison = {log, 0};
    return reference_log_decode(payload->data, payload->length, &unit_table, compare,
                                &comparison) &&
           comparison.at == log->record_count;
}

/* Whether the encoder tells the log's units once each, but for those told before, and no other;
 * with the beginning of a loop the whole of it comes besides. */
static bool tells_units(struct ft_log_encoder *encoder, const struct log *log, bool told[UNITS])
{
    const uint32_t *met;
    size_t count = ft_log_encoder_met(encoder, &met), left = 0;
    bool is_new[UNITS] = {false};
    uint32_t whole = 0; /* that was told last, with the beginning that comes next */
    for (size_t i = 0; i < log->record_count; i++) {
        const struct expected *expected = &log->records[i];
        bool is_partial = expected->record.escape == FT_ESCAPE_PARTIAL;
        uint64_t id = is_partial ? log->values[expected->first_value] : expected->record.unit;
        left += id && !told[id] && !is_new[id];
        is_new[id] = !told[id];
    }
    for (size_t i = 0; i < count; i++) {
        if (i + 1 < count && met[i + 1] < UNITS && units[met[i + 1]].beginning_of == met[i] &&
            whole == 0) {
            whole = met[i];
            continue;
        }
        if (met[i] == 0 || met[i] >= UNITS || !is_new[met[i]] || told[met[i]] ||
            units[met[i]].beginning_of != whole)
            return false;
        told[met[i]] = true;
        whole = 0;
        left--;
    }
    return left == 0 && ft_log_encoder_met(encoder, &met) == 0;
}

static void test_round_trip(void)
{
    struct ft_diag diag = {0};
    struct ft_log_encoder *encoder;
    struct ft_log_decoder *decoder;
    struct ft_log_state state = {.rsp = 0x7ffff0001000, .fs_base = 0x7ffff7d00740};
    struct ft_log_totals totals;
    struct ft_bytes payload = {0};
    bool told[UNITS] = {false};
    tap_ok(ft_log_encoder_create(&encoder, &diag) == FT_OK, "an encoder is made");
    tap_ok(ft_log_decoder_create(&unit_table, &decoder, &diag) == FT_OK, "a decoder is made");
    for (int chunk = 0; chunk < 4; chunk++) {
        struct log log = {0};
        struct ft_log_state start;
        bool appended = true;
        ft_log_encoder_start(encoder, &state);
        for (int part = 0; part < 3; part++) {
            size_t before = log.raw.length;
            for (int i = 0; i < 800; i++) {
                bool regular = random_below(&random_state, 4) != 0;
                put_record(&log, (uint32_t)(regular ? (unsigned)i % 7 + 1
                                                    : random_below(&random_state, UNITS)));
            }
            appended &= ft_log_encoder_fits(encoder, log.raw.length - before) &&
                        ft_log_encoder_append(encoder, &unit_table, log.raw.data + before,
                                              log.raw.length - before, &diag) == FT_OK;
        }
        tap_ok(appended, "chunk %d: appended (%s)", chunk, diag.message);
        bool finished = ft_log_encoder_finish(encoder, &payload, &totals, &state) == FT_OK;
        tap_ok(finished && totals.has_spans && payload.length < log.raw.length / 2,
               "chunk %d: %zu raw bytes became %zu", chunk, log.raw.length, payload.length);
        tap_ok(totals.records == log.record_count && totals.instructions == log.instruction_count,
               "chunk %d: records and instructions are counted", chunk);
        tap_ok(matches(decoder, &payload, &log, &start, &diag),
               "chunk %d: every record came back (%s)", chunk, diag.message);
        tap_ok(matches_reference(&payload, &log),
               "chunk %d: and by the words of the format's description", chunk);
        tap_ok(tells_units(encoder, &log, told), "chunk %d: its new units are told", chunk);
        log_fini(&log);
    }
    ft_bytes_fini(&payload);
    ft_log_encoder_destroy(encoder);
    ft_log_decoder_destroy(decoder);
}

/* The payload of a whole log, by an encoder of its own, and the state behind it. */
static int encode(const struct log *log, struct ft_bytes *payload, struct ft_log_state *ret_next,
                  struct ft_diag *diag)
{
    struct ft_log_encoder *encoder;
    struct ft_log_state start = {0};
    struct ft_log_totals totals;
    int status = ft_log_encoder_create(&encoder, diag);
    if (status)
        return status;
    ft_log_encoder_start(encoder, &start);
    status = ft_log_encoder_append(encoder, &unit_table, log->raw.data, log->raw.length, diag);
    if (status == FT_OK)
        status = ft_log_encoder_finish(encoder, payload, &totals, ret_next);
    ft_log_encoder_destroy(encoder);
    return status;
}

/* A loop whose single word is 8 bytes wide, from a log of `rounds` times the same random nodes, a
 * change in every round but the first where `is_changed`: how many bytes its payload has. */
static size_t walked_bytes(unsigned rounds, bool is_changed)
{
    enum { NODES = 5000 };
    static uint64_t nodes[NODES];
    const struct ft_unit *unit = &units[9];
    struct ft_log_decoder *decoder;
    struct ft_log_state next;
    struct ft_bytes payload = {0};
    struct log log = {0};
    struct ft_diag diag = {0};
    for (unsigned i = 0; i < NODES; i++)
        nodes[i] = 0x10000000 + 64 * random_below(&random_state, 1 << 16);
    for (unsigned round = 0; round < rounds; round++) {
        if (!FT_RESERVE(log.records, log.record_capacity, log.record_count + 1))
            abort();
        nodes[17 + round] += round && is_changed;
        size_t entry_values = unit->entry_slot_count;
        struct expected *expected = &log.records[log.record_count++];
        expected->first_value = log.value_count;
        expected->record = (struct ft_record){
            .unit = unit->id, .iteration_count = NODES, .value_count = entry_values + NODES};
        ft_put_u32(&log.raw, unit->id);
        ft_put_u64(&log.raw, sizeof unit->id + 8 + 8 * entry_values + sizeof nodes);
        for (size_t i = 0; i < entry_values + NODES; i++) {
            ft_put_u64(&log.raw, i < entry_values ? 5 : nodes[i - entry_values]);
            add_value(&log, i < entry_values ? 5 : nodes[i - entry_values]);
        }
    }
    ft_log_decoder_create(&unit_table, &decoder, &diag);
    int status = encode(&log, &payload, &next, &diag);
    size_t bytes = payload.length;
    if (status || !matches(decoder, &payload, &log, &next, &diag) ||
        !matches_reference(&payload, &log))
        bytes = SIZE_MAX;
    ft_bytes_fini(&payload);
    log_fini(&log);
    ft_log_decoder_destroy(decoder);
    return bytes;
}

static void test_spans(void)
{
    size_t once = walked_bytes(1, false), often = walked_bytes(20, false);
    size_t changed = walked_bytes(20, true);
    tap_ok(once < 5000 * 16 / 8 + 100, "5000 nodes of 2^16 take %zu bytes: 16 bits each", once);
    tap_ok(often < once + 200, "walked 20 times they take %zu", often);
    tap_ok(changed < once + 1000, "with a change each time %zu", changed);
}

/* Buffers that no program writes: each must be refused. */
static void test_broken_buffers(void)
{
    struct ft_log_encoder *encoder;
    struct ft_log_state state = {0};
    struct ft_diag diag;
    ft_log_encoder_create(&encoder, &diag);
    struct ft_bytes raw = {0};
    ft_put_u32(&raw, UNITS);
    ft_log_encoder_start(encoder, &state);
    tap_ok(ft_log_encoder_append(encoder, &unit_table, raw.data, 4, &diag) == FT_ERROR_DATA,
           "an undefined unit: %s", diag.message);
    tap_ok(ft_log_encoder_append(encoder, &unit_table, raw.data, 3, &diag) == FT_ERROR_DATA,
           "half a unit number: %s", diag.message);
    raw.length = 0;
    ft_put_u32(&raw, 0);
    ft_put_u32(&raw, 99);
    tap_ok(ft_log_encoder_append(encoder, &unit_table, raw.data, 8, &diag) == FT_ERROR_DATA,
           "an unknown escape: %s", diag.message);
    ft_bytes_fini(&raw);
    ft_log_encoder_destroy(encoder);
}

/* Flipped bytes in a payload: an error or other records, nothing worse (ASan watches). */
static void test_damaged_payloads(void)
{
    struct ft_log_decoder *decoder;
    struct ft_log_state next;
    struct ft_bytes payload = {0};
    struct log log = {0};
    struct ft_diag diag = {0};
    ft_log_decoder_create(&unit_table, &decoder, &diag);
    for (int i = 0; i < 300; i++)
        put_record(&log, (uint32_t)random_below(&random_state, UNITS));
    tap_ok(encode(&log, &payload, &next, &diag) == FT_OK, "300 records: %s", diag.message);
    unsigned refused = 0, different = 0;
    for (int i = 0; i < 4000; i++) {
        /* A copy of exact size, so that ASan sees the first byte too far. */
        struct ft_bytes damaged = {0};
        size_t length = i % 4 ? payload.length : random_below(&random_state, payload.length);
        damaged.data = malloc(length ? length : 1);
        damaged.length = length;
        memcpy(damaged.data, payload.data, length);
        for (unsigned flips = 1 + i % 3; length && flips; flips--)
            damaged.data[random_below(&random_state, i % 2         ? length
                                                     : length < 60 ? length
                                                                   : 60)] ^=
                (uint8_t)(1 + random_below(&random_state, 255));
        diag.status = FT_OK;
        bool same = matches(decoder, &damaged, &log, &next, &diag);
        refused += diag.status == FT_ERROR_DATA;
        different += !same && diag.status == FT_OK;
        ft_bytes_fini(&damaged);
    }
    tap_ok(refused > 1000, "%u damaged payloads were refused, %u gave other records", refused,
           different);
    ft_bytes_fini(&payload);
    log_fini(&log);
    ft_log_decoder_destroy(decoder);
}

int main(void)
{
    make_units();
    tap_ok(left_early >= 4, "%u loops are left early", left_early);
    test_round_trip();
    test_spans();
    test_broken_buffers();
    test_damaged_payloads();
    return tap_plan_done();
}
