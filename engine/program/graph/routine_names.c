#include "engine/program/graph/routine_names.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/demangle.h"

/* The ends of names; numbered: with .N behind, else with it or without. */
static const struct {
    const char *end;
    bool numbered;
    uint8_t starts;
} endings[] = {
    {".cold", false, FT_STARTS_NOTHING},
    {".part", true, FT_STARTS_PART},
    {".isra", true, FT_STARTS_PART},
    {"._omp_fn", true, FT_STARTS_REGION},
    {".omp_outlined", false, FT_STARTS_REGION},
};

void ft_name_index_fini(struct ft_name_index *index)
{
    free(index->symbols);
    *index = (struct ft_name_index){0};
}

static int compare_names(const void *left, const void *right, void *strings)
{
    const struct ft_symbol *const *a = left, *const *b = right;
    return strcmp((const char *)strings + (*a)->name, (const char *)strings + (*b)->name);
}

static bool index_names(struct ft_name_index *index, const struct ft_module *module)
{
    free(index->symbols);
    index->module = module;
    index->symbols = malloc((module->symbol_count + 1) * sizeof *index->symbols);
    if (!index->symbols)
        return false;
    for (size_t i = 0; i < module->symbol_count; i++)
        index->symbols[i] = &module->symbols[i];
    qsort_r(index->symbols, module->symbol_count, sizeof *index->symbols, compare_names,
            module->strings);
    return true;
}

/* The first entry of the index whose name begins with so much of `name`, or sorts behind that. */
static size_t first_with(const struct ft_name_index *index, const char *name, size_t length)
{
    const struct ft_module *module = index->module;
    size_t low = 0, high = module->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(module->strings + index->symbols[middle]->name, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The only symbol whose name is the first `length` characters of `name`, or NULL. */
static const struct ft_symbol *only_symbol(const struct ft_name_index *index, const char *name,
                                           size_t length)
{
    const struct ft_module *module = index->module;
    const struct ft_symbol *found = NULL;
    for (size_t i = first_with(index, name, length); i < module->symbol_count; i++) {
        const char *there = module->strings + index->symbols[i]->name;
        if (strncmp(there, name, length) != 0 || there[length] != 0)
            break;
        if (found)
            return NULL;
        found = index->symbols[i];
    }
    return found;
}

/* How much of a name is left without the end that says it is a part; 0: it is none. */
static size_t length_without_part(const char *name, uint8_t *ret_starts)
{
    const size_t all = strlen(name);
    size_t length = all;
    while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    const bool has_number = length < all && length > 0 && name[length - 1] == '.';
    length = has_number ? length - 1 : all;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t end = strlen(endings[i].end);
        if (length > end && strncmp(name + length - end, endings[i].end, end) == 0 &&
            (has_number || !endings[i].numbered)) {
            *ret_starts = endings[i].starts;
            return length - end;
        }
    }
    return 0;
}

/* Of the regions of one routine, the one that comes first in the module. */
static const struct ft_symbol *first_region(const struct ft_name_index *index, const char *name,
                                            size_t length, const struct ft_symbol *symbol)
{
    const struct ft_module *module = index->module;
    for (size_t i = first_with(index, name, length); i < module->symbol_count; i++) {
        const struct ft_symbol *other = index->symbols[i];
        const char *there = module->strings + other->name;
        uint8_t starts;
        if (strncmp(there, name, length) != 0)
            break;
        if (length_without_part(there, &starts) == length && starts == FT_STARTS_REGION &&
            other->start < symbol->start)
            symbol = other;
    }
    return symbol;
}

const struct ft_symbol *ft_whole_routine(struct ft_name_index *index,
                                         const struct ft_module *module,
                                         const struct ft_symbol *symbol, uint8_t *ret_starts)
{
    uint8_t starts = FT_STARTS_ROUTINE;
    for (;;) {
        const char *name = module->strings + symbol->name;
        uint8_t part = FT_STARTS_ROUTINE;
        size_t length = length_without_part(name, &part);
        const struct ft_symbol *whole = NULL;
        if (length > 0 && index->module != module && !index_names(index, module))
            return NULL;
        if (length > 0) {
            whole = only_symbol(index, name, length);
            if (!whole && part == FT_STARTS_REGION)
                whole = first_region(index, name, length, symbol);
        }
        if (!whole || whole == symbol)
            break;
        if (starts == FT_STARTS_ROUTINE)
            starts = part;
        symbol = whole;
    }
    *ret_starts = starts;
    return symbol;
}

char *ft_routine_name(const char *symbol)
{
    uint8_t starts;
    size_t length = length_without_part(symbol, &starts);
    if (length == 0 || starts != FT_STARTS_REGION)
        return ft_demangle(symbol);
    char *routine = strndup(symbol, length);
    char *name = routine ? ft_demangle(routine) : NULL;
    free(routine);
    return name;
}
