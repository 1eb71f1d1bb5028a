/*
 * Entries of units come first, then edges, then partly executed units, in ascending order. A chunk
 * with an entry of an undefined unit, or a duplicate one, is refused.
 */
#include "formats/trace/counts_table.h"

#include <inttypes.h>

#include "formats/base/array.h"
#include "formats/trace/chunk.h"

enum { ENTRY_UNIT = 1, ENTRY_EDGE = 2, ENTRY_PART = 3 };

#define ENTRY_BYTES_MAX 32U /* a kind, two units, two counts: varints */
#define COUNT_MAX       (UINT64_C(1) << 62)

static bool is_full(const struct ft_bytes *entries)
{
    return entries->length > FT_CHUNK_PAYLOAD_BYTES_MAX - ENTRY_BYTES_MAX;
}

uint64_t ft_counts_write(const struct ft_execution_counts *counts,
                         const struct ft_unit_table *units, struct ft_counts_walk *walk,
                         struct ft_bytes *payload)
{
    uint64_t instructions = 0;
    for (; walk->next_unit < units->count && !is_full(payload); walk->next_unit++) {
        size_t id = walk->next_unit;
        if (!counts->units[id])
            continue;
        ft_put_varint(payload, ENTRY_UNIT);
        ft_put_varint(payload, id);
        ft_put_varint(payload, counts->units[id]);
        ft_put_varint(payload, counts->loop_entries[id]);
        instructions += counts->units[id] * units->units[id]->instruction_count;
    }
    for (; walk->next_edge < counts->edge_count && !is_full(payload); walk->next_edge++) {
        const struct ft_unit_edge *edge = &counts->edges[walk->next_edge];
        ft_put_varint(payload, ENTRY_EDGE);
        ft_put_varint(payload, edge->from);
        ft_put_varint(payload, edge->to);
        ft_put_varint(payload, edge->count);
    }
    for (; walk->next_part < counts->part_count && !is_full(payload); walk->next_part++) {
        const struct ft_unit_part *part = &counts->parts[walk->next_part];
        ft_put_varint(payload, ENTRY_PART);
        ft_put_varint(payload, part->unit);
        ft_put_varint(payload, part->instructions);
        ft_put_varint(payload, part->count);
        instructions += part->count * part->instructions;
    }
    walk->is_done = walk->next_unit == units->count && walk->next_edge == counts->edge_count &&
                    walk->next_part == counts->part_count;
    return instructions;
}

static const struct ft_unit *unit_of(const struct ft_unit_table *units, uint64_t id)
{
    return id < units->count ? units->units[id] : NULL;
}

/* Adds what so many executions of so many instructions are. */
static bool add_executed(uint64_t executions, uint64_t instructions, uint64_t *sum)
{
    uint64_t executed;
    return executions && executions <= COUNT_MAX &&
           !__builtin_mul_overflow(executions, instructions, &executed) &&
           !__builtin_add_overflow(*sum, executed, sum);
}

static bool read_unit(struct ft_cursor *cursor, const struct ft_unit_table *units,
                      struct ft_execution_counts *counts, uint64_t *instructions)
{
    uint64_t id = ft_get_varint(cursor);
    uint64_t executions = ft_get_varint(cursor), entries = ft_get_varint(cursor);
    const struct ft_unit *unit = unit_of(units, id);
    if (cursor->failed || !unit || counts->units[id] || entries > executions ||
        !add_executed(executions, unit->instruction_count, instructions))
        return false;
    counts->units[id] = executions;
    counts->loop_entries[id] = entries;
    return true;
}

static bool read_edge(struct ft_cursor *cursor, const struct ft_unit_table *units,
                      const struct ft_execution_counts *counts, struct ft_unit_edge *ret_edge)
{
    uint64_t from = ft_get_varint(cursor), to = ft_get_varint(cursor);
    uint64_t count = ft_get_varint(cursor);
    if (cursor->failed || (from && !unit_of(units, from)) || !unit_of(units, to) ||
        count > COUNT_MAX)
        return false;
    *ret_edge = (struct ft_unit_edge){(uint32_t)from, (uint32_t)to, count};
    const struct ft_unit_edge *before =
        counts->edge_count ? &counts->edges[counts->edge_count - 1] : NULL;
    return !before || before->from < from || (before->from == from && before->to < to);
}

static bool read_part(struct ft_cursor *cursor, const struct ft_unit_table *units,
                      const struct ft_execution_counts *counts, struct ft_unit_part *ret_part,
                      uint64_t *instructions)
{
    uint64_t id = ft_get_varint(cursor), ran = ft_get_varint(cursor);
    uint64_t count = ft_get_varint(cursor);
    const struct ft_unit *unit = unit_of(units, id);
    if (cursor->failed || !unit || ran == 0 || ran > unit->instruction_count ||
        !add_executed(count, ran, instructions))
        return false;
    *ret_part = (struct ft_unit_part){(uint32_t)id, (uint32_t)ran, count};
    const struct ft_unit_part *before =
        counts->part_count ? &counts->parts[counts->part_count - 1] : NULL;
    return !before || before->unit < id || (before->unit == id && before->instructions < ran);
}

/* One entry; *ret_is_read: whether it makes sense. */
static int read_entry(struct ft_cursor *cursor, const struct ft_unit_table *units,
                      struct ft_counts_reading *reading, uint64_t *instructions, bool *ret_is_read,
                      struct ft_diag *diag)
{
    struct ft_execution_counts *counts = &reading->counts;
    struct ft_unit_edge edge;
    struct ft_unit_part part;
    bool has_memory = true;
    switch (ft_get_varint(cursor)) {
    case ENTRY_UNIT:
        *ret_is_read = read_unit(cursor, units, counts, instructions);
        break;
    case ENTRY_EDGE:
        *ret_is_read = read_edge(cursor, units, counts, &edge);
        if (*ret_is_read && (has_memory = FT_RESERVE(counts->edges, reading->edge_capacity,
                                                     counts->edge_count + 1)))
            counts->edges[counts->edge_count++] = edge;
        break;
    case ENTRY_PART:
        *ret_is_read = read_part(cursor, units, counts, &part, instructions);
        if (*ret_is_read && (has_memory = FT_RESERVE(counts->parts, reading->part_capacity,
                                                     counts->part_count + 1)))
            counts->parts[counts->part_count++] = part;
        break;
    default:
        *ret_is_read = false;
    }
    return has_memory ? FT_OK : ft_fail_memory(diag, "the counts of a trace");
}

int ft_counts_read(struct ft_cursor *cursor, const struct ft_unit_table *units,
                   uint64_t instructions, struct ft_counts_reading *reading, struct ft_diag *diag)
{
    uint64_t found = 0;
    while (cursor->position < cursor->length) {
        bool is_read = false;
        int status = read_entry(cursor, units, reading, &found, &is_read, diag);
        if (status)
            return status;
        if (!is_read)
            return ft_fail(diag, FT_ERROR_DATA, "the counts are truncated or inconsistent");
    }
    if (found != instructions)
        return ft_fail(diag, FT_ERROR_DATA,
                       "the counts stand for %" PRIu64 " instructions, %" PRIu64 " are noted",
                       found, instructions);
    return FT_OK;
}
