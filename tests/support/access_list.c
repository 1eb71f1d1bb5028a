#include "tests/support/access_list.h"

#include <stdlib.h>

#include "formats/base/array.h"

void access_list_add(struct access_list *list, struct access access)
{
    if (!FT_RESERVE(list->items, list->capacity, list->count + 1))
        abort();
    list->items[list->count++] = access;
}

bool access_list_equals(const struct access_list *left, const struct access_list *right)
{
    if (left->count != right->count)
        return false;
    for (size_t i = 0; i < left->count; i++) {
        const struct access *l = &left->items[i], *r = &right->items[i];
        if (l->pc != r->pc || l->address != r->address || l->size_bytes != r->size_bytes ||
            l->kind != r->kind)
            return false;
    }
    return true;
}

void access_list_fini(struct access_list *list)
{
    free(list->items);
    *list = (struct access_list){0};
}
