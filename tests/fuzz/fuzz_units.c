/*
 * The definition of a unit, and a record of it: read, compiled, counted, expanded and stepped
 * through. The input is the definition; what is left are the iterations (u8) and the values.
 */
#include <string.h>

#include "formats/expand/expand.h"
#include "formats/expand/unit_reading.h"
#include "tests/fuzz/fuzz.h"

#define ITERATIONS_MAX 64
#define ACCESSES_MAX   (1U << 16)

static int count_access(void *context, const struct ft_expanded_access *access)
{
    struct ft_log_totals *totals = context;
    *(access->kind == FT_PREFETCH ? &totals->prefetches : &totals->accesses) += 1;
    return 0;
}

/* Sums of addresses, weighed with their places, tell two rows of accesses apart. */
struct seen {
    uint64_t count, sum;
};

static void see(struct seen *seen, uint64_t address)
{
    seen->sum = (seen->sum ^ address) * UINT64_C(0x9e3779b97f4a7c15) + seen->count++;
}

static int see_access(void *context, const struct ft_expanded_access *access)
{
    if (access->kind != FT_PREFETCH)
        see(context, access->address);
    return 0;
}

static void see_runs(struct seen *seen, const struct ft_run_buffer *buffer)
{
    for (size_t r = 0; r < buffer->run_count; r++) {
        const struct ft_run *run = &buffer->runs[r];
        for (uint64_t i = 0; i < run->iteration_count; i++)
            for (size_t k = run->first; k < run->first + run->reference_count; k++)
                see(seen, buffer->addresses[k] +
                              (run->iteration_count > 1 ? i * (uint64_t)buffer->strides[k] : 0));
    }
}

static void compare(const struct ft_unit *unit, const struct ft_unit_program *program,
                    const struct ft_record *record)
{
    static uint32_t references[4096];
    struct ft_log_state counted = {.rsp = 0x7fff0000}, expanded = counted, stepped = counted;
    struct ft_log_totals totals = {0}, expected = {0};
    struct ft_run_buffer buffer = {.entry_limit = UINT64_MAX};
    struct seen runs = {0}, steps = {0};
    ft_unit_program_count(program, record, &counted, &totals);
    if (totals.accesses > ACCESSES_MAX)
        return;
    FUZZ_EXPECT(ft_unit_step(unit, record, &stepped, count_access, &expected, NULL) == FT_OK);
    FUZZ_EXPECT(expected.accesses == totals.accesses && expected.prefetches == totals.prefetches);
    FUZZ_EXPECT(counted.rsp == stepped.rsp && counted.fs_base == stepped.fs_base);
    stepped = expanded;
    ft_unit_step(unit, record, &stepped, see_access, &steps, NULL);
    do {
        ft_run_buffer_clear(&buffer);
        FUZZ_EXPECT(ft_unit_program_expand(program, record, references, &expanded, &buffer, NULL) ==
                    FT_OK);
        see_runs(&runs, &buffer);
    } while (buffer.iterations_done);
    FUZZ_EXPECT(runs.count == steps.count && runs.sum == steps.sum);
    FUZZ_EXPECT(expanded.rsp == stepped.rsp && expanded.fs_base == stepped.fs_base &&
                expanded.direction_down == stepped.direction_down);
    ft_run_buffer_fini(&buffer);
}

static void use_unit(struct ft_unit *unit, const uint8_t *rest, size_t bytes)
{
    struct ft_unit_program *program;
    if (ft_unit_program_create(unit, &program, NULL))
        return;
    struct ft_record record = {.unit = unit->id, .iteration_count = 1};
    if (ft_unit_is_loop(unit) && bytes)
        record.iteration_count = rest[0] % ITERATIONS_MAX;
    record.value_count = ft_unit_value_count(unit, record.iteration_count);
    uint64_t *values = calloc(record.value_count + 1, sizeof *values);
    FUZZ_EXPECT(values);
    size_t given = record.value_count * sizeof *values;
    if (bytes)
        memcpy(values, rest, given < bytes ? given : bytes);
    record.values = values;
    if (fuzz_is_narrow(unit, &record))
        compare(unit, program, &record);
    free(values);
    ft_unit_program_destroy(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct ft_cursor cursor = {.data = data, .length = bytes};
    struct ft_unit unit;
    if (ft_unit_read(&cursor, &unit, NULL))
        return 0;
    use_unit(&unit, data + cursor.position, bytes - cursor.position);
    struct ft_bytes again = {0};
    ft_unit_write(&unit, &again);
    FUZZ_EXPECT(again.length == cursor.position && memcmp(again.data, data, again.length) == 0);
    ft_bytes_fini(&again);
    ft_unit_fini(&unit);
    return 0;
}
