#include "machines/cores/core_yaml.h"

#include <cyaml/cyaml.h>
#include <stdlib.h>

#include "machines/yaml_file.h"

#define FILE_STRUCT struct ft_yaml_core_file

#define STRING(key, structure)                                                                     \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER, structure, key, 1, CYAML_UNLIMITED)
#define STRINGS(key, structure)                                                                    \
    CYAML_FIELD_SEQUENCE(#key, CYAML_FLAG_POINTER, structure, key, &string_schema, 0,              \
                         CYAML_UNLIMITED)
#define NUMBER(key, structure)   CYAML_FIELD_UINT(#key, CYAML_FLAG_DEFAULT, structure, key)
#define OPTIONAL(key, structure) CYAML_FIELD_UINT(#key, CYAML_FLAG_OPTIONAL, structure, key)

static const cyaml_schema_value_t string_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};

static const cyaml_schema_field_t group_fields[] = {
    STRING(name, struct ft_yaml_core_group),
    STRINGS(ports, struct ft_yaml_core_group),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t group_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_core_group, group_fields),
};

static const cyaml_schema_field_t kind_fields[] = {
    NUMBER(operations, struct ft_yaml_core_kind),
    NUMBER(latency, struct ft_yaml_core_kind),
    OPTIONAL(chained, struct ft_yaml_core_kind), /* from version 3 on */
    STRINGS(units, struct ft_yaml_core_kind),
    STRINGS(forms, struct ft_yaml_core_kind),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t kind_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_core_kind, kind_fields),
};

static const cyaml_schema_field_t file_fields[] = {
    NUMBER(version, FILE_STRUCT),
    STRING(description, FILE_STRUCT),
    STRINGS(cpuid, FILE_STRUCT),
    STRINGS(sources, FILE_STRUCT),
    CYAML_FIELD_FLOAT("dispatch", CYAML_FLAG_DEFAULT, FILE_STRUCT, dispatch),
    NUMBER(fetch, FILE_STRUCT),
    NUMBER(window, FILE_STRUCT),
    NUMBER(load_cycles, FILE_STRUCT),
    NUMBER(vector_load_cycles, FILE_STRUCT),
    NUMBER(forward_cycles, FILE_STRUCT),
    NUMBER(taken_branches, FILE_STRUCT),
    OPTIONAL(retire, FILE_STRUCT),
    OPTIONAL(load_buffer, FILE_STRUCT),
    OPTIONAL(store_buffer, FILE_STRUCT),
    OPTIONAL(miss_buffers, FILE_STRUCT),
    OPTIONAL(page_walks, FILE_STRUCT),
    OPTIONAL(mispredict_cycles, FILE_STRUCT),
    OPTIONAL(renames_memory, FILE_STRUCT),
    OPTIONAL(vector_forward_cycles, FILE_STRUCT),
    OPTIONAL(op_cache_window, FILE_STRUCT),
    OPTIONAL(op_cache_entry, FILE_STRUCT),
    OPTIONAL(decode_cycles, FILE_STRUCT),
    OPTIONAL(op_cache_entries, FILE_STRUCT),
    OPTIONAL(complex_load_cycles, FILE_STRUCT),
    CYAML_FIELD_STRING_PTR("commit", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, FILE_STRUCT, commit,
                           1, CYAML_UNLIMITED),
    STRINGS(fuses, FILE_STRUCT),
    NUMBER(fuses_accesses, FILE_STRUCT),
    CYAML_FIELD_SEQUENCE("groups", CYAML_FLAG_POINTER, FILE_STRUCT, groups, &group_schema, 1, 256),
    CYAML_FIELD_SEQUENCE("kinds", CYAML_FLAG_POINTER, FILE_STRUCT, kinds, &kind_schema, 1,
                         CYAML_UNLIMITED),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, FILE_STRUCT, file_fields),
};

int ft_yaml_core_file_read(const char *path, struct ft_yaml_core_file **ret_yaml,
                           struct ft_diag *diag)
{
    struct ft_yaml_file file;
    struct ft_yaml_core_file *yaml = NULL;
    FT_TRY(ft_yaml_file_read(path, &file, diag));
    int status = ft_yaml_file_load(&file, &file_schema, (void **)&yaml, diag);
    if (status == FT_OK)
        status = ft_yaml_file_check_version(&file, yaml->version, FT_CORE_VERSION, diag);
    free(file.text);
    if (status == FT_OK)
        *ret_yaml = yaml;
    else
        ft_yaml_core_file_free(yaml);
    return status;
}

void ft_yaml_core_file_free(struct ft_yaml_core_file *yaml)
{
    ft_yaml_free(&file_schema, yaml);
}
