/*
 * The payload of a module: strings and identity, then each table with its count. Starts are stored
 * as differences to the previous entry (tables are sorted), all else as varints; zstd does the
 * rest. The lines of a module that come later are the same tables, behind strings that are added to
 * those of the module, and the lines of its symbols.
 */
#include "formats/trace/modules.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

void ft_module_fini(struct ft_module *module)
{
    free(module->path);
    free(module->symbols);
    free(module->lines);
    free(module->inlines);
    free(module->variables);
    free(module->strings);
    *module = (struct ft_module){0};
}

static void put_line_table(const struct ft_module *module, struct ft_bytes *bytes)
{
    uint64_t last = 0;
    ft_put_varint(bytes, module->line_count);
    for (size_t i = 0; i < module->line_count; i++) {
        const struct ft_line *line = &module->lines[i];
        ft_put_varint(bytes, line->start - last);
        ft_put_varint(bytes, line->end - line->start);
        ft_put_varint(bytes, line->file);
        ft_put_varint(bytes, line->line);
        last = line->start;
    }
}

static void put_inlines(const struct ft_module *module, struct ft_bytes *bytes)
{
    uint64_t last = 0;
    ft_put_varint(bytes, module->inline_count);
    for (size_t i = 0; i < module->inline_count; i++) {
        const struct ft_inline *call = &module->inlines[i];
        ft_put_varint(bytes, call->start - last);
        ft_put_varint(bytes, call->end - call->start);
        ft_put_varint(bytes, call->name);
        ft_put_varint(bytes, call->call_file);
        ft_put_varint(bytes, call->call_line);
        ft_put_varint(bytes, call->depth);
        last = call->start;
    }
}

static void put_variables(const struct ft_module *module, struct ft_bytes *bytes)
{
    uint64_t last = 0;
    ft_put_varint(bytes, module->variable_count);
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct ft_variable *variable = &module->variables[i];
        ft_put_varint(bytes, variable->start - last);
        ft_put_varint(bytes, variable->end - variable->start);
        ft_put_varint(bytes, variable->name);
        ft_put_u8(bytes, variable->source);
        ft_put_varint(bytes, variable->file);
        ft_put_varint(bytes, variable->line);
        last = variable->start;
    }
}

void ft_module_write_tables(const struct ft_module *module, struct ft_bytes *bytes)
{
    uint64_t last = 0;
    ft_put_varint(bytes, module->strings_bytes);
    ft_put(bytes, module->strings, module->strings_bytes);
    ft_put_varint(bytes, module->symbol_count);
    for (size_t i = 0; i < module->symbol_count; i++) {
        const struct ft_symbol *symbol = &module->symbols[i];
        ft_put_varint(bytes, symbol->start - last);
        ft_put_varint(bytes, symbol->end - symbol->start);
        ft_put_varint(bytes, symbol->name);
        ft_put_u8(bytes, symbol->source);
        ft_put_varint(bytes, symbol->file);
        ft_put_varint(bytes, symbol->line);
        ft_put_varint(bytes, symbol->body_line);
        last = symbol->start;
    }
    put_line_table(module, bytes);
    put_inlines(module, bytes);
    put_variables(module, bytes);
}

void ft_module_write(const struct ft_module *module, struct ft_bytes *bytes)
{
    ft_put_string(bytes, module->path);
    ft_put_u8(bytes, (uint8_t)module->build_id_bytes);
    ft_put(bytes, module->build_id, module->build_id_bytes);
    ft_put(bytes, module->sha256, sizeof module->sha256);
    ft_put_u64(bytes, module->load_bias);
    ft_put_u64(bytes, module->start);
    ft_put_u64(bytes, module->end);
    ft_module_write_tables(module, bytes);
}

static bool has_line(const struct ft_symbol *symbol)
{
    return symbol->file || symbol->line || symbol->body_line;
}

static void put_symbol_lines(const struct ft_module *module, struct ft_bytes *bytes)
{
    size_t count = 0, last = 0;
    for (size_t i = 0; i < module->symbol_count; i++)
        count += has_line(&module->symbols[i]);
    ft_put_varint(bytes, count);
    for (size_t i = 0; i < module->symbol_count; i++) {
        const struct ft_symbol *symbol = &module->symbols[i];
        if (!has_line(symbol))
            continue;
        ft_put_varint(bytes, i - last);
        ft_put_varint(bytes, symbol->file);
        ft_put_varint(bytes, symbol->line);
        ft_put_varint(bytes, symbol->body_line);
        last = i;
    }
}

void ft_module_write_lines(const struct ft_module *module, size_t written_strings_bytes,
                           struct ft_bytes *bytes)
{
    size_t added_bytes = module->strings_bytes - written_strings_bytes;
    ft_put_varint(bytes, added_bytes);
    if (added_bytes)
        ft_put(bytes, module->strings + written_strings_bytes, added_bytes);
    put_symbol_lines(module, bytes);
    put_line_table(module, bytes);
    put_inlines(module, bytes);
    put_variables(module, bytes);
}

/* Room for a table whose entries take at least entry_bytes each; bounded by what is left to read.
 */
static void *get_table(struct ft_cursor *cursor, size_t entry_bytes, size_t item_bytes,
                       size_t *ret_count)
{
    uint64_t count = ft_get_varint(cursor);
    if (cursor->failed || count > (cursor->length - cursor->position) / entry_bytes) {
        cursor->failed = true;
        return NULL;
    }
    void *items = calloc(count ? count : 1, item_bytes);
    if (!items)
        cursor->failed = true;
    else
        *ret_count = count;
    return items;
}

/* A varint that stands in 32 bits; an index into the strings must stand inside them. */
static uint32_t get_u32(struct ft_cursor *cursor)
{
    uint64_t value = ft_get_varint(cursor);
    if (value > UINT32_MAX)
        cursor->failed = true;
    return (uint32_t)value;
}

static uint32_t get_name(struct ft_cursor *cursor, const struct ft_module *module)
{
    uint32_t name = get_u32(cursor);
    if (name >= module->strings_bytes)
        cursor->failed = true;
    return name;
}

static void get_identity(struct ft_cursor *cursor, struct ft_module *module)
{
    module->path = ft_get_string(cursor);
    module->build_id_bytes = ft_get_u8(cursor);
    if (module->build_id_bytes > sizeof module->build_id)
        cursor->failed = true;
    const uint8_t *build_id = ft_get(cursor, cursor->failed ? 0 : module->build_id_bytes);
    const uint8_t *sha256 = ft_get(cursor, sizeof module->sha256);
    if (!build_id || !sha256)
        return;
    memcpy(module->build_id, build_id, module->build_id_bytes);
    memcpy(module->sha256, sha256, sizeof module->sha256);
    module->load_bias = ft_get_u64(cursor);
    module->start = ft_get_u64(cursor);
    module->end = ft_get_u64(cursor);
}

/* The strings always hold index 0, the empty text, and end with a 0. */
static void get_strings(struct ft_cursor *cursor, struct ft_module *module)
{
    uint64_t length = ft_get_varint(cursor);
    const uint8_t *data = ft_get(cursor, length);
    if (!data)
        return;
    module->strings = calloc(length + 1, 1);
    if (!module->strings || (length && data[length - 1] != 0)) {
        cursor->failed = true;
        return;
    }
    memcpy(module->strings, data, length);
    module->strings_bytes = length ? length : 1;
}

static void get_symbols(struct ft_cursor *cursor, struct ft_module *module)
{
    uint64_t last = 0;
    module->symbols = get_table(cursor, 7, sizeof *module->symbols, &module->symbol_count);
    for (size_t i = 0; i < module->symbol_count && !cursor->failed; i++) {
        struct ft_symbol *symbol = &module->symbols[i];
        symbol->start = last = last + ft_get_varint(cursor);
        symbol->end = symbol->start + ft_get_varint(cursor);
        symbol->name = get_name(cursor, module);
        symbol->source = ft_get_u8(cursor);
        symbol->file = get_name(cursor, module);
        symbol->line = get_u32(cursor);
        symbol->body_line = get_u32(cursor);
    }
}

static void get_lines(struct ft_cursor *cursor, struct ft_module *module)
{
    uint64_t last = 0;
    module->lines = get_table(cursor, 4, sizeof *module->lines, &module->line_count);
    for (size_t i = 0; i < module->line_count && !cursor->failed; i++) {
        struct ft_line *line = &module->lines[i];
        line->start = last = last + ft_get_varint(cursor);
        line->end = line->start + ft_get_varint(cursor);
        line->file = get_name(cursor, module);
        line->line = get_u32(cursor);
    }
}

static void get_inlines(struct ft_cursor *cursor, struct ft_module *module)
{
    uint64_t last = 0;
    module->inlines = get_table(cursor, 6, sizeof *module->inlines, &module->inline_count);
    for (size_t i = 0; i < module->inline_count && !cursor->failed; i++) {
        struct ft_inline *call = &module->inlines[i];
        call->start = last = last + ft_get_varint(cursor);
        call->end = call->start + ft_get_varint(cursor);
        call->name = get_name(cursor, module);
        call->call_file = get_name(cursor, module);
        call->call_line = get_u32(cursor);
        call->depth = get_u32(cursor);
    }
}

/* Early captures end before this table. */
static void get_variables(struct ft_cursor *cursor, struct ft_module *module)
{
    uint64_t last = 0;
    if (cursor->failed || cursor->position == cursor->length)
        return;
    module->variables = get_table(cursor, 6, sizeof *module->variables, &module->variable_count);
    for (size_t i = 0; i < module->variable_count && !cursor->failed; i++) {
        struct ft_variable *variable = &module->variables[i];
        variable->start = last = last + ft_get_varint(cursor);
        variable->end = variable->start + ft_get_varint(cursor);
        variable->name = get_name(cursor, module);
        variable->source = ft_get_u8(cursor);
        variable->file = get_name(cursor, module);
        variable->line = get_u32(cursor);
    }
}

void ft_module_read_tables(struct ft_cursor *cursor, struct ft_module *module)
{
    get_strings(cursor, module);
    get_symbols(cursor, module);
    get_lines(cursor, module);
    get_inlines(cursor, module);
    get_variables(cursor, module);
}

int ft_module_read(struct ft_cursor *cursor, struct ft_module *ret_module, struct ft_diag *diag)
{
    struct ft_module module = {0};
    get_identity(cursor, &module);
    ft_module_read_tables(cursor, &module);
    if (cursor->failed) {
        ft_module_fini(&module);
        return ft_fail(diag, FT_ERROR_DATA, "a module's tables are truncated or inconsistent");
    }
    *ret_module = module;
    return FT_OK;
}

/* A copy of the module's strings with those behind it that follow. */
static void get_added_strings(struct ft_cursor *cursor, const struct ft_module *module,
                              struct ft_module *added)
{
    uint64_t length = ft_get_varint(cursor);
    const uint8_t *data = ft_get(cursor, length);
    if (!data)
        return;
    added->strings = malloc(module->strings_bytes + length);
    if (!added->strings || (length && data[length - 1] != 0)) {
        cursor->failed = true;
        return;
    }
    memcpy(added->strings, module->strings, module->strings_bytes);
    memcpy(added->strings + module->strings_bytes, data, length);
    added->strings_bytes = module->strings_bytes + length;
}

static void get_symbol_lines(struct ft_cursor *cursor, const struct ft_module *module,
                             struct ft_module *added)
{
    size_t count = 0;
    uint64_t at = 0;
    if (cursor->failed)
        return;
    added->symbols = malloc((module->symbol_count + 1) * sizeof *added->symbols);
    if (!added->symbols) {
        cursor->failed = true;
        return;
    }
    memcpy(added->symbols, module->symbols, module->symbol_count * sizeof *added->symbols);
    added->symbol_count = module->symbol_count;
    for (count = ft_get_varint(cursor); count > 0 && !cursor->failed; count--) {
        uint64_t step = ft_get_varint(cursor);
        cursor->failed |= step >= module->symbol_count || at + step >= module->symbol_count;
        if (cursor->failed)
            return;
        at += step;
        added->symbols[at].file = get_name(cursor, added);
        added->symbols[at].line = get_u32(cursor);
        added->symbols[at].body_line = get_u32(cursor);
    }
}

int ft_module_read_lines(struct ft_cursor *cursor, struct ft_module *module, struct ft_diag *diag)
{
    struct ft_module added = {0};
    get_added_strings(cursor, module, &added);
    get_symbol_lines(cursor, module, &added);
    get_lines(cursor, &added);
    get_inlines(cursor, &added);
    get_variables(cursor, &added);
    if (cursor->failed) {
        ft_module_fini(&added);
        return ft_fail(diag, FT_ERROR_DATA, "a module's lines are truncated or inconsistent");
    }
    struct ft_module old = {.symbols = module->symbols,
                            .lines = module->lines,
                            .inlines = module->inlines,
                            .variables = module->variables,
                            .strings = module->strings};
    module->symbols = added.symbols;
    module->lines = added.lines;
    module->line_count = added.line_count;
    module->inlines = added.inlines;
    module->inline_count = added.inline_count;
    module->variables = added.variables;
    module->variable_count = added.variable_count;
    module->strings = added.strings;
    module->strings_bytes = added.strings_bytes;
    ft_module_fini(&old);
    return FT_OK;
}

const struct ft_symbol *ft_module_symbol(const struct ft_module *module, uint64_t offset)
{
    size_t started = FT_COUNT_UP_TO(module->symbols, module->symbol_count, start, offset);
    const struct ft_symbol *symbol = started ? &module->symbols[started - 1] : NULL;
    return symbol && offset < symbol->end ? symbol : NULL;
}

const struct ft_line *ft_module_line(const struct ft_module *module, uint64_t offset)
{
    size_t started = FT_COUNT_UP_TO(module->lines, module->line_count, start, offset);
    const struct ft_line *line = started ? &module->lines[started - 1] : NULL;
    return line && offset < line->end ? line : NULL;
}

const struct ft_variable *ft_module_variable(const struct ft_module *module, uint64_t offset)
{
    size_t started = FT_COUNT_UP_TO(module->variables, module->variable_count, start, offset);
    const struct ft_variable *variable = started ? &module->variables[started - 1] : NULL;
    return variable && offset < variable->end ? variable : NULL;
}

size_t ft_module_inline_chain(const struct ft_module *module, uint64_t offset,
                              const struct ft_inline **ret_chain, size_t limit)
{
    size_t low = FT_COUNT_UP_TO(module->inlines, module->inline_count, start, offset);
    /* Backwards from the last range that starts at or before the offset: the first that covers it
     * is the innermost; then each that covers it one level further out. Calls of depth 0 do not
     * overlap and hold what is nested in them, so nothing before one of them can cover more. */
    const struct ft_inline *found[64];
    size_t count = 0;
    uint32_t depth = UINT32_MAX;
    while (low-- > 0 && depth > 0 && count < sizeof found / sizeof *found) {
        const struct ft_inline *call = &module->inlines[low];
        if (offset < call->end && call->depth < depth) {
            found[count++] = call;
            depth = call->depth;
        }
        if (call->depth == 0)
            break;
    }
    size_t given = count < limit ? count : limit;
    for (size_t i = 0; i < given; i++)
        ret_chain[i] = found[count - 1 - i];
    return given;
}
