/*
 * Five tables, one for each array, and the number of groups as an attribute. What is read is
 * checked once, here, so that whoever walks the tree later need not doubt an index.
 */
#include "formats/scopes.h"

#include <stdlib.h>

#include "formats/base/records.h"
#include "formats/code/unit.h"

const char *const ft_scope_kind_names[4] = {"program", "module", "routine", "loop"};

#define FIELD(record, member, type)                                                                \
    {                                                                                              \
#member, offsetof(struct record, member), type, 0                                          \
    }
#define RECORD_TYPE(record, fields)                                                                \
    {                                                                                              \
        sizeof(struct record), fields, sizeof fields / sizeof *fields                              \
    }

static const struct ft_field module_fields[] = {
    FIELD(ft_scope_module, name, FT_FIELD_TEXT),
    FIELD(ft_scope_module, path, FT_FIELD_TEXT),
    {"build_id", offsetof(struct ft_scope_module, build_id), FT_FIELD_CHARS,
     sizeof((struct ft_scope_module *)0)->build_id},
};
static const struct ft_field scope_fields[] = {
    FIELD(ft_scope, parent, FT_FIELD_U32),       FIELD(ft_scope, module, FT_FIELD_U32),
    FIELD(ft_scope, kind, FT_FIELD_U8),          FIELD(ft_scope, loop_depth, FT_FIELD_U8),
    FIELD(ft_scope, name, FT_FIELD_TEXT),        FIELD(ft_scope, file, FT_FIELD_TEXT),
    FIELD(ft_scope, first_line, FT_FIELD_U32),   FIELD(ft_scope, last_line, FT_FIELD_U32),
    FIELD(ft_scope, start_offset, FT_FIELD_U64), FIELD(ft_scope, end_offset, FT_FIELD_U64),
    FIELD(ft_scope, entry_count, FT_FIELD_U64),  FIELD(ft_scope, iteration_count, FT_FIELD_U64),
};
static const struct ft_field block_fields[] = {
    FIELD(ft_block, scope, FT_FIELD_U32),
    FIELD(ft_block, module, FT_FIELD_U32),
    FIELD(ft_block, offset, FT_FIELD_U64),
    FIELD(ft_block, code_bytes, FT_FIELD_U32),
    FIELD(ft_block, instruction_count, FT_FIELD_U32),
    FIELD(ft_block, execution_count, FT_FIELD_U64),
    {"mix", offsetof(struct ft_block, mix), FT_FIELD_U16, FT_MIX_COUNT},
    FIELD(ft_block, flops, FT_FIELD_U32),
};
static const struct ft_field edge_fields[] = {
    FIELD(ft_block_edge, from, FT_FIELD_U32),
    FIELD(ft_block_edge, to, FT_FIELD_U32),
    FIELD(ft_block_edge, count, FT_FIELD_U64),
};
static const struct ft_field reference_fields[] = {
    FIELD(ft_scoped_reference, offset, FT_FIELD_U64),
    FIELD(ft_scoped_reference, module, FT_FIELD_U32),
    FIELD(ft_scoped_reference, scope, FT_FIELD_U32),
    FIELD(ft_scoped_reference, block, FT_FIELD_U32),
    FIELD(ft_scoped_reference, group, FT_FIELD_U32),
    FIELD(ft_scoped_reference, size_bytes, FT_FIELD_U32),
    FIELD(ft_scoped_reference, line, FT_FIELD_U32),
    FIELD(ft_scoped_reference, access_index, FT_FIELD_U8),
    FIELD(ft_scoped_reference, kind, FT_FIELD_U8),
};

static const struct ft_record_type module_type = RECORD_TYPE(ft_scope_module, module_fields);
static const struct ft_record_type scope_type = RECORD_TYPE(ft_scope, scope_fields);
static const struct ft_record_type block_type = RECORD_TYPE(ft_block, block_fields);
static const struct ft_record_type edge_type = RECORD_TYPE(ft_block_edge, edge_fields);
static const struct ft_record_type reference_type =
    RECORD_TYPE(ft_scoped_reference, reference_fields);

void ft_scopes_fini(struct ft_scopes *scopes)
{
    for (size_t i = 0; i < scopes->module_count; i++) {
        free(scopes->modules[i].name);
        free(scopes->modules[i].path);
    }
    for (size_t i = 0; i < scopes->scope_count; i++) {
        free(scopes->scopes[i].name);
        free(scopes->scopes[i].file);
    }
    free(scopes->modules);
    free(scopes->scopes);
    free(scopes->blocks);
    free(scopes->edges);
    free(scopes->references);
    *scopes = (struct ft_scopes){0};
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

int ft_scopes_write(const struct ft_scopes *scopes, hid_t group, struct ft_diag *diag)
{
    const struct {
        const char *name;
        const struct ft_record_type *type;
        const void *records;
        size_t count;
    } tables[] = {
        {"modules", &module_type, scopes->modules, scopes->module_count},
        {"scopes", &scope_type, scopes->scopes, scopes->scope_count},
        {"blocks", &block_type, scopes->blocks, scopes->block_count},
        {"edges", &edge_type, scopes->edges, scopes->edge_count},
        {"references", &reference_type, scopes->references, scopes->reference_count},
    };
    int status = write_group_count(group, scopes->group_count, diag);
    for (size_t i = 0; status == 0 && i < sizeof tables / sizeof *tables; i++)
        status = ft_records_write(group, tables[i].name, tables[i].type, tables[i].records,
                                  tables[i].count, diag);
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
            return ft_fail(diag, FT_ERROR_DATA, "scope %zu has no place in the tree", i);
    }
    return scopes->scope_count ? 0 : ft_fail(diag, FT_ERROR_DATA, "the scope tree is empty");
}

static int check_code(const struct ft_scopes *scopes, struct ft_diag *diag)
{
    for (size_t i = 0; i < scopes->block_count; i++)
        if (scopes->blocks[i].scope >= scopes->scope_count ||
            !module_is_known(scopes, scopes->blocks[i].module))
            return ft_fail(diag, FT_ERROR_DATA, "block %zu is in no scope", i);
    for (size_t i = 0; i < scopes->edge_count; i++)
        if (scopes->edges[i].from >= scopes->block_count ||
            scopes->edges[i].to >= scopes->block_count)
            return ft_fail(diag, FT_ERROR_DATA, "edge %zu joins no blocks", i);
    for (size_t i = 0; i < scopes->reference_count; i++) {
        const struct ft_scoped_reference *reference = &scopes->references[i];
        if (reference->scope >= scopes->scope_count || reference->block >= scopes->block_count ||
            reference->group >= scopes->group_count || reference->kind > FT_PREFETCH ||
            !module_is_known(scopes, reference->module))
            return ft_fail(diag, FT_ERROR_DATA, "reference %zu has no place in the code", i);
    }
    return 0;
}

int ft_scopes_read(hid_t group, struct ft_scopes *ret_scopes, struct ft_diag *diag)
{
    struct ft_scopes scopes = {0};
    void *records[5] = {0};
    size_t counts[5] = {0};
    static const char *const names[5] = {"modules", "scopes", "blocks", "edges", "references"};
    static const struct ft_record_type *const types[5] = {&module_type, &scope_type, &block_type,
                                                          &edge_type, &reference_type};
    int status = read_group_count(group, &scopes.group_count, diag);
    for (size_t i = 0; status == 0 && i < 5; i++)
        status = ft_records_read(group, names[i], types[i], &records[i], &counts[i], diag);
    scopes.modules = records[0];
    scopes.module_count = counts[0];
    scopes.scopes = records[1];
    scopes.scope_count = counts[1];
    scopes.blocks = records[2];
    scopes.block_count = counts[2];
    scopes.edges = records[3];
    scopes.edge_count = counts[3];
    scopes.references = records[4];
    scopes.reference_count = counts[4];
    if (status == 0)
        status = check_scopes(&scopes, diag);
    if (status == 0)
        status = check_code(&scopes, diag);
    if (status == 0)
        *ret_scopes = scopes;
    else
        ft_scopes_fini(&scopes);
    return status;
}
