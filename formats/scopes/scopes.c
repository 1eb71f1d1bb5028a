/*
 * A table for each array, and the number of groups as an attribute. What is read is checked once,
 * here, so that no user of the tree need check an index.
 */
#include "formats/scopes/scopes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/records.h"
#include "formats/base/result_file.h"
#include "formats/x86/unit.h"

#define STRING_SUFFIX "_erms"

#define GROUP       "scopes"
#define INLINED     "inlined"
#define GROUPS      "groups"
#define CODE        "code"
#define SOURCES     "source_files"
#define TEXT        "source_text"
#define LOADS       "load_classes"
#define PREDICTIONS "predictions"
#define REMAPPED    "remapped_pages"

const char *const ft_scope_kind_names[4] = {"program", "module", "routine", "loop"};
const char *const ft_load_class_names[FT_LOAD_CLASSES] = {"none", "independent", "indirect",
                                                          "called", "chasing"};

static const struct ft_field module_fields[] = {
    FT_FIELD(ft_scope_module, name, FT_FIELD_TEXT),
    FT_FIELD(ft_scope_module, path, FT_FIELD_TEXT),
    FT_FIELD_ARRAY(ft_scope_module, build_id, FT_FIELD_CHARS,
                   sizeof((struct ft_scope_module *)0)->build_id),
};
static const struct ft_field scope_fields[] = {
    FT_FIELD(ft_scope, parent, FT_FIELD_U32),
    FT_FIELD(ft_scope, module, FT_FIELD_U32),
    FT_FIELD(ft_scope, kind, FT_FIELD_U8),
    FT_FIELD(ft_scope, loop_depth, FT_FIELD_U8),
    FT_FIELD(ft_scope, name, FT_FIELD_TEXT),
    FT_FIELD(ft_scope, file, FT_FIELD_TEXT),
    FT_FIELD(ft_scope, first_line, FT_FIELD_U32),
    FT_FIELD(ft_scope, last_line, FT_FIELD_U32),
    FT_FIELD(ft_scope, start_offset, FT_FIELD_U64),
    FT_FIELD(ft_scope, end_offset, FT_FIELD_U64),
    FT_FIELD(ft_scope, entry_count, FT_FIELD_U64),
    FT_FIELD(ft_scope, iteration_count, FT_FIELD_U64),
};
static const struct ft_field block_fields[] = {
    FT_FIELD(ft_block, scope, FT_FIELD_U32),
    FT_FIELD(ft_block, module, FT_FIELD_U32),
    FT_FIELD(ft_block, offset, FT_FIELD_U64),
    FT_FIELD(ft_block, code_bytes, FT_FIELD_U32),
    FT_FIELD(ft_block, instruction_count, FT_FIELD_U32),
    FT_FIELD(ft_block, execution_count, FT_FIELD_U64),
    FT_FIELD_ARRAY(ft_block, mix, FT_FIELD_U16, FT_MIX_COUNT),
    FT_FIELD(ft_block, flops, FT_FIELD_U32),
};
static const struct ft_field edge_fields[] = {
    FT_FIELD(ft_block_edge, from, FT_FIELD_U32),
    FT_FIELD(ft_block_edge, to, FT_FIELD_U32),
    FT_FIELD(ft_block_edge, count, FT_FIELD_U64),
};
static const struct ft_field reference_fields[] = {
    FT_FIELD(ft_scoped_reference, offset, FT_FIELD_U64),
    FT_FIELD(ft_scoped_reference, module, FT_FIELD_U32),
    FT_FIELD(ft_scoped_reference, scope, FT_FIELD_U32),
    FT_FIELD(ft_scoped_reference, block, FT_FIELD_U32),
    FT_FIELD(ft_scoped_reference, group, FT_FIELD_U32),
    FT_FIELD(ft_scoped_reference, size_bytes, FT_FIELD_U32),
    FT_FIELD(ft_scoped_reference, line, FT_FIELD_U32),
    FT_FIELD(ft_scoped_reference, access_index, FT_FIELD_U8),
    FT_FIELD(ft_scoped_reference, kind, FT_FIELD_U8),
};

static const struct ft_field inlined_fields[] = {
    FT_FIELD(ft_inlined_call, scope, FT_FIELD_U32),
    FT_FIELD(ft_inlined_call, name, FT_FIELD_TEXT),
    FT_FIELD(ft_inlined_call, call_file, FT_FIELD_TEXT),
    FT_FIELD(ft_inlined_call, call_line, FT_FIELD_U32),
};

static const struct ft_field group_fields[] = {
    FT_FIELD(ft_scoped_group, strides, FT_FIELD_TEXT),
    FT_FIELD(ft_scoped_group, storage, FT_FIELD_U8),
};

static const struct ft_field source_fields[] = {
    FT_FIELD(ft_source_file, path, FT_FIELD_TEXT),
    FT_FIELD(ft_source_file, bytes, FT_FIELD_U64),
};

static const struct ft_field prediction_fields[] = {
    FT_FIELD(ft_block_prediction, branches, FT_FIELD_U64),
    FT_FIELD(ft_block_prediction, mispredictions, FT_FIELD_U64),
};

static const struct ft_field byte_fields[] = {{"byte", 0, FT_FIELD_U8, 0}};
static const struct ft_field count_fields[] = {{"count", 0, FT_FIELD_U64, 0}};

static const struct ft_record_type module_type = FT_RECORD_TYPE(ft_scope_module, module_fields);
static const struct ft_record_type scope_type = FT_RECORD_TYPE(ft_scope, scope_fields);
static const struct ft_record_type block_type = FT_RECORD_TYPE(ft_block, block_fields);
static const struct ft_record_type edge_type = FT_RECORD_TYPE(ft_block_edge, edge_fields);
static const struct ft_record_type inlined_type = FT_RECORD_TYPE(ft_inlined_call, inlined_fields);
static const struct ft_record_type group_type = FT_RECORD_TYPE(ft_scoped_group, group_fields);
static const struct ft_record_type reference_type =
    FT_RECORD_TYPE(ft_scoped_reference, reference_fields);
static const struct ft_record_type source_type = FT_RECORD_TYPE(ft_source_file, source_fields);
static const struct ft_record_type prediction_type =
    FT_RECORD_TYPE(ft_block_prediction, prediction_fields);
static const struct ft_record_type byte_type = {1, byte_fields, 1};
static const struct ft_record_type count_type = {sizeof(uint64_t), count_fields, 1};

void ft_scopes_forget_groups(struct ft_scopes *scopes)
{
    for (uint32_t i = 0; scopes->groups && i < scopes->group_count; i++)
        free(scopes->groups[i].strides);
    free(scopes->groups);
    scopes->groups = NULL;
}

void ft_scopes_fini(struct ft_scopes *scopes)
{
    ft_scopes_forget_groups(scopes);
    for (size_t i = 0; i < scopes->module_count; i++) {
        free(scopes->modules[i].name);
        free(scopes->modules[i].path);
    }
    for (size_t i = 0; i < scopes->scope_count; i++) {
        free(scopes->scopes[i].name);
        free(scopes->scopes[i].file);
    }
    for (size_t i = 0; i < scopes->inlined_count; i++) {
        free(scopes->inlined[i].name);
        free(scopes->inlined[i].call_file);
    }
    free(scopes->modules);
    free(scopes->scopes);
    free(scopes->inlined);
    free(scopes->blocks);
    free(scopes->edges);
    free(scopes->references);
    free(scopes->code);
    free(scopes->load_classes);
    free(scopes->predictions);
    free(scopes->remapped_pages);
    ft_source_files_fini(&scopes->sources);
    *scopes = (struct ft_scopes){0};
}

bool ft_scope_is_nameless(const struct ft_scope *scope)
{
    return strcmp(scope->name, FT_NAMELESS) == 0 ||
           strncmp(scope->name, FT_NAMELESS_CODE, strlen(FT_NAMELESS_CODE)) == 0 ||
           strncmp(scope->name, FT_NAMELESS_ROUTINE, strlen(FT_NAMELESS_ROUTINE)) == 0;
}

uint32_t ft_scope_routine(const struct ft_scopes *scopes, uint32_t scope)
{
    while (scopes->scopes[scope].kind == FT_SCOPE_LOOP)
        scope = scopes->scopes[scope].parent;
    return scope;
}

bool ft_scope_is_string_routine(const struct ft_scopes *scopes, uint32_t scope)
{
    const struct ft_scope *routine = &scopes->scopes[ft_scope_routine(scopes, scope)];
    if (routine->kind != FT_SCOPE_ROUTINE)
        return false;
    const size_t length = strlen(routine->name), suffix = strlen(STRING_SUFFIX);
    return length > suffix && strcmp(routine->name + length - suffix, STRING_SUFFIX) == 0;
}

bool ft_scope_is_memset(const struct ft_scope *scope)
{
    return scope->kind == FT_SCOPE_ROUTINE && strstr(scope->name, "memset") != NULL;
}

bool ft_scope_is_malloc(const struct ft_scopes *scopes, uint32_t scope)
{
    static const char *const names[] = {"malloc",
                                        "calloc",
                                        "realloc",
                                        "free",
                                        "memalign",
                                        "aligned_alloc",
                                        "posix_memalign",
                                        "_mid_memalign",
                                        "_int_malloc",
                                        "_int_free",
                                        "_int_realloc",
                                        "_int_memalign",
                                        "sysmalloc",
                                        "sysmalloc_mmap",
                                        "systrim",
                                        "malloc_consolidate",
                                        "unlink_chunk",
                                        "munmap_chunk",
                                        "mremap_chunk",
                                        "alloc_perturb",
                                        "free_perturb",
                                        "tcache_init",
                                        "__default_morecore",
                                        "__glibc_morecore",
                                        "sbrk",
                                        "brk"};
    const struct ft_scope *routine = &scopes->scopes[ft_scope_routine(scopes, scope)];
    if (routine->kind != FT_SCOPE_ROUTINE)
        return false;
    const size_t length = strcspn(routine->name, "."); /* of a clone's name: unlink_chunk.isra.0 */
    bool found = false;
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        found = strlen(names[i]) == length && strncmp(routine->name, names[i], length) == 0;
    return found;
}

bool ft_scope_is_inside(const struct ft_scopes *scopes, uint32_t scope, uint32_t around)
{
    while (scope != around && scope > 0)
        scope = scopes->scopes[scope].parent;
    return scope == around;
}

size_t ft_scope_inlined(const struct ft_scopes *scopes, uint32_t scope,
                        const struct ft_inlined_call **ret_calls)
{
    size_t first = 0, count = scopes->inlined_count;
    while (count > 0) {
        const size_t half = count / 2;
        const bool is_below = scopes->inlined[first + half].scope < scope;
        first += is_below ? half + 1 : 0;
        count = is_below ? count - half - 1 : half;
    }
    size_t end = first;
    while (end < scopes->inlined_count && scopes->inlined[end].scope == scope)
        end++;
    *ret_calls = scopes->inlined ? scopes->inlined + first : NULL;
    return end - first;
}

static int write_group_count(hid_t group, uint32_t count, struct ft_diag *diag)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        H5Acreate2(group, "group_count", H5T_STD_U32LE, space, H5P_DEFAULT, H5P_DEFAULT);
    int status = attribute < 0 ? -1 : H5Awrite(attribute, H5T_NATIVE_UINT32, &count);
    if (attribute >= 0 && H5Aclose(attribute) < 0)
        status = -1;
    H5Sclose(space);
    return status < 0 ? ft_fail(diag, FT_ERROR_IO, "the scope tree cannot be written") : 0;
}

static int read_group_count(hid_t group, uint32_t *ret_count, struct ft_diag *diag)
{
    hid_t attribute = H5Aopen(group, "group_count", H5P_DEFAULT);
    uint32_t count = 0;
    int status = -1;
    if (attribute >= 0) {
        hid_t space = H5Aget_space(attribute);
        if (H5Sget_simple_extent_npoints(space) == 1)
            status = H5Aread(attribute, H5T_NATIVE_UINT32, &count);
        H5Sclose(space);
        H5Aclose(attribute);
    }
    if (status < 0)
        return ft_fail(diag, FT_ERROR_DATA, "the scope tree does not say how many groups it has");
    *ret_count = count;
    return 0;
}

enum { MODULES, SCOPES, BLOCKS, EDGES, REFERENCES, TABLE_COUNT };

static void list_tables(const struct ft_scopes *scopes, struct ft_records tables[TABLE_COUNT])
{
    tables[MODULES] =
        (struct ft_records){"modules", &module_type, scopes->modules, scopes->module_count};
    tables[SCOPES] =
        (struct ft_records){"scopes", &scope_type, scopes->scopes, scopes->scope_count};
    tables[BLOCKS] =
        (struct ft_records){"blocks", &block_type, scopes->blocks, scopes->block_count};
    tables[EDGES] = (struct ft_records){"edges", &edge_type, scopes->edges, scopes->edge_count};
    tables[REFERENCES] = (struct ft_records){"references", &reference_type, scopes->references,
                                             scopes->reference_count};
}

static int write_sources(hid_t group, const struct ft_source_files *sources, struct ft_diag *diag)
{
    FT_TRY(ft_records_write(group, SOURCES, &source_type, sources->items, sources->count, diag));
    return ft_records_write(group, TEXT, &byte_type, sources->text, sources->text_bytes, diag);
}

int ft_scopes_write(const struct ft_scopes *scopes, hid_t parent, struct ft_diag *diag)
{
    struct ft_records tables[TABLE_COUNT];
    hid_t group;
    FT_TRY(ft_result_group_create(parent, GROUP, &group, diag));
    list_tables(scopes, tables);
    int status = write_group_count(group, scopes->group_count, diag);
    if (!status)
        status = ft_records_write_all(group, tables, TABLE_COUNT, diag);
    if (!status && scopes->inlined_count)
        status = ft_records_write(group, INLINED, &inlined_type, scopes->inlined,
                                  scopes->inlined_count, diag);
    if (!status && scopes->groups)
        status =
            ft_records_write(group, GROUPS, &group_type, scopes->groups, scopes->group_count, diag);
    if (!status && scopes->code)
        status = ft_records_write(group, CODE, &byte_type, scopes->code, scopes->code_bytes, diag);
    if (!status && scopes->code)
        status = ft_records_write(group, LOADS, &byte_type, scopes->load_classes,
                                  scopes->reference_count, diag);
    if (!status && scopes->predictions)
        status = ft_records_write(group, PREDICTIONS, &prediction_type, scopes->predictions,
                                  scopes->block_count, diag);
    if (!status && scopes->remapped_pages)
        status = ft_records_write(group, REMAPPED, &count_type, scopes->remapped_pages,
                                  scopes->scope_count, diag);
    if (!status && scopes->sources.count)
        status = write_sources(group, &scopes->sources, diag);
    if (H5Gclose(group) < 0 && !status)
        status = ft_fail(diag, FT_ERROR_IO, "the scope tree cannot be written");
    return status;
}

static bool module_is_known(const struct ft_scopes *scopes, uint32_t module)
{
    return module == FT_NO_MODULE || module < scopes->module_count;
}

static int check_scopes(const struct ft_scopes *scopes, struct ft_diag *diag)
{
    for (size_t i = 0; i < scopes->scope_count; i++) {
        const struct ft_scope *scope = &scopes->scopes[i];
        if (scope->kind > FT_SCOPE_LOOP || !module_is_known(scopes, scope->module) ||
            (i == 0 ? scope->parent != 0 : scope->parent >= i) ||
            (i == 0) != (scope->kind == FT_SCOPE_PROGRAM))
            return ft_fail(diag, FT_ERROR_DATA, "scope %zu does not fit into the tree", i);
    }
    return scopes->scope_count ? 0 : ft_fail(diag, FT_ERROR_DATA, "the scope tree is empty");
}

static int check_inlined(const struct ft_scopes *scopes, struct ft_diag *diag)
{
    for (size_t i = 0; i < scopes->inlined_count; i++) {
        const uint32_t scope = scopes->inlined[i].scope;
        if (scope >= scopes->scope_count || scopes->scopes[scope].kind != FT_SCOPE_LOOP ||
            (i && scope < scopes->inlined[i - 1].scope))
            return ft_fail(diag, FT_ERROR_DATA, "inlined call %zu does not belong to a loop", i);
    }
    return 0;
}

static int check_code(const struct ft_scopes *scopes, struct ft_diag *diag)
{
    for (size_t i = 0; i < scopes->block_count; i++)
        if (scopes->blocks[i].scope >= scopes->scope_count ||
            !module_is_known(scopes, scopes->blocks[i].module))
            return ft_fail(diag, FT_ERROR_DATA, "block %zu: no such scope or module", i);
    for (size_t i = 0; i < scopes->edge_count; i++)
        if (scopes->edges[i].from >= scopes->block_count ||
            scopes->edges[i].to >= scopes->block_count)
            return ft_fail(diag, FT_ERROR_DATA, "edge %zu: no such block", i);
    for (size_t i = 0; i < scopes->reference_count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[i];
        if (reference->scope >= scopes->scope_count || reference->block >= scopes->block_count ||
            reference->group >= scopes->group_count || reference->kind > FT_FETCH ||
            !module_is_known(scopes, reference->module))
            return ft_fail(diag, FT_ERROR_DATA,
                           "reference %zu: no such scope, block, group or module", i);
    }
    return 0;
}

static int read_groups(hid_t group, struct ft_scopes *scopes, struct ft_diag *diag)
{
    size_t count = 0;
    const uint32_t expected = scopes->group_count;
    int status =
        ft_records_read(group, GROUPS, &group_type, (void **)&scopes->groups, &count, diag);
    if (status)
        return status;
    scopes->group_count = (uint32_t)count; /* so many are to be freed */
    for (size_t i = 0; i < count; i++)
        if (scopes->groups[i].storage >= FT_STORAGE_KINDS)
            return ft_fail(diag, FT_ERROR_DATA, "group %zu: unknown kind of storage", i);
    return count == expected ? 0
                             : ft_fail(diag, FT_ERROR_DATA,
                                       "the scope tree has %" PRIu32 " groups but describes %zu",
                                       expected, count);
}

static int check_machine_code(const struct ft_scopes *scopes, struct ft_diag *diag)
{
    size_t code_bytes = 0;
    for (size_t i = 0; scopes->code && i < scopes->block_count; i++)
        code_bytes += scopes->blocks[i].code_bytes;
    if (scopes->code && code_bytes != scopes->code_bytes)
        return ft_fail(diag, FT_ERROR_DATA, "the blocks have %zu bytes of code, expected %zu",
                       scopes->code_bytes, code_bytes);
    for (size_t i = 0; scopes->load_classes && i < scopes->reference_count; i++)
        if (scopes->load_classes[i] >= FT_LOAD_CLASSES)
            return ft_fail(diag, FT_ERROR_DATA, "reference %zu: unknown class of loads", i);
    return FT_OK;
}

static int read_machine_code(hid_t group, struct ft_scopes *scopes, struct ft_diag *diag)
{
    if (H5Lexists(group, CODE, H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read(group, CODE, &byte_type, (void **)&scopes->code, &scopes->code_bytes,
                           diag));
    return ft_records_read_exactly(group, LOADS, &byte_type, scopes->reference_count,
                                   (void **)&scopes->load_classes, diag);
}

static int read_predictions(hid_t group, struct ft_scopes *scopes, struct ft_diag *diag)
{
    if (H5Lexists(group, PREDICTIONS, H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read_exactly(group, PREDICTIONS, &prediction_type, scopes->block_count,
                                   (void **)&scopes->predictions, diag));
    for (size_t i = 0; i < scopes->block_count; i++)
        if (scopes->predictions[i].mispredictions > scopes->predictions[i].branches)
            return ft_fail(diag, FT_ERROR_DATA, "block %zu: more mispredictions than branches", i);
    return FT_OK;
}

static int read_remapped_pages(hid_t group, struct ft_scopes *scopes, struct ft_diag *diag)
{
    return H5Lexists(group, REMAPPED, H5P_DEFAULT) <= 0
               ? FT_OK
               : ft_records_read_exactly(group, REMAPPED, &count_type, scopes->scope_count,
                                         (void **)&scopes->remapped_pages, diag);
}

static int read_sources(hid_t group, struct ft_source_files *sources, struct ft_diag *diag)
{
    if (H5Lexists(group, SOURCES, H5P_DEFAULT) <= 0)
        return FT_OK;
    FT_TRY(ft_records_read(group, SOURCES, &source_type, (void **)&sources->items, &sources->count,
                           diag));
    FT_TRY(ft_records_read(group, TEXT, &byte_type, (void **)&sources->text, &sources->text_bytes,
                           diag));
    return ft_source_files_place(sources, diag);
}

int ft_scopes_read(hid_t parent, struct ft_scopes *ret_scopes, struct ft_diag *diag)
{
    struct ft_scopes scopes = {0};
    struct ft_records tables[TABLE_COUNT];
    hid_t group = H5Gopen2(parent, GROUP, H5P_DEFAULT);
    if (group < 0)
        return ft_fail(diag, FT_ERROR_DATA, "the scope tree is missing");
    list_tables(&scopes, tables);
    int status = read_group_count(group, &scopes.group_count, diag);
    if (!status)
        status = ft_records_read_all(group, tables, TABLE_COUNT, diag);
    if (!status && H5Lexists(group, INLINED, H5P_DEFAULT) > 0)
        status = ft_records_read(group, INLINED, &inlined_type, (void **)&scopes.inlined,
                                 &scopes.inlined_count, diag);
    if (!status && H5Lexists(group, GROUPS, H5P_DEFAULT) > 0)
        status = read_groups(group, &scopes, diag);
    scopes.modules = tables[MODULES].records;
    scopes.module_count = tables[MODULES].count;
    scopes.scopes = tables[SCOPES].records;
    scopes.scope_count = tables[SCOPES].count;
    scopes.blocks = tables[BLOCKS].records;
    scopes.block_count = tables[BLOCKS].count;
    scopes.edges = tables[EDGES].records;
    scopes.edge_count = tables[EDGES].count;
    scopes.references = tables[REFERENCES].records;
    scopes.reference_count = tables[REFERENCES].count;
    if (!status)
        status = read_machine_code(group, &scopes, diag);
    if (!status)
        status = read_predictions(group, &scopes, diag);
    if (!status)
        status = read_remapped_pages(group, &scopes, diag);
    if (!status)
        status = read_sources(group, &scopes.sources, diag);
    H5Gclose(group);
    if (!status)
        status = check_scopes(&scopes, diag);
    if (!status)
        status = check_code(&scopes, diag);
    if (!status)
        status = check_inlined(&scopes, diag);
    if (!status)
        status = check_machine_code(&scopes, diag);
    if (!status)
        *ret_scopes = scopes;
    else
        ft_scopes_fini(&scopes);
    return status;
}

void ft_scopes_add_nested(const struct ft_scopes *scopes, double *rows, size_t width)
{
    for (size_t i = scopes->scope_count; i-- > 1;) { /* parents come before children */
        double *parent = rows + scopes->scopes[i].parent * width;
        for (size_t j = 0; j < width; j++)
            parent[j] += rows[i * width + j];
    }
}
