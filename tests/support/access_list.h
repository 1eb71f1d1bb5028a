/*
 * A list of accesses and fetches in order, to compare what two readers of a log give. Test code:
 * aborts when out of memory.
 */
#ifndef FT_TESTS_SUPPORT_ACCESS_LIST_H
#define FT_TESTS_SUPPORT_ACCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access {
    uint64_t pc, address;
    uint32_t size_bytes;
    uint8_t kind; /* enum ft_access_kind */
};

struct access_list { /* starts as zeros */
    struct access *items;
    size_t count, capacity;
};

void access_list_add(struct access_list *list, struct access access);
bool access_list_equals(const struct access_list *left, const struct access_list *right);
void access_list_fini(struct access_list *list);

#endif
