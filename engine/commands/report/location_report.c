/* A block is named by its routine, the line of its first reference that has one, and its offset in
 * the module. */
#include "engine/commands/report/location_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/file_name.h"
#include "formats/commands/scope_report.h"

const char *const ft_location_kind_names[3] = {"loops", "blocks", "references"};

int ft_location_kind_read(const struct ft_arguments *arguments, enum ft_location_kind *ret_kind,
                          struct ft_diag *diag)
{
    const char *by = ft_option_last(arguments, "by");
    for (int i = 0; i < 3; i++)
        if (!by || strcmp(by, ft_location_kind_names[i]) == 0) {
            *ret_kind = (enum ft_location_kind)i;
            return FT_OK;
        }
    return ft_fail(diag, FT_ERROR_USAGE, "--by %s: must be loops, blocks, references or data", by);
}

static size_t location_count(const struct ft_locations *locations)
{
    return locations->kind == FT_LOCATION_LOOPS    ? locations->scopes->scope_count
           : locations->kind == FT_LOCATION_BLOCKS ? locations->scopes->block_count
                                                   : locations->scopes->reference_count;
}

static size_t location_of(const struct ft_locations *locations, size_t reference)
{
    const struct ft_scoped_reference *scoped = &locations->scopes->references[reference];
    return locations->kind == FT_LOCATION_LOOPS    ? scoped->scope
           : locations->kind == FT_LOCATION_BLOCKS ? scoped->block
                                                   : reference;
}

struct weighed {
    double weight;
    uint32_t location;
};

/* Heavier first; equal ones in their order. */
static int compare(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->location < b->location ? -1 : a->location > b->location;
}

static int select_heaviest(struct ft_locations *locations, size_t limit, struct ft_diag *diag)
{
    size_t all = location_count(locations), count = 0;
    struct weighed *weighed = calloc(all + 1, sizeof *weighed);
    locations->list = calloc(all + 1, sizeof *locations->list);
    if (!weighed || !locations->list) {
        free(weighed);
        return ft_fail_memory(diag, "a list of places");
    }
    for (size_t i = 0; i < all; i++)
        if (locations->rows[i * locations->width] > 0)
            weighed[count++] = (struct weighed){locations->rows[i * locations->width], (uint32_t)i};
    qsort(weighed, count, sizeof *weighed, compare);
    locations->count = count < limit ? count : limit;
    for (size_t i = 0; i < locations->count; i++)
        locations->list[i] = weighed[i].location;
    free(weighed);
    return FT_OK;
}

static int select_loops(struct ft_locations *locations, size_t limit, bool folds,
                        struct ft_diag *diag)
{
    size_t scopes = locations->scopes->scope_count;
    double *weights = calloc(scopes + 1, sizeof *weights);
    if (!weights)
        return ft_fail_memory(diag, "a list of places");
    ft_scopes_add_nested(locations->scopes, locations->rows, locations->width);
    for (size_t i = 0; i < scopes; i++)
        weights[i] = locations->rows[i * locations->width];
    int status = ft_startup_fold_select(&locations->startup, folds, locations->scopes, weights,
                                        limit, &locations->list, &locations->count, diag);
    free(weights);
    return status;
}

/* Of each block the line of its first reference that has one. */
static int find_lines(struct ft_locations *locations, struct ft_diag *diag)
{
    const struct ft_scopes *scopes = locations->scopes;
    locations->lines = calloc(scopes->block_count + 1, sizeof *locations->lines);
    uint64_t *offsets = calloc(scopes->block_count + 1, sizeof *offsets);
    for (size_t i = 0; locations->lines && offsets && i < scopes->reference_count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[i];
        uint32_t *line = &locations->lines[reference->block];
        if (reference->line && (!*line || reference->offset < offsets[reference->block])) {
            *line = reference->line;
            offsets[reference->block] = reference->offset;
        }
    }
    bool found = locations->lines && offsets;
    free(offsets);
    return found ? FT_OK : ft_fail_memory(diag, "a table of places");
}

int ft_locations_init(struct ft_locations *locations, enum ft_location_kind kind,
                      const struct ft_scopes *scopes, const double *values, size_t width,
                      size_t limit, bool folds, struct ft_diag *diag)
{
    *locations = (struct ft_locations){.kind = kind, .scopes = scopes, .width = width};
    locations->rows = calloc(location_count(locations) * width + 1, sizeof *locations->rows);
    if (!locations->rows)
        return ft_fail_memory(diag, "a table of places");
    for (size_t i = 0; i < scopes->reference_count; i++) {
        double *row = locations->rows + location_of(locations, i) * width;
        for (size_t j = 0; j < width; j++)
            row[j] += values[i * width + j];
    }
    int status = kind == FT_LOCATION_LOOPS ? select_loops(locations, limit, folds, diag)
                                           : select_heaviest(locations, limit, diag);
    if (status == FT_OK && kind == FT_LOCATION_BLOCKS)
        status = find_lines(locations, diag);
    if (status != FT_OK)
        ft_locations_fini(locations);
    return status;
}

void ft_locations_fini(struct ft_locations *locations)
{
    free(locations->rows);
    free(locations->list);
    free(locations->lines);
    ft_startup_fold_fini(&locations->startup);
    *locations = (struct ft_locations){0};
}

/* ---- blocks and references ---- */

struct location {
    uint32_t scope, module, line;
    uint64_t offset;
    const struct ft_scoped_reference *reference; /* NULL: a block */
    const struct ft_block *block;
};

static struct location find_location(const struct ft_locations *locations, uint32_t index)
{
    const struct ft_scopes *scopes = locations->scopes;
    if (locations->kind == FT_LOCATION_REFERENCES) {
        const struct ft_scoped_reference *reference = &scopes->references[index];
        return (struct location){.scope = reference->scope,
                                 .module = reference->module,
                                 .line = reference->line,
                                 .offset = reference->offset,
                                 .reference = reference};
    }
    const struct ft_block *block = &scopes->blocks[index];
    return (struct location){.scope = block->scope,
                             .module = block->module,
                             .line = locations->lines[index],
                             .offset = block->offset,
                             .block = block};
}

/* The routine that a scope is in; the scope itself outside of routines. */
static const struct ft_scope *routine_of(const struct ft_scopes *scopes, uint32_t scope)
{
    return &scopes->scopes[ft_scope_routine(scopes, scope)];
}

static const char *module_name(const struct ft_scopes *scopes, uint32_t module)
{
    return module < scopes->module_count ? scopes->modules[module].name : "";
}

void ft_location_columns(struct ft_table *table, bool csv, enum ft_location_kind kind)
{
    if (kind == FT_LOCATION_LOOPS) {
        ft_scope_columns(table, csv);
        return;
    }
    ft_table_column(table, "routine", "routine", false);
    if (csv) {
        ft_table_column(table, "module", "module", false);
        ft_table_column(table, "file", "file", false);
    }
    ft_table_column(table, "line", "line", false);
    ft_table_column(table, "offset", "offset", true);
    if (kind == FT_LOCATION_BLOCKS) {
        ft_table_column(table, "executed", "executions", true);
        return;
    }
    ft_table_column(table, "access", "access_index", true);
    ft_table_column(table, "kind", "kind", false);
    ft_table_column(table, "bytes", "size_bytes", true);
}

void ft_location_cells(struct ft_table *table, bool csv, const struct ft_locations *locations,
                       uint32_t index)
{
    if (locations->kind == FT_LOCATION_LOOPS) {
        ft_scope_cells(table, csv, locations->scopes, index);
        return;
    }
    struct location location = find_location(locations, index);
    const char *file = locations->scopes->scopes[location.scope].file;
    const char *module = module_name(locations->scopes, location.module);
    const struct ft_scope *routine = routine_of(locations->scopes, location.scope);
    if (csv) {
        ft_table_text(table, routine->name);
        ft_table_text(table, module);
        ft_table_text(table, file);
        ft_table_format(table, "%" PRIu32, location.line);
    } else {
        if (module[0] && strcmp(module, routine->name) != 0)
            ft_table_format(table, "%s (%s)", routine->name, module);
        else
            ft_table_text(table, routine->name);
        if (location.line && file[0])
            ft_table_format(table, "%s:%" PRIu32, ft_file_name(file), location.line);
        else
            ft_table_empty(table);
    }
    ft_table_format(table, "0x%" PRIx64, location.offset);
    if (location.block) {
        ft_table_count(table, (double)location.block->execution_count);
        return;
    }
    if (location.reference->kind == FT_FETCH)
        ft_table_empty(table);
    else
        ft_table_format(table, "%u", location.reference->access_index);
    ft_table_text(table, ft_access_kind_names[location.reference->kind]);
    ft_table_format(table, "%" PRIu32, location.reference->size_bytes);
}

json_t *ft_location_json(const struct ft_locations *locations, uint32_t index)
{
    const struct ft_scopes *scopes = locations->scopes;
    if (locations->kind == FT_LOCATION_LOOPS)
        return ft_scope_json(scopes, index);
    struct location location = find_location(locations, index);
    json_t *object = json_pack("{s:o, s:o, s:o, s:I, s:I}", "routine",
                               ft_json_text(routine_of(scopes, location.scope)->name), "module",
                               ft_json_text(module_name(scopes, location.module)), "file",
                               ft_json_text(scopes->scopes[location.scope].file), "line",
                               (json_int_t)location.line, "offset", (json_int_t)location.offset);
    if (location.block)
        return ft_json_merge(
            object, json_pack("{s:I}", "executions", (json_int_t)location.block->execution_count));
    if (location.reference->kind != FT_FETCH)
        object = ft_json_merge(
            object, json_pack("{s:i}", "access_index", (int)location.reference->access_index));
    return ft_json_merge(
        object, json_pack("{s:s, s:I}", "kind", ft_access_kind_names[location.reference->kind],
                          "size_bytes", (json_int_t)location.reference->size_bytes));
}
