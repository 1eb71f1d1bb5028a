/*
 * Objects are found by a key of a few words in a hash table: kind and position in the module, or
 * function and the innermost return addresses. Sites with different return addresses
 * and one text are one object: copies that the compiler made of a call, say.
 */
#include "engine/data/data_objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/data/allocation_site.h"
#include "engine/program/graph/routine_names.h"
#include "formats/base/array.h"
#include "formats/base/demangle.h"
#include "formats/base/file_name.h"
#include "formats/base/hash_table.h"
#include "formats/base/splitmix.h"

const char *const ft_data_kind_names[FT_DATA_KINDS] = {"unknown", "variable", "heap",   "mapping",
                                                       "break",   "stack",    "module", "code"};

#define KEY_WORDS (2 + FT_SITE_FRAMES_MAX)

struct entry {
    uint64_t hash; /* of the key; 128 bits in all tell keys apart */
    uint64_t check;
    uint32_t object; /* + 1; 0: new */
};

struct ft_data_objects {
    const struct ft_trace *trace;
    unsigned callers;
    struct ft_data_object *items;
    size_t count, capacity;
    struct entry *entries;
    size_t entry_count, entry_capacity;
    struct ft_hash_table indices; /* of entries */
};

int ft_data_objects_create(const struct ft_trace *trace, unsigned callers,
                           struct ft_data_objects **ret_objects, struct ft_diag *diag)
{
    struct ft_data_objects *objects = calloc(1, sizeof *objects);
    if (objects) {
        objects->trace = trace;
        objects->callers = callers;
        objects->items = calloc(16, sizeof *objects->items);
    }
    char *name = strdup("unknown"), *file = strdup("");
    if (!objects || !objects->items || !name || !file) {
        free(name);
        free(file);
        ft_data_objects_destroy(objects);
        return ft_fail_memory(diag, "the data of a program");
    }
    objects->capacity = 16;
    objects->items[objects->count++] =
        (struct ft_data_object){.name = name, .file = file, .module = FT_NO_MODULE};
    *ret_objects = objects;
    return FT_OK;
}

void ft_data_objects_destroy(struct ft_data_objects *objects)
{
    if (!objects)
        return;
    for (size_t i = 0; i < objects->count; i++) {
        free(objects->items[i].name);
        free(objects->items[i].file);
    }
    free(objects->items);
    free(objects->entries);
    ft_hash_table_fini(&objects->indices);
    free(objects);
}

size_t ft_data_object_count(const struct ft_data_objects *objects)
{
    return objects->count;
}

struct ft_data_object *ft_data_object(const struct ft_data_objects *objects, uint32_t object)
{
    return &objects->items[object];
}

void ft_data_objects_forget_blocks(struct ft_data_objects *objects)
{
    for (size_t i = 0; i < objects->count; i++) {
        struct ft_data_object *object = &objects->items[i];
        object->blocks = object->live_bytes = object->max_live_bytes = 0;
        object->min_block_bytes = object->max_block_bytes = 0;
        if (object->kind != FT_DATA_VARIABLE)
            object->bytes = 0;
    }
}

/* ---- the table ---- */

static uint64_t hash_words(const uint64_t *words, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed ^= words[i];
        seed = ft_splitmix(&seed);
    }
    return seed;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++) {
        hash ^= (uint8_t)*text;
        hash = ft_splitmix(&hash);
    }
    return hash;
}

/* The entry of a key; its object is 0 where it is new, and then to be set. NULL: no memory. */
static struct entry *find_entry(struct ft_data_objects *objects, const uint64_t *key, size_t words)
{
    uint64_t hash = hash_words(key, words, 1), check = hash_words(key, words, 2);
    uint32_t i;
    for (size_t probe = hash; ft_hash_next(&objects->indices, hash, &probe, &i);)
        if (objects->entries[i].hash == hash && objects->entries[i].check == check)
            return &objects->entries[i];
    if (!FT_RESERVE(objects->entries, objects->entry_capacity, objects->entry_count + 1) ||
        !ft_hash_table_add(&objects->indices, hash, (uint32_t)objects->entry_count))
        return NULL;
    objects->entries[objects->entry_count] = (struct entry){.hash = hash, .check = check};
    return &objects->entries[objects->entry_count++];
}

/* Adds an object for an entry; takes name and file, which are NULL without memory. */
static int add_object(struct ft_data_objects *objects, struct entry *entry,
                      struct ft_data_object object, uint32_t *ret_object, struct ft_diag *diag)
{
    if (!object.name || !object.file ||
        !FT_RESERVE(objects->items, objects->capacity, objects->count + 1)) {
        free(object.name);
        free(object.file);
        return ft_fail_memory(diag, "the data of a program");
    }
    objects->items[objects->count++] = object;
    entry->object = (uint32_t)objects->count;
    *ret_object = entry->object - 1;
    return FT_OK;
}

/* ---- kinds ---- */

/* The entry of an object that a few numbers stand for; *ret_object is set where it is there. */
static struct entry *find_plain(struct ft_data_objects *objects, enum ft_data_kind kind,
                                uint64_t module, uint64_t location, uint32_t *ret_object)
{
    uint64_t key[3] = {kind, module, location};
    struct entry *entry = find_entry(objects, key, sizeof key / sizeof *key);
    if (entry && entry->object)
        *ret_object = entry->object - 1;
    return entry;
}

int ft_data_variable(struct ft_data_objects *objects, uint32_t module, size_t variable,
                     uint32_t *ret_object, struct ft_diag *diag)
{
    struct entry *entry = find_plain(objects, FT_DATA_VARIABLE, module, variable, ret_object);
    if (!entry)
        return ft_fail_memory(diag, "the data of a program");
    if (entry->object)
        return FT_OK;
    const struct ft_module *of = ft_trace_module(objects->trace, module);
    const struct ft_variable *item = &of->variables[variable];
    return add_object(objects, entry,
                      (struct ft_data_object){.kind = FT_DATA_VARIABLE,
                                              .name = ft_demangle(of->strings + item->name),
                                              .module = module,
                                              .file = strdup(of->strings + item->file),
                                              .line = item->line,
                                              .offset = item->start,
                                              .bytes = item->end - item->start},
                      ret_object, diag);
}

static int find_named(struct ft_data_objects *objects, enum ft_data_kind kind, uint32_t module,
                      uint64_t location, const char *name, uint32_t *ret_object,
                      struct ft_diag *diag)
{
    struct entry *entry = find_plain(objects, kind, module, location, ret_object);
    if (!entry)
        return ft_fail_memory(diag, "the data of a program");
    if (entry->object)
        return FT_OK;
    return add_object(
        objects, entry,
        (struct ft_data_object){
            .kind = (uint8_t)kind, .name = strdup(name), .module = module, .file = strdup("")},
        ret_object, diag);
}

/* "unnamed data of libc.so.6". */
static int find_part(struct ft_data_objects *objects, enum ft_data_kind kind, const char *what,
                     uint32_t module, uint32_t *ret_object, struct ft_diag *diag)
{
    const char *path = module < ft_trace_module_count(objects->trace)
                           ? ft_trace_module(objects->trace, module)->path
                           : "no module";
    char name[256];
    snprintf(name, sizeof name, "%s of %s", what, ft_file_name(path));
    return find_named(objects, kind, module, 0, name, ret_object, diag);
}

int ft_data_module_rest(struct ft_data_objects *objects, uint32_t module, uint32_t *ret_object,
                        struct ft_diag *diag)
{
    return find_part(objects, FT_DATA_MODULE, "unnamed data", module, ret_object, diag);
}

int ft_data_code(struct ft_data_objects *objects, uint32_t module, uint32_t *ret_object,
                 struct ft_diag *diag)
{
    return find_part(objects, FT_DATA_CODE, "code", module, ret_object, diag);
}

int ft_data_stack_rest(struct ft_data_objects *objects, uint32_t *ret_object, struct ft_diag *diag)
{
    return find_named(objects, FT_DATA_STACK, FT_NO_MODULE, 0, "above the first frame", ret_object,
                      diag);
}

int ft_data_break(struct ft_data_objects *objects, uint32_t *ret_object, struct ft_diag *diag)
{
    return find_named(objects, FT_DATA_BREAK, FT_NO_MODULE, 0, "brk", ret_object, diag);
}

/* Malloc'ed; NULL when out of memory. */
static char *frame_name(const struct ft_module *module, const struct ft_symbol *symbol)
{
    char text[40];
    if (symbol && module->strings[symbol->name])
        return ft_routine_name(module->strings + symbol->name);
    if (!symbol)
        return strdup("code without a symbol");
    snprintf(text, sizeof text, "routine at 0x%" PRIx64, symbol->start);
    return strdup(text);
}

int ft_data_frame(struct ft_data_objects *objects, uint64_t pc, uint32_t *ret_object,
                  struct ft_diag *diag)
{
    uint32_t number = FT_NO_MODULE;
    uint64_t offset = pc;
    bool located = ft_trace_locate(objects->trace, pc, &number, &offset);
    const struct ft_module *module = located ? ft_trace_module(objects->trace, number) : NULL;
    const struct ft_symbol *symbol = module ? ft_module_symbol(module, offset) : NULL;
    struct entry *entry = find_plain(objects, FT_DATA_STACK, located ? number : FT_NO_MODULE,
                                     symbol ? 1 + symbol->start : 1, ret_object);
    if (!entry)
        return ft_fail_memory(diag, "the data of a program");
    if (entry->object)
        return FT_OK;
    return add_object(objects, entry,
                      (struct ft_data_object){.kind = FT_DATA_STACK,
                                              .name = frame_name(module, symbol),
                                              .module = located ? number : FT_NO_MODULE,
                                              .file = strdup("")},
                      ret_object, diag);
}

int ft_data_site(struct ft_data_objects *objects, enum ft_data_kind kind, const char *function,
                 const struct ft_call_stack *stack, uint32_t *ret_object, struct ft_diag *diag)
{
    uint64_t key[KEY_WORDS] = {(uint64_t)kind << 32, hash_text(function)};
    size_t frames = stack->count < FT_SITE_FRAMES_MAX ? stack->count : FT_SITE_FRAMES_MAX;
    for (size_t i = 0; i < frames; i++)
        key[2 + i] = stack->entries[stack->count - 1 - i].return_pc;
    struct entry *entry = find_entry(objects, key, 2 + frames);
    if (!entry)
        return ft_fail_memory(diag, "the data of a program");
    if (entry->object) {
        *ret_object = entry->object - 1;
        return FT_OK;
    }
    char *name =
        ft_allocation_site_text(objects->trace, function, key + 2, frames, objects->callers);
    if (!name)
        return ft_fail_memory(diag, "the data of a program");
    for (size_t i = 0; i < objects->count; i++)
        if (objects->items[i].kind == kind && strcmp(objects->items[i].name, name) == 0) {
            free(name);
            entry->object = (uint32_t)i + 1;
            *ret_object = (uint32_t)i;
            return FT_OK;
        }
    return add_object(
        objects, entry,
        (struct ft_data_object){
            .kind = (uint8_t)kind, .name = name, .module = FT_NO_MODULE, .file = strdup("")},
        ret_object, diag);
}
