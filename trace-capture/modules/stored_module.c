/*
 * An entry: the module as in a trace, without path; whether it has units; the variables of its
 * symbol tables; the units with their ranges and tables. Tables of units are decoded when they are
 * asked for: a capture executes a few dozen of the 1,700 units of a C library.
 *
 * In order: the key; writing; reading.
 */
#include "trace-capture/modules/stored_module.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "formats/base/sha256.h"
#include "trace-capture/modules/dwarf_units_state.h"
#include "trace-capture/modules/module_builder.h"

#define CONTENTS_VERSION 1U
#define YOUNG_SECONDS    2

enum unit_flags { HAS_RANGES = 1, HAS_VARIABLES = 2, HAS_LINES = 4 };
enum dwarf_place { NO_DWARF, IN_OBJECT, IN_DEBUG_FILE };

/* ---- the key ---- */

static void put_time(struct ft_bytes *bytes, const struct timespec *time)
{
    ft_put_u64(bytes, (uint64_t)time->tv_sec);
    ft_put_u64(bytes, (uint64_t)time->tv_nsec);
}

/* No device: what it is called may change from one mount to the next. False: no such file. */
static bool put_facts(struct ft_bytes *bytes, const struct stat *file)
{
    ft_put_u64(bytes, (uint64_t)file->st_size);
    ft_put_u64(bytes, file->st_ino);
    put_time(bytes, &file->st_mtim);
    put_time(bytes, &file->st_ctim);
    time_t now = time(NULL);
    return now - file->st_mtim.tv_sec > YOUNG_SECONDS && now - file->st_ctim.tv_sec > YOUNG_SECONDS;
}

/* This foretrace: another one may read other things. */
static bool put_reader(struct ft_bytes *bytes)
{
    struct stat program;
    ft_put_u32(bytes, CONTENTS_VERSION);
    ft_put_string(bytes, FT_VERSION);
    ft_put_string(bytes, dwfl_version(NULL)); /* of elfutils: libdw has no function of its own */
    if (stat("/proc/self/exe", &program) != 0)
        return false;
    put_facts(bytes, &program);
    return true;
}

/* What was moved to a file that several debug files share (dwz) is read from there. */
static bool shares_dwarf(Elf *elf)
{
    GElf_Shdr header;
    return elf && ft_elf_section(elf, ".gnu_debugaltlink", &header);
}

void ft_stored_module_key(const struct ft_module *module, int fd, Elf *elf,
                          const struct ft_debug_file *debug, struct ft_module_key *ret_key)
{
    struct ft_module_key key = {0};
    struct ft_bytes facts = {0};
    struct stat file;
    char build_id[2 * sizeof module->build_id + 1], digest[17];
    bool is_usable = put_reader(&facts) && !shares_dwarf(elf) && !shares_dwarf(debug->elf);
    ft_put_u32(&facts, module->build_id_bytes);
    ft_put(&facts, module->build_id, module->build_id_bytes);
    const size_t known = facts.length;
    is_usable &= fstat(fd, &file) == 0 && put_facts(&facts, &file);
    if (module->build_id_bytes == 0) {
        facts.length = known;
        ft_put(&facts, module->sha256, sizeof module->sha256);
    }
    if (debug->elf)
        is_usable &= fstat(debug->fd, &file) == 0 && put_facts(&facts, &file);
    ft_sha256_of_bytes(facts.data, facts.length, key.digest);
    key.is_usable = is_usable && !facts.failed;
    ft_hex_text(module->build_id, module->build_id_bytes, build_id);
    ft_hex_text(key.digest, 8, digest);
    snprintf(key.name, sizeof key.name, "%s-%s" FT_MODULE_STORE_NAME_END,
             *build_id ? build_id : "none", digest);
    ft_bytes_fini(&facts);
    *ret_key = key;
}

/* ---- writing ---- */

static void put_objects(const struct ft_symbol_candidates *objects, struct ft_bytes *bytes)
{
    uint64_t last = 0;
    ft_put_varint(bytes, objects->count);
    for (size_t i = 0; i < objects->count; i++) {
        const struct ft_symbol_candidate *item = &objects->items[i];
        ft_put_varint(bytes, ft_zigzag(item->start - last));
        ft_put_varint(bytes, item->end - item->start);
        ft_put_varint(bytes, item->limit - item->start);
        ft_put_u8(bytes, item->source);
        ft_put_u8(bytes, item->rank);
        ft_put_u8(bytes, item->local);
        ft_put_varint(bytes, item->name_length);
        ft_put(bytes, item->name, item->name_length);
        last = item->start;
    }
}

static void put_unit(const struct ft_dwarf_units *units, const struct ft_dwarf_unit *unit,
                     struct ft_bytes *tables, struct ft_bytes *bytes)
{
    uint64_t last = 0;
    ft_put_varint(bytes, unit->offset);
    ft_put_u8(bytes, (unit->has_ranges ? HAS_RANGES : 0) |
                         (unit->has_variables ? HAS_VARIABLES : 0) |
                         (unit->has_lines ? HAS_LINES : 0));
    ft_put_varint(bytes, unit->range_count);
    for (size_t i = 0; i < unit->range_count; i++) {
        const struct ft_dwarf_range *range = &units->ranges[unit->first_range + i];
        ft_put_varint(bytes, ft_zigzag(range->start - last));
        ft_put_varint(bytes, range->end - range->start);
        last = range->end;
    }
    if (unit->stored) {
        ft_put_varint(bytes, unit->stored_bytes);
        ft_put(bytes, unit->stored, unit->stored_bytes);
        return;
    }
    tables->length = 0;
    if (unit->tables.strings_bytes)
        ft_module_write_tables(&unit->tables, tables);
    ft_put_varint(bytes, tables->length);
    if (tables->length)
        ft_put(bytes, tables->data, tables->length);
    bytes->failed |= tables->failed;
}

void ft_stored_module_write(struct ft_module_store *store, const struct ft_module_key *key,
                            const struct ft_module *module, const struct ft_dwarf_units *units)
{
    struct ft_module nameless = *module;
    struct ft_bytes contents = {0}, tables = {0};
    if (!store || !key->is_usable)
        return;
    nameless.path = NULL;
    nameless.load_bias = 0;
    ft_module_write(&nameless, &contents);
    ft_put_u8(&contents, !units ? NO_DWARF : units->is_debug_file ? IN_DEBUG_FILE : IN_OBJECT);
    if (units) {
        ft_put_u64(&contents, units->code_start);
        ft_put_u64(&contents, units->code_end);
        put_objects(&units->objects, &contents);
        ft_put_u8(&contents, units->is_listed);
        ft_put_varint(&contents, units->count);
        for (size_t i = 0; i < units->count; i++)
            put_unit(units, &units->units[i], &tables, &contents);
    }
    ft_module_store_write(store, key, &contents);
    ft_bytes_fini(&tables);
    ft_bytes_fini(&contents);
}

/* ---- reading ---- */

/* The names belong to the cursor's data. */
static void get_objects(struct ft_cursor *cursor, struct ft_symbol_candidates *objects)
{
    uint64_t count = ft_get_varint(cursor), last = 0;
    for (; count > 0 && !cursor->failed; count--) {
        struct ft_symbol_candidate item = {0};
        item.start = last += ft_unzigzag(ft_get_varint(cursor));
        item.end = item.start + ft_get_varint(cursor);
        item.limit = item.start + ft_get_varint(cursor);
        item.source = ft_get_u8(cursor);
        item.rank = ft_get_u8(cursor);
        item.local = ft_get_u8(cursor);
        item.name_length = ft_get_varint(cursor);
        item.name = (const char *)ft_get(cursor, item.name_length);
        if (!cursor->failed && ft_symbol_candidates_add(objects, &item) != FT_OK)
            cursor->failed = true;
    }
}

static void get_ranges(struct ft_cursor *cursor, struct ft_dwarf_units *units,
                       struct ft_dwarf_unit *unit)
{
    uint64_t count = ft_get_varint(cursor), last = 0;
    unit->first_range = units->range_count;
    for (; count > 0 && !cursor->failed; count--) {
        struct ft_dwarf_range range;
        range.start = last + ft_unzigzag(ft_get_varint(cursor));
        range.end = last = range.start + ft_get_varint(cursor);
        if (FT_RESERVE(units->ranges, units->range_capacity, units->range_count + 1))
            units->ranges[units->range_count++] = range;
        else
            cursor->failed = true;
    }
    unit->range_count = units->range_count - unit->first_range;
}

static void get_units(struct ft_cursor *cursor, struct ft_dwarf_units *units)
{
    units->is_listed = ft_get_u8(cursor);
    for (uint64_t count = ft_get_varint(cursor); count > 0 && !cursor->failed; count--) {
        struct ft_dwarf_unit unit = {.offset = ft_get_varint(cursor)};
        const uint8_t flags = ft_get_u8(cursor);
        unit.has_ranges = flags & HAS_RANGES;
        unit.has_variables = flags & HAS_VARIABLES;
        unit.has_lines = flags & HAS_LINES;
        get_ranges(cursor, units, &unit);
        unit.stored_bytes = ft_get_varint(cursor);
        unit.stored = unit.stored_bytes ? ft_get(cursor, unit.stored_bytes) : NULL;
        if (FT_RESERVE(units->units, units->capacity, units->count + 1))
            units->units[units->count++] = unit;
        else
            cursor->failed = true;
    }
}

/* Takes over the contents, to which the units' tables point. */
static int read_units(struct ft_cursor *cursor, struct ft_bytes *contents, int fd,
                      bool is_debug_file, struct ft_dwarf_units **ret_units)
{
    struct ft_symbol_candidates objects = {0};
    struct ft_dwarf_units *units = NULL;
    struct ft_diag diag;
    uint64_t code_start = ft_get_u64(cursor), code_end = ft_get_u64(cursor);
    get_objects(cursor, &objects);
    int status = cursor->failed || fd < 0
                     ? FT_ERROR_DATA
                     : ft_dwarf_units_create(NULL, fd, is_debug_file, code_start, code_end,
                                             &objects, &units, &diag);
    free(objects.items);
    if (status != FT_OK)
        return status;
    get_units(cursor, units);
    if (cursor->failed) {
        ft_dwarf_units_destroy(units);
        return FT_ERROR_DATA;
    }
    units->stored = *contents;
    units->is_unsaved = false;
    *contents = (struct ft_bytes){0};
    *ret_units = units;
    return FT_OK;
}

/* The module without path, and a cursor behind it. */
static bool read_entry(const struct ft_module_store *store, const struct ft_module_key *key,
                       struct ft_bytes *ret_contents, struct ft_cursor *ret_cursor,
                       struct ft_module *ret_module)
{
    struct ft_bytes contents = {0};
    struct ft_diag diag;
    if (!ft_module_store_read(store, key, &contents))
        return false;
    struct ft_cursor cursor = {.data = contents.data, .length = contents.length};
    if (ft_module_read(&cursor, ret_module, &diag) != FT_OK) {
        ft_bytes_fini(&contents);
        return false;
    }
    free(ret_module->path);
    ret_module->path = NULL;
    *ret_contents = contents;
    *ret_cursor = cursor;
    return true;
}

bool ft_stored_module_read(const struct ft_module_store *store, const struct ft_module_key *key,
                           int fd, const struct ft_debug_file *debug, struct ft_module *ret_module,
                           struct ft_dwarf_units **ret_units)
{
    struct ft_bytes contents;
    struct ft_cursor cursor;
    struct ft_module module;
    struct ft_dwarf_units *units = NULL;
    if (!read_entry(store, key, &contents, &cursor, &module))
        return false;
    const uint8_t place = ft_get_u8(&cursor);
    int status = cursor.failed || place > IN_DEBUG_FILE ? FT_ERROR_DATA : FT_OK;
    if (status == FT_OK && place != NO_DWARF)
        status = read_units(&cursor, &contents, place == IN_OBJECT ? fd : debug->fd,
                            place == IN_DEBUG_FILE, &units);
    ft_bytes_fini(&contents);
    if (status != FT_OK) {
        ft_module_fini(&module);
        return false;
    }
    if (units)
        units->key = *key;
    *ret_module = module;
    *ret_units = units;
    return true;
}

void ft_stored_units_read_again(const struct ft_module_store *store, struct ft_dwarf_units *units)
{
    struct ft_bytes contents;
    struct ft_cursor cursor;
    struct ft_module module;
    struct ft_symbol_candidates objects = {0};
    /* Not where the entry is here, of a capture that wanted no lines: it has no list. */
    if (units->is_listed || units->stored.data ||
        !read_entry(store, &units->key, &contents, &cursor, &module))
        return;
    ft_module_fini(&module);
    ft_get(&cursor, 1 + 2 * sizeof(uint64_t));
    get_objects(&cursor, &objects);
    free(objects.items);
    get_units(&cursor, units);
    if (cursor.failed) {
        units->count = units->range_count = 0;
        units->is_listed = false;
        ft_bytes_fini(&contents);
        return;
    }
    units->stored = contents;
    units->is_unsaved = false;
}
