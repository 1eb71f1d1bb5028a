/*
 * Translations by program counter: a hash table that grows with their number, so that a look-up
 * usually touches one cache line. Of several with the same pc the last one that was added is found;
 * when it is removed, the previous one. One thread.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_TRANSLATION_TABLE_H
#define FT_TRACE_CAPTURE_TRANSLATE_TRANSLATION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ft_translation;

struct ft_translation_slot {
    uint64_t pc;
    struct ft_translation *latest; /* of the pc; the others follow by ->older. NULL: a free slot */
};

struct ft_translation_table {
    struct ft_translation_slot *slots; /* slot_count of them, a power of two, or none */
    size_t slot_count, used;
};

/* False when out of memory. */
bool ft_translation_table_add(struct ft_translation_table *table,
                              struct ft_translation *translation);
/* Whether it was there. */
bool ft_translation_table_remove(struct ft_translation_table *table,
                                 const struct ft_translation *translation);
struct ft_translation *ft_translation_table_find(const struct ft_translation_table *table,
                                                 uint64_t pc);
void ft_translation_table_fini(struct ft_translation_table *table);

#endif
