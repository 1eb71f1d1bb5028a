/*
 * Units without code: from entries to a definition and back; what a record of one means, compiled,
 * stepped and through the log's codec; and definitions that are damaged.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/codec/log.h"
#include "formats/expand/expand.h"
#include "formats/expand/unit_reading.h"
#include "formats/x86/reference_unit.h"
#include "tests/support/tap.h"

/* An instruction that loads, then modifies; accesses alone at the same pc; one before it. */
static const struct ft_reference_entry entries[] = {
    {0x401000, 7, true, 3, {{8, FT_LOAD, false}, {4, FT_LOAD, false}, {4, FT_STORE, true}}},
    {0x401000, 0, false, 1, {{8, FT_LOAD, false}}},
    {0x400ff0, 255, true, 0, {{0}}},
    {UINT64_MAX, 0, false, 2, {{64, FT_PREFETCH, false}, {65536, FT_STORE_NONTEMPORAL, false}}},
};
#define ENTRIES (sizeof entries / sizeof *entries)
#define SLOTS   5

static bool same_unit(const struct ft_unit *a, const struct ft_unit *b)
{
    return a->id == b->id && a->module == b->module && a->pc == b->pc && a->kind == b->kind &&
           a->instruction_count == b->instruction_count && a->slot_count == b->slot_count &&
           a->entry_slot_count == b->entry_slot_count && a->code_bytes == b->code_bytes &&
           memcmp(a->code, b->code, a->code_bytes) == 0 &&
           memcmp(a->slots, b->slots, a->slot_count * sizeof *a->slots) == 0 &&
           memcmp(a->instructions, b->instructions,
                  a->instruction_count * sizeof *a->instructions) == 0;
}

static int read_bytes(const struct ft_bytes *bytes, struct ft_unit *ret_unit, struct ft_diag *diag)
{
    struct ft_cursor cursor = {.data = bytes->data, .length = bytes->length};
    return ft_unit_read(&cursor, ret_unit, diag);
}

static void check_definition(const struct ft_unit *unit)
{
    struct ft_diag diag = {0};
    struct ft_bytes bytes = {0};
    struct ft_unit read = {0};
    ft_unit_write(unit, &bytes);
    int status = read_bytes(&bytes, &read, &diag);
    tap_ok(status == FT_OK, "its definition is read: %s", diag.message);
    tap_ok(status == FT_OK && same_unit(unit, &read), "and is the same");
    ft_unit_fini(&read);
    ft_bytes_fini(&bytes);
    const struct ft_instruction *first = &unit->instructions[0];
    tap_ok(unit->slot_count == SLOTS && first->accesses[1].slot == 1 &&
               first->accesses[2].slot == 1 && unit->instructions[3].accesses[1].slot == 4,
           "an access at the address of the one before has its slot");
}

/* What stepping shows. */
struct seen {
    struct ft_expanded_access accesses[16];
    size_t count;
};

static int see(void *context, const struct ft_expanded_access *access)
{
    struct seen *seen = context;
    if (seen->count < sizeof seen->accesses / sizeof *seen->accesses)
        seen->accesses[seen->count++] = *access;
    return 0;
}

static void check_meaning(const struct ft_unit *unit)
{
    static const uint64_t values[SLOTS] = {0x1000, 0x2000, UINT64_MAX - 7, 0, 0x3000};
    static const uint64_t addresses[] = {0x1000, 0x2000, 0x2000, UINT64_MAX - 7, 0, 0x3000};
    static const uint32_t references[] = {10, 11, 12, 13, 14};
    const struct ft_record record = {
        .unit = 1, .iteration_count = 1, .values = values, .value_count = SLOTS};
    const struct ft_log_state before = {.rsp = 1, .fs_base = 2, .direction_down = true};
    struct ft_log_state state = before;
    struct ft_diag diag = {0};
    struct seen seen = {0};
    bool right = ft_unit_step(unit, &record, &state, see, &seen, &diag) == FT_OK &&
                 seen.count == sizeof addresses / sizeof *addresses;
    for (size_t i = 0; right && i < seen.count; i++)
        right = seen.accesses[i].address == addresses[i];
    tap_ok(right, "stepping gives each access its address: %s", diag.message);
    tap_ok(seen.accesses[3].pc == 0x401000 && seen.accesses[5].pc == UINT64_MAX &&
               seen.accesses[5].size_bytes == 65536 && seen.accesses[4].kind == FT_PREFETCH,
           "with pc, size and kind");
    tap_ok(state.rsp == before.rsp && state.fs_base == before.fs_base && state.direction_down,
           "and leaves the state as it was");

    struct ft_unit_program *program = NULL;
    struct ft_run_buffer runs = {0};
    struct ft_log_totals totals = {0};
    int status = ft_unit_program_create(unit, &program, &diag);
    if (status == FT_OK) {
        ft_unit_program_count(program, &record, &state, &totals);
        status = ft_unit_program_expand(program, &record, references, &state, &runs, &diag);
    }
    tap_ok(totals.instructions == 2 && totals.accesses == 5 && totals.prefetches == 1,
           "counted: instructions that ran, accesses, prefetches");
    right = status == FT_OK && runs.run_count == 1 && runs.entry_count == 5;
    for (size_t i = 0, at = 0; right && i < runs.entry_count; i++, at++) {
        at += seen.accesses[at].kind == FT_PREFETCH;
        right = runs.addresses[i] == addresses[at] && runs.references[i] == references[i];
    }
    tap_ok(right, "its run has the accesses without the prefetch");
    ft_run_buffer_fini(&runs);
    ft_unit_program_destroy(program);

    uint64_t partial_values[2 + SLOTS] = {1, 1};
    const struct ft_record partial = {.escape = FT_ESCAPE_PARTIAL,
                                      .iteration_count = 1,
                                      .values = partial_values,
                                      .value_count = 4};
    tap_ok(ft_record_check(unit, &partial, &diag) == FT_ERROR_DATA, "it does not run in part: %s",
           diag.message);
}

/* Raw records through encoder and decoder. */
static void check_log(const struct ft_unit *unit)
{
    const struct ft_unit *pointers[2] = {NULL, unit};
    const struct ft_unit_table table = {pointers, 2};
    const struct ft_log_state start = {0};
    struct ft_log_encoder *encoder = NULL;
    struct ft_log_decoder *decoder = NULL;
    struct ft_bytes raw = {0}, payload = {0};
    struct ft_log_totals totals = {0};
    struct ft_log_state state = {0};
    struct ft_diag diag = {0};
    struct ft_record records[100];
    size_t count = 0;
    for (uint64_t i = 0; i < 100; i++) {
        ft_put_u32(&raw, 1);
        for (uint64_t s = 0; s < SLOTS; s++)
            ft_put_u64(&raw, s == 4 ? i * i * i * UINT64_C(0x123456789abc) : 64 * i + s);
    }
    int status = ft_log_encoder_create(&encoder, &diag);
    if (!status) {
        ft_log_encoder_start(encoder, &start);
        status = ft_log_encoder_append(encoder, &table, raw.data, raw.length, &diag);
    }
    if (!status)
        status = ft_log_encoder_finish(encoder, &payload, &totals, &state);
    tap_ok(status == FT_OK && totals.records == 100 && totals.instructions == 200 &&
               totals.accesses == 500 && totals.prefetches == 100,
           "100 records are encoded and counted: %s", diag.message);
    status = ft_log_decoder_create(&table, &decoder, &diag);
    if (!status)
        status = ft_log_decoder_start(decoder, payload.data, payload.length, totals.instructions,
                                      &state, &diag);
    if (!status)
        status = ft_log_decoder_next(decoder, records, 100, &count, &diag);
    bool right = status == FT_OK && count == 100;
    for (size_t i = 0; right && i < 100; i++)
        right = records[i].unit == 1 && records[i].value_count == SLOTS &&
                memcmp(records[i].values, raw.data + i * (4 + 8 * SLOTS) + 4, 8 * SLOTS) == 0;
    tap_ok(right, "and come back");
    ft_log_encoder_destroy(encoder);
    ft_log_decoder_destroy(decoder);
    ft_bytes_fini(&raw);
    ft_bytes_fini(&payload);
}

/* Every value of every byte: refused as damaged, or a unit that can be stepped (reading does). */
static void check_damage(const struct ft_unit *unit)
{
    struct ft_bytes bytes = {0};
    unsigned refused = 0, odd = 0;
    ft_unit_write(unit, &bytes);
    for (size_t at = 0; at < bytes.length; at++) {
        uint8_t kept = bytes.data[at];
        for (unsigned value = 0; value < 256; value++) {
            struct ft_unit read;
            bytes.data[at] = (uint8_t)value;
            int status = read_bytes(&bytes, &read, NULL);
            refused += status == FT_ERROR_DATA;
            odd += status != FT_OK && status != FT_ERROR_DATA;
            if (status == FT_OK)
                ft_unit_fini(&read);
        }
        bytes.data[at] = kept;
    }
    tap_ok(refused > 10000 && odd == 0, "%u changes of a byte are refused as damage", refused);
    size_t length = bytes.length;
    for (refused = 0; bytes.length-- > 0;) {
        struct ft_unit read;
        refused += read_bytes(&bytes, &read, NULL) == FT_ERROR_DATA;
    }
    tap_ok(refused == length, "and so is every shorter definition");
    ft_bytes_fini(&bytes);
}

static void expect_damage(struct ft_unit *unit, size_t at, uint8_t value, const char *what)
{
    struct ft_bytes bytes = {0};
    struct ft_unit read;
    struct ft_diag diag = {0};
    uint8_t kept = unit->code[at];
    unit->code[at] = value;
    ft_unit_write(unit, &bytes);
    tap_ok(read_bytes(&bytes, &read, &diag) == FT_ERROR_DATA, "refused: %s: %s", what,
           diag.message);
    unit->code[at] = kept;
    ft_bytes_fini(&bytes);
}

/* The first entry: pc, flags, length, then (flags, size) of its accesses. */
static void check_entries(struct ft_unit *unit)
{
    expect_damage(unit, 0, 2, "a first entry that is not at the unit's pc");
    expect_damage(unit, 1, 0x0b, "a bit of an entry that has no meaning");
    expect_damage(unit, 3, 0x08, "a bit of an access that has no meaning");
    expect_damage(unit, 3, 0x04, "a first access at the address of the one before");
    expect_damage(unit, 4, 0, "an access of size 0");
    expect_damage(unit, 5, 0x04, "an access without its slot");
    expect_damage(unit, 7, 0x01, "a slot without its access");
}

static void check_limits(void)
{
    static struct ft_reference_entry many[FT_UNIT_INSTRUCTIONS_MAX];
    struct ft_unit unit = {0};
    struct ft_diag diag = {0};
    for (unsigned i = 0; i < FT_UNIT_INSTRUCTIONS_MAX; i++)
        many[i] = (struct ft_reference_entry){.pc = i, .access_count = 1, .accesses = {{8, 0, 0}}};
    tap_ok(ft_reference_unit_create(many, FT_UNIT_INSTRUCTIONS_MAX, &unit, &diag) == FT_OK &&
               unit.slot_count == FT_UNIT_INSTRUCTIONS_MAX,
           "64 entries are a unit: %s", diag.message);
    ft_unit_fini(&unit);
    for (unsigned i = 0; i < FT_UNIT_INSTRUCTIONS_MAX; i++)
        many[i].pc = i % 2 ? 0 : UINT64_C(1) << 62;
    tap_ok(ft_reference_unit_create(many, FT_UNIT_INSTRUCTIONS_MAX, &unit, &diag) ==
               FT_ERROR_UNSUPPORTED,
           "more than a definition holds is refused: %s", diag.message);
}

int main(void)
{
    struct ft_unit unit = {0};
    struct ft_diag diag = {0};
    int status = ft_reference_unit_create(entries, ENTRIES, &unit, &diag);
    tap_ok(status == FT_OK, "four entries are a unit: %s", diag.message);
    if (status == FT_OK) {
        unit.id = 1;
        check_definition(&unit);
        check_meaning(&unit);
        check_log(&unit);
        check_damage(&unit);
        check_entries(&unit);
        ft_unit_fini(&unit);
    }
    check_limits();
    return tap_plan_done();
}
