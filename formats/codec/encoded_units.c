/*
 * Sizes of a unit's raw records follow from its slots; how often a loop ran, from the source of its
 * count. A unit whose records always count the same is marked for the encoder's fast loop.
 */
#include "formats/codec/encoded_units.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

int ft_raw_log_fail(const struct ft_raw_log *raw, uint32_t unit, const char *what,
                    struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "log buffer at byte %zu: unit %u: %s", raw->position, unit,
                   what);
}

void ft_encoded_units_fini(struct ft_encoded_units *encoded)
{
    for (size_t i = 0; i < encoded->count; i++)
        ft_unit_program_destroy(encoded->items[i].program);
    free(encoded->items);
    free(encoded->met);
}

/* Finds the initial value of the induction register among the entry values. */
static bool find_induction(struct ft_encoded_unit *item)
{
    const struct ft_unit *unit = item->unit;
    unsigned value = 0;
    for (unsigned i = 0; i < unit->entry_slot_count; i++) {
        const struct ft_slot *slot = &unit->slots[i];
        if (slot->kind == FT_SLOT_REGISTER && slot->source == unit->induction_register) {
            item->induction_value = value;
            return slot->size_bytes == 8 && unit->induction_stride != 0;
        }
        value += ft_slot_words(slot);
    }
    return false;
}

int ft_encoded_unit_program(struct ft_encoded_unit *encoded, struct ft_diag *diag)
{
    return encoded->program ? FT_OK
                            : ft_unit_program_create(encoded->unit, &encoded->program, diag);
}

/* Enters what the encoder's fast loop needs into the unit's memory, if it can take the unit; else
 * makes the unit's program. */
static int note_fixed(struct ft_log_unit *entry, struct ft_encoded_unit *made, struct ft_diag *diag)
{
    struct ft_log_totals each;
    uint64_t rsp;
    const bool is_short = !entry->is_loop && entry->head_words <= FT_LOG_FIXED_WORDS_MAX;
    bool is_fixed = is_short && ft_unit_fixed(made->unit, &each, &rsp);
    if (!is_fixed) {
        FT_TRY(ft_encoded_unit_program(made, diag));
        is_fixed = is_short && ft_unit_program_fixed(made->program, &each, &rsp);
    }
    if (!is_fixed || (uint64_t)(int32_t)rsp != rsp)
        return ft_encoded_unit_program(made, diag);
    entry->each_instructions = (uint16_t)each.instructions; /* at most FT_PATH_INSTRUCTIONS_MAX */
    entry->each_accesses = (uint16_t)each.accesses;         /* at most FT_ACCESSES_MAX of each */
    entry->each_prefetches = (uint16_t)each.prefetches;
    entry->each_rsp = (int32_t)rsp;
    entry->is_fixed = true;
    entry->fixed_epoch = entry->epoch;
    return FT_OK;
}

static bool make_room(struct ft_encoded_units *encoded, size_t count)
{
    if (count <= encoded->count)
        return true;
    if (!FT_RESERVE(encoded->items, encoded->capacity, count))
        return false;
    memset(&encoded->items[encoded->count], 0, (count - encoded->count) * sizeof *encoded->items);
    encoded->count = count;
    return true;
}

int ft_encoded_units_make(struct ft_encoded_units *encoded, struct ft_log_memory *memory,
                          const struct ft_unit_table *units, uint32_t id,
                          const struct ft_raw_log *raw, struct ft_diag *diag)
{
    if (!make_room(encoded, memory->unit_count))
        return ft_fail_memory(diag, "the log encoder");
    struct ft_encoded_unit *item = &encoded->items[id];
    if (id == 0 || item->unit)
        return FT_OK;
    const struct ft_unit *unit = units->units[id];
    struct ft_encoded_unit made = {.unit = unit};
    bool is_loop = ft_unit_is_loop(unit);
    uint32_t head_bytes = is_loop ? 8 : 0;
    if (!FT_RESERVE(encoded->met, encoded->met_capacity, encoded->met_count + 2))
        return ft_fail_memory(diag, "the log encoder");
    for (unsigned i = 0; i < unit->slot_count; i++) {
        *(i < unit->entry_slot_count ? &head_bytes : &made.iteration_bytes) +=
            unit->slots[i].size_bytes;
        if (i >= unit->entry_slot_count && i < unit->entry_slot_count + unit->last_iteration_slots)
            made.last_iteration_bytes += unit->slots[i].size_bytes;
    }
    if (is_loop && unit->count_source == FT_COUNT_INDUCTION && !find_induction(&made))
        return ft_raw_log_fail(raw, id, "its induction register is not logged at entry", diag);
    if (is_loop && unit->count_source == FT_COUNT_VALUES && made.iteration_bytes == 0)
        return ft_raw_log_fail(raw, id, "it counts its iterations by values that it does not log",
                               diag);
    struct ft_log_unit *entry = &memory->units[id];
    entry->head_bytes = (uint16_t)head_bytes; /* at most 8 * FT_LOG_UNIT_WORDS_MAX */
    FT_TRY(note_fixed(entry, &made, diag));
    if (unit->beginning_of)
        encoded->met[encoded->met_count++] = unit->beginning_of;
    encoded->met[encoded->met_count++] = id;
    *item = made;
    return FT_OK;
}

uint64_t ft_encoded_unit_iterations(const struct ft_encoded_unit *encoded, uint64_t end_word,
                                    const uint64_t *entry_values, size_t head_bytes)
{
    switch (encoded->unit->count_source) {
    case FT_COUNT_INDUCTION: {
        uint64_t change = end_word - entry_values[encoded->induction_value];
        int64_t stride = encoded->unit->induction_stride;
        return stride < 0 ? -change / -(uint64_t)stride : change / (uint64_t)stride;
    }
    case FT_COUNT_VALUES:
        return (end_word - head_bytes) / encoded->iteration_bytes;
    default:
        return end_word;
    }
}
