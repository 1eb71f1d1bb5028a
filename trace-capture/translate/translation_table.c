/*
 * Open addressing with linear probing, at most half full. When a slot becomes free, entries after
 * it that collided with it move up, so that a search may end at the first free slot.
 */
#include "trace-capture/translate/translation_table.h"

#include <stdlib.h>

#include "trace-capture/translate/translation.h"

#define SLOTS_MIN 1024U

static size_t home_of(const struct ft_translation_table *table, uint64_t pc)
{
    return (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (table->slot_count - 1);
}

/* The slot of the pc, or the free one where it would be. */
static size_t slot_of(const struct ft_translation_table *table, uint64_t pc)
{
    size_t slot = home_of(table, pc);
    while (table->slots[slot].latest && table->slots[slot].pc != pc)
        slot = (slot + 1) & (table->slot_count - 1);
    return slot;
}

static bool grow(struct ft_translation_table *table)
{
    struct ft_translation_table grown = {.used = table->used};
    grown.slot_count = table->slot_count ? 2 * table->slot_count : SLOTS_MIN;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].latest)
            grown.slots[slot_of(&grown, table->slots[i].pc)] = table->slots[i];
    free(table->slots);
    *table = grown;
    return true;
}

bool ft_translation_table_add(struct ft_translation_table *table,
                              struct ft_translation *translation)
{
    if (2 * (table->used + 1) > table->slot_count && !grow(table))
        return false;
    struct ft_translation_slot *slot = &table->slots[slot_of(table, translation->unit.pc)];
    table->used += !slot->latest;
    translation->older = slot->latest;
    *slot = (struct ft_translation_slot){translation->unit.pc, translation};
    return true;
}

/* Closes the gap: each entry after it, up to the next free slot, must still be found from its
 * home. */
static void free_slot(struct ft_translation_table *table, size_t gap)
{
    size_t mask = table->slot_count - 1;
    for (size_t at = (gap + 1) & mask; table->slots[at].latest; at = (at + 1) & mask) {
        size_t from_home = (at - home_of(table, table->slots[at].pc)) & mask;
        if (from_home < ((at - gap) & mask))
            continue;
        table->slots[gap] = table->slots[at];
        gap = at;
    }
    table->slots[gap] = (struct ft_translation_slot){0};
    table->used--;
}

bool ft_translation_table_remove(struct ft_translation_table *table,
                                 const struct ft_translation *translation)
{
    if (table->slot_count == 0)
        return false;
    size_t slot = slot_of(table, translation->unit.pc);
    struct ft_translation **link = &table->slots[slot].latest;
    while (*link && *link != translation)
        link = &(*link)->older;
    if (!*link)
        return false;
    *link = translation->older;
    if (!table->slots[slot].latest)
        free_slot(table, slot);
    return true;
}

struct ft_translation *ft_translation_table_find(const struct ft_translation_table *table,
                                                 uint64_t pc)
{
    return table->slot_count ? table->slots[slot_of(table, pc)].latest : NULL;
}

void ft_translation_table_fini(struct ft_translation_table *table)
{
    free(table->slots);
    *table = (struct ft_translation_table){0};
}
