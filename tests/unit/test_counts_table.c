/*
 * Counts of executions as entries of chunks: what is written is what is read, in one chunk and in
 * several; inconsistent entries are refused.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/trace/counts_table.h"
#include "formats/trace/trace_writer.h"
#include "tests/support/tap.h"

#define UNITS 4U /* of 1, 2 and 3 instructions */

static const struct ft_unit one = {.id = 1, .instruction_count = 1};
static const struct ft_unit two = {.id = 2, .instruction_count = 2};
static const struct ft_unit three = {.id = 3, .instruction_count = 3};
static const struct ft_unit *const pointers[UNITS] = {NULL, &one, &two, &three};
static const struct ft_unit_table units = {pointers, UNITS};

static void begin(struct ft_counts_reading *reading)
{
    *reading = (struct ft_counts_reading){0};
    reading->counts.units = calloc(UNITS, sizeof *reading->counts.units);
    reading->counts.loop_entries = calloc(UNITS, sizeof *reading->counts.loop_entries);
    if (!reading->counts.units || !reading->counts.loop_entries)
        abort();
}

static int read(const struct ft_bytes *payload, uint64_t instructions,
                struct ft_counts_reading *reading)
{
    struct ft_cursor cursor = {payload->data, payload->length, 0, false};
    return ft_counts_read(&cursor, &units, instructions, reading, NULL);
}

static bool are_equal(const struct ft_execution_counts *a, const struct ft_execution_counts *b)
{
    return memcmp(a->units, b->units, UNITS * sizeof *a->units) == 0 &&
           memcmp(a->loop_entries, b->loop_entries, UNITS * sizeof *a->units) == 0 &&
           a->edge_count == b->edge_count && a->part_count == b->part_count &&
           memcmp(a->edges, b->edges, a->edge_count * sizeof *a->edges) == 0 &&
           memcmp(a->parts, b->parts, a->part_count * sizeof *a->parts) == 0;
}

static void check_round_trip(void)
{
    uint64_t executions[UNITS] = {0, 5, 0, UINT64_C(1) << 40}, entries[UNITS] = {0, 0, 0, 7};
    struct ft_unit_edge edges[] = {{0, 1, 5}, {1, 3, 5}, {3, 2, 7}, {3, 3, UINT64_C(1) << 39}};
    struct ft_unit_part parts[] = {{2, 1, 3}, {3, 1, 1}, {3, 2, 9}};
    struct ft_execution_counts counts = {.units = executions,
                                         .loop_entries = entries,
                                         .edges = edges,
                                         .edge_count = 4,
                                         .parts = parts,
                                         .part_count = 3};
    struct ft_counts_walk walk = {0};
    struct ft_counts_reading reading;
    struct ft_bytes payload = {0};
    uint64_t instructions = ft_counts_write(&counts, &units, &walk, &payload);
    tap_ok(instructions == 5 + 3 * (UINT64_C(1) << 40) + 3 + 1 + 18, "instructions");
    begin(&reading);
    int status = read(&payload, instructions, &reading);
    tap_ok(walk.is_done && status == FT_OK && are_equal(&counts, &reading.counts),
           "what is written is read");
    ft_execution_counts_fini(&reading.counts);
    begin(&reading);
    tap_ok(read(&payload, instructions + 1, &reading) == FT_ERROR_DATA,
           "another number of instructions is refused");
    ft_execution_counts_fini(&reading.counts);
    size_t taken = 0;
    for (payload.length--; payload.length > 0; payload.length--) {
        begin(&reading);
        taken += read(&payload, instructions, &reading) == FT_OK;
        ft_execution_counts_fini(&reading.counts);
    }
    tap_ok(taken == 0, "a table that is cut off is refused");
    ft_bytes_fini(&payload);
}

/* More edges than a chunk takes. */
static void check_chunks(void)
{
    const size_t edge_count = 3 * (size_t)FT_CHUNK_PAYLOAD_BYTES_MAX / 20;
    uint64_t none[UNITS] = {0};
    struct ft_unit_edge *edges = malloc(edge_count * sizeof *edges);
    if (!edges)
        abort();
    for (size_t i = 0; i < edge_count; i++)
        edges[i] = (struct ft_unit_edge){(uint32_t)i + (1U << 28), 1, UINT64_C(1) << 61};
    struct ft_execution_counts counts = {
        .units = none, .loop_entries = none, .edges = edges, .edge_count = edge_count};
    struct ft_counts_walk walk = {0};
    size_t chunks = 0, too_long = 0;
    for (; !walk.is_done && chunks < 9; chunks++) {
        struct ft_bytes payload = {0};
        ft_counts_write(&counts, &units, &walk, &payload);
        too_long += payload.length > FT_CHUNK_PAYLOAD_BYTES_MAX;
        ft_bytes_fini(&payload);
    }
    tap_ok(walk.is_done && walk.next_edge == edge_count && chunks > 1 && too_long == 0,
           "%zu chunks for many edges", chunks);
    free(edges);
}

#define NUMBERS_MAX 12
#define MUCH        (UINT64_C(1) << 62)

static void check_refused(void)
{
    static const struct {
        const char *what;
        uint64_t numbers[NUMBERS_MAX]; /* to the first 0 behind the third */
        uint64_t instructions;
        bool is_fine;
    } cases[] = {
        {"a unit", {1, 2, 5, 0}, 10, true},
        {"a loop that was entered", {1, 2, 5, 5}, 10, true},
        {"one entered more often than it ran", {1, 2, 5, 6}, 10, false},
        {"a unit that is not there", {1, 4, 1, 0}, 1, false},
        {"unit 0", {1, 0, 1, 0}, 1, false},
        {"a unit that never ran", {1, 2, 0, 0}, 0, false},
        {"a unit twice", {1, 2, 5, 1, 1, 2, 5, 1}, 20, false},
        {"more than all there can be", {1, 1, MUCH + 1, 0}, MUCH + 1, false},
        {"a product that is too large", {1, 3, MUCH, 1, 1, 2, MUCH, 1}, MUCH, false},
        {"an edge", {2, 1, 2, 5}, 0, true},
        {"an edge from nowhere", {2, 0, 2, 5}, 0, true},
        {"an edge to nowhere", {2, 1, 0, 5}, 0, false},
        {"an edge to a unit that is not there", {2, 1, 4, 5}, 0, false},
        {"an edge from one", {2, 4, 1, 5}, 0, false},
        {"an edge twice", {2, 1, 2, 5, 2, 1, 2, 5}, 0, false},
        {"edges that descend", {2, 2, 1, 5, 2, 1, 2, 5}, 0, false},
        {"a part", {3, 3, 2, 5}, 10, true},
        {"a part of nothing", {3, 3, 0, 5}, 0, false},
        {"more than the unit has", {3, 3, 4, 5}, 20, false},
        {"a part twice", {3, 3, 2, 5, 3, 3, 2, 5}, 20, false},
        {"parts that descend", {3, 3, 2, 5, 3, 3, 1, 5}, 15, false},
        {"an unknown kind", {4, 1, 1, 1}, 0, false},
        {"kind 0", {0, 1, 1, 1}, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ft_counts_reading reading;
        struct ft_bytes payload = {0};
        for (size_t n = 0; n < NUMBERS_MAX && (n < 4 || cases[i].numbers[n]); n++)
            ft_put_varint(&payload, cases[i].numbers[n]);
        begin(&reading);
        int status = read(&payload, cases[i].instructions, &reading);
        tap_ok(status == (cases[i].is_fine ? FT_OK : FT_ERROR_DATA), "%s is %s", cases[i].what,
               cases[i].is_fine ? "taken" : "refused");
        ft_execution_counts_fini(&reading.counts);
        ft_bytes_fini(&payload);
    }
}

int main(void)
{
    check_round_trip();
    check_chunks();
    check_refused();
    return tap_plan_done();
}
