/*
 * The memory of words and units. Units are laid out once, at their first record in any chunk; their
 * words are cleared at the first one in each chunk. A path's beginning shares the path's words.
 */
#include "formats/codec/log_codec.h"

#include <stdlib.h>

#include "formats/base/array.h"

int ft_log_memory_init(struct ft_log_memory *memory, struct ft_diag *diag)
{
    *memory = (struct ft_log_memory){0};
    memory->successors = calloc((size_t)1 << FT_LOG_HISTORY_BITS, sizeof *memory->successors);
    if (!memory->successors || !FT_RESERVE(memory->units, memory->unit_capacity, 1))
        return ft_fail_memory(diag, "the log codec");
    memory->units[0] = (struct ft_log_unit){0};
    memory->unit_count = 1;
    ft_log_memory_reset(memory);
    return FT_OK;
}

void ft_log_memory_fini(struct ft_log_memory *memory)
{
    free(memory->units);
    free(memory->words);
    free(memory->successors);
    *memory = (struct ft_log_memory){0};
}

void ft_log_memory_reset(struct ft_log_memory *memory)
{
    memset(memory->successors, 0, sizeof *memory->successors << FT_LOG_HISTORY_BITS);
    memset(memory->latest, 0, sizeof memory->latest);
    memory->previous = 0;
    memory->history = 0;
    memory->epoch++;
    memory->units[0].epoch = memory->epoch; /* escapes need no preparation */
    memory->units[0].successor = 0;
}

static void put_word(struct ft_log_memory *memory, unsigned size_bytes, unsigned source)
{
    memory->words[memory->word_count++] =
        (struct ft_log_word){.size_bytes = (uint8_t)size_bytes, .source = (uint8_t)source};
}

/* Lays out the words of a new unit: the count of a loop, then its slots. */
static int lay_out(struct ft_log_memory *memory, struct ft_log_unit *entry,
                   const struct ft_unit *unit, struct ft_diag *diag)
{
    size_t words = 1;
    for (unsigned i = 0; i < unit->slot_count; i++) {
        unsigned size = unit->slots[i].size_bytes;
        if (size != 4 && (size == 0 || size % 8))
            return ft_fail(diag, FT_ERROR_DATA, "unit %u has a slot of %u bytes", unit->id, size);
        words += ft_slot_words(&unit->slots[i]);
    }
    if (words > FT_LOG_UNIT_WORDS_MAX || memory->word_count + words > UINT32_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "unit %u has too many slots", unit->id);
    if (!FT_RESERVE(memory->words, memory->word_capacity, memory->word_count + words))
        return ft_fail_memory(diag, "the log codec");
    size_t first = memory->word_count;
    size_t head = 0;
    if (ft_unit_is_loop(unit))
        put_word(memory, 8, FT_LOG_SOURCE_COUNT);
    for (unsigned i = 0; i < unit->slot_count; i++) {
        const struct ft_slot *slot = &unit->slots[i];
        if (i == unit->entry_slot_count)
            head = memory->word_count - first;
        bool is_register = slot->kind == FT_SLOT_REGISTER && slot->source < FT_REGISTER_COUNT;
        for (unsigned k = 0; k < ft_slot_words(slot); k++)
            put_word(memory, slot->size_bytes < 8 ? 4 : 8,
                     is_register ? slot->source : FT_LOG_SOURCE_OTHER);
    }
    if (unit->entry_slot_count >= unit->slot_count)
        head = memory->word_count - first;
    entry->is_laid_out = true;
    entry->first_word = (uint32_t)first;
    entry->head_words = (uint16_t)head;
    entry->iteration_words = (uint16_t)(memory->word_count - first - head);
    entry->is_loop = ft_unit_is_loop(unit);
    if (entry->iteration_words && !entry->is_loop)
        return ft_fail(diag, FT_ERROR_DATA, "unit %u logs values per iteration but is no loop",
                       unit->id);
    return FT_OK;
}

/* Words that belong to the unit alone: cleared at its first record in a chunk. */
static int prepare_words(struct ft_log_memory *memory, struct ft_log_unit *entry,
                         const struct ft_unit *unit, struct ft_diag *diag)
{
    int status = entry->is_laid_out ? FT_OK : lay_out(memory, entry, unit, diag);
    if (status || entry->words_epoch == memory->epoch)
        return status;
    for (unsigned i = 0; i < (unsigned)entry->head_words + entry->iteration_words; i++) {
        struct ft_log_word *word = &memory->words[entry->first_word + i];
        word->last = word->stride = word->offset = 0;
        word->code = FT_LOG_LAST;
    }
    entry->words_epoch = memory->epoch;
    return FT_OK;
}

/* A loop left early has the definition of the whole loop, and how far its last iteration got. */
static bool is_same_loop(const struct ft_unit *unit, const struct ft_unit *whole)
{
    return whole->entry_slot_count == unit->entry_slot_count &&
           whole->slot_count == unit->slot_count &&
           whole->instruction_count == unit->instruction_count && whole->pc == unit->pc &&
           whole->code_bytes == unit->code_bytes &&
           memcmp(whole->code, unit->code, unit->code_bytes) == 0;
}

static bool is_beginning(const struct ft_unit *unit, const struct ft_unit *whole)
{
    return whole && whole->kind == unit->kind && whole->beginning_of == 0 &&
           (unit->kind == FT_UNIT_PATH || is_same_loop(unit, whole)) &&
           unit->slot_count <= whole->slot_count &&
           (unit->slot_count == 0 ||
            memcmp(unit->slots, whole->slots, unit->slot_count * sizeof *unit->slots) == 0);
}

/* The words of a path's beginning are the first ones of the path. */
static int share_words(struct ft_log_memory *memory, struct ft_log_unit *entry,
                       const struct ft_unit_table *units, const struct ft_unit *unit,
                       struct ft_diag *diag)
{
    uint32_t id = unit->beginning_of;
    const struct ft_unit *whole = id < units->count ? units->units[id] : NULL;
    if (!is_beginning(unit, whole))
        return ft_fail(diag, FT_ERROR_DATA, "unit %u is not a beginning of unit %u", unit->id, id);
    int status = prepare_words(memory, &memory->units[id], whole, diag);
    const struct ft_log_unit *shared = &memory->units[id];
    entry->first_word = shared->first_word;
    entry->is_loop = shared->is_loop;
    entry->head_words =
        shared->is_loop ? shared->head_words : (uint16_t)ft_unit_value_count(unit, 0);
    entry->iteration_words = shared->is_loop ? shared->iteration_words : 0;
    entry->last_iteration_words = (uint16_t)ft_unit_last_iteration_words(unit);
    return status;
}

int ft_log_memory_learn_unit(struct ft_log_memory *memory, const struct ft_unit_table *units,
                             uint32_t id, struct ft_diag *diag)
{
    if (id == 0)
        return FT_OK;
    if (id >= units->count || !units->units[id])
        return ft_fail(diag, FT_ERROR_DATA, "a record of unit %u, which the trace does not define",
                       id);
    size_t count = units->count;
    if (count > memory->unit_count) {
        if (!FT_RESERVE(memory->units, memory->unit_capacity, count))
            return ft_fail_memory(diag, "the log codec");
        memset(&memory->units[memory->unit_count], 0,
               (count - memory->unit_count) * sizeof *memory->units);
        memory->unit_count = count;
    }
    struct ft_log_unit *entry = &memory->units[id];
    const struct ft_unit *unit = units->units[id];
    int status = unit->beginning_of ? share_words(memory, entry, units, unit, diag)
                                    : prepare_words(memory, entry, unit, diag);
    if (status)
        return status;
    entry->successor = 0;
    entry->epoch = memory->epoch;
    entry->fixed_epoch = entry->is_fixed ? memory->epoch : 0;
    return FT_OK;
}
