/*
 * The schema by which libcyaml reads machine files into the structs of the header.
 */
#include "machines/yaml_machine.h"

#include <cyaml/cyaml.h>

#include "machines/machine.h"

const char *const ft_source_kind_names[6] = {"vendor",   "published", "measured",
                                             "estimate", "nearest",   "none"};

#define STRING(key, structure, member)                                                             \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, structure, member, 1, CYAML_UNLIMITED)
/* An empty number is a text too: the reader of numbers says what it may be. */
#define NUMBER(key, structure)                                                                     \
    CYAML_FIELD_STRING_PTR(#key, FLAGS_##key, structure, numbers.texts[FT_NUMBER_##key], 0,        \
                           CYAML_UNLIMITED)
#define SOURCES(structure)                                                                         \
    CYAML_FIELD_SEQUENCE_COUNT("sources", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, structure,     \
                               sources.list, sources.list_count, &source_schema, 1,                \
                               CYAML_UNLIMITED)

#define FLAGS_OF(key, quantity, min, max, required, sourced, sections)                             \
    FLAGS_##key = CYAML_FLAG_POINTER | ((required) ? 0 : CYAML_FLAG_OPTIONAL),
enum number_flags { FT_MACHINE_NUMBERS(FLAGS_OF) };
#undef FLAGS_OF

static const cyaml_strval_t source_kinds[] = {
    {"vendor", FT_SOURCE_VENDOR},     {"published", FT_SOURCE_PUBLISHED},
    {"measured", FT_SOURCE_MEASURED}, {"estimate", FT_SOURCE_ESTIMATE},
    {"nearest", FT_SOURCE_NEAREST},
};

/* The names of ft_mix_class_names: libcyaml wants them in a constant table of its own, and tells
 * the line of a name that is not in it. */
static const cyaml_strval_t mix_classes[] = {
    {"integer", FT_MIX_INTEGER},
    {"integer_multiply", FT_MIX_INTEGER_MULTIPLY},
    {"integer_divide", FT_MIX_INTEGER_DIVIDE},
    {"load", FT_MIX_LOAD},
    {"store", FT_MIX_STORE},
    {"branch", FT_MIX_BRANCH},
    {"fp_add", FT_MIX_FP_ADD},
    {"fp_multiply", FT_MIX_FP_MULTIPLY},
    {"fp_fma", FT_MIX_FP_FMA},
    {"fp_divide", FT_MIX_FP_DIVIDE},
    {"vector_integer", FT_MIX_VECTOR_INTEGER},
    {"move", FT_MIX_MOVE},
    {"other", FT_MIX_OTHER},
};

/* Likewise those of a level's behaviour. */
static const cyaml_strval_t replacements[] = {
    {"lru", FT_REPLACE_LRU},
    {"plru", FT_REPLACE_PLRU},
    {"random", FT_REPLACE_RANDOM},
};
static const cyaml_strval_t inclusions[] = {
    {"none", FT_INCLUSION_NONE},
    {"inclusive", FT_INCLUSIVE},
    {"exclusive", FT_EXCLUSIVE},
};
static const cyaml_strval_t writes[] = {
    {"back", FT_WRITE_BACK},
    {"through", FT_WRITE_THROUGH},
};
static const cyaml_strval_t write_misses[] = {
    {"allocate", FT_WRITE_ALLOCATE},
    {"around", FT_WRITE_AROUND},
};
static const cyaml_strval_t prefetch_kinds[] = {
    {"none", FT_PREFETCH_NONE},
    {"next_line", FT_PREFETCH_NEXT_LINE},
    {"stride", FT_PREFETCH_STRIDE},
};
/* libcyaml's own booleans take any text for true. */
static const cyaml_strval_t booleans[] = {
    {"false", 0},
    {"true", 1},
    {"no", 0},
    {"yes", 1},
};
#define CHOICE(key, member, names)                                                                 \
    CYAML_FIELD_ENUM(key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct ft_yaml_level, member,   \
                     names, CYAML_ARRAY_LEN(names))

static const cyaml_schema_value_t string_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};
static const cyaml_schema_value_t class_schema = {
    CYAML_VALUE_ENUM(CYAML_FLAG_STRICT, int, mix_classes, CYAML_ARRAY_LEN(mix_classes)),
};

static const cyaml_schema_field_t source_fields[] = {
    CYAML_FIELD_SEQUENCE("figures", CYAML_FLAG_POINTER, struct ft_yaml_source, figures,
                         &string_schema, 1, CYAML_UNLIMITED),
    CYAML_FIELD_ENUM("kind", CYAML_FLAG_STRICT, struct ft_yaml_source, kind, source_kinds,
                     CYAML_ARRAY_LEN(source_kinds)),
    STRING("text", struct ft_yaml_source, text),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t source_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_source, source_fields),
};

static const cyaml_schema_field_t core_fields[] = {
    NUMBER(clock_ghz, struct ft_yaml_core),
    NUMBER(issue_width, struct ft_yaml_core),
    NUMBER(store_forward_cycles, struct ft_yaml_core),
    NUMBER(store_conflict_cycles, struct ft_yaml_core),
    SOURCES(struct ft_yaml_core),
    CYAML_FIELD_END,
};

/* What caches and TLBs of data and of instructions have in common. */
#define CACHE_GEOMETRY                                                                             \
    STRING("name", struct ft_yaml_level, name), NUMBER(capacity, struct ft_yaml_level),            \
        NUMBER(line, struct ft_yaml_level), NUMBER(ways, struct ft_yaml_level)
#define TLB_GEOMETRY                                                                               \
    STRING("name", struct ft_yaml_level, name), NUMBER(entries, struct ft_yaml_level),             \
        NUMBER(page, struct ft_yaml_level), NUMBER(ways, struct ft_yaml_level)
#define SHARED CHOICE("shared", shared, booleans), NUMBER(shared_by, struct ft_yaml_level)
#define PREFETCH                                                                                   \
    CHOICE("prefetch", prefetch, prefetch_kinds), NUMBER(prefetch_lines, struct ft_yaml_level)

/* How fast a core gets data from a cache or from memory. */
#define SPEEDS(structure)                                                                          \
    NUMBER(load_bytes_per_cycle, structure), NUMBER(vector_bytes_per_cycle, structure),            \
        NUMBER(store_bytes_per_cycle, structure), NUMBER(copy_bytes_per_cycle, structure),         \
        NUMBER(gather_bytes_per_cycle, structure), NUMBER(load_line_cycles, structure),            \
        NUMBER(store_line_cycles, structure), NUMBER(outstanding_misses, structure)

static const cyaml_schema_field_t cache_fields[] = {
    CACHE_GEOMETRY,
    NUMBER(latency_cycles, struct ft_yaml_level),
    NUMBER(exposed_share, struct ft_yaml_level),
    SPEEDS(struct ft_yaml_level),
    SHARED,
    CHOICE("unified", unified, booleans),
    CHOICE("replacement", replacement, replacements),
    CHOICE("inclusion", inclusion, inclusions),
    CHOICE("write", write, writes),
    CHOICE("write_miss", write_miss, write_misses),
    PREFETCH,
    SOURCES(struct ft_yaml_level),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t cache_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_level, cache_fields),
};

static const cyaml_schema_field_t tlb_fields[] = {
    TLB_GEOMETRY,
    NUMBER(miss_cycles, struct ft_yaml_level),
    NUMBER(exposed_share, struct ft_yaml_level),
    SHARED,
    CHOICE("unified", unified, booleans),
    CHOICE("replacement", replacement, replacements),
    SOURCES(struct ft_yaml_level),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t tlb_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_level, tlb_fields),
};

static const cyaml_schema_field_t instruction_cache_fields[] = {
    CACHE_GEOMETRY,
    SHARED,
    CHOICE("replacement", replacement, replacements),
    CHOICE("inclusion", inclusion, inclusions),
    PREFETCH,
    SOURCES(struct ft_yaml_level),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t instruction_cache_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_level, instruction_cache_fields),
};

static const cyaml_schema_field_t instruction_tlb_fields[] = {
    TLB_GEOMETRY,
    SHARED,
    CHOICE("replacement", replacement, replacements),
    SOURCES(struct ft_yaml_level),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t instruction_tlb_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_level, instruction_tlb_fields),
};

static const cyaml_schema_field_t memory_fields[] = {
    NUMBER(latency_cycles, struct ft_yaml_memory),
    NUMBER(dirty_latency_cycles, struct ft_yaml_memory),
    SPEEDS(struct ft_yaml_memory),
    NUMBER(all_cores_bytes_per_cycle, struct ft_yaml_memory),
    NUMBER(page_fault_cycles, struct ft_yaml_memory),
    NUMBER(followed_stride, struct ft_yaml_memory),
    NUMBER(ahead_lines, struct ft_yaml_memory),
    SOURCES(struct ft_yaml_memory),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t units_fields[] = {
    STRING("name", struct ft_yaml_units, name),
    NUMBER(count, struct ft_yaml_units),
    NUMBER(repeat_cycles, struct ft_yaml_units),
    CYAML_FIELD_SEQUENCE("classes", CYAML_FLAG_POINTER, struct ft_yaml_units, classes,
                         &class_schema, 1, FT_MIX_COUNT),
    SOURCES(struct ft_yaml_units),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t units_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_units, units_fields),
};

static const cyaml_schema_field_t operation_fields[] = {
    CYAML_FIELD_ENUM("class", CYAML_FLAG_STRICT, struct ft_yaml_operation, class, mix_classes,
                     CYAML_ARRAY_LEN(mix_classes)),
    NUMBER(latency_cycles, struct ft_yaml_operation),
    SOURCES(struct ft_yaml_operation),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t operation_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct ft_yaml_operation, operation_fields),
};

static const cyaml_schema_field_t machine_fields[] = {
    STRING("description", struct ft_yaml_machine, description),
    CYAML_FIELD_SEQUENCE("cpuid", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct ft_yaml_machine,
                         cpuid, &string_schema, 0, 64),
    CYAML_FIELD_STRING_PTR("core_file", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                           struct ft_yaml_machine, core_file, 1, CYAML_UNLIMITED),
    CYAML_FIELD_MAPPING("core", CYAML_FLAG_DEFAULT, struct ft_yaml_machine, core, core_fields),
    CYAML_FIELD_SEQUENCE("caches", CYAML_FLAG_POINTER, struct ft_yaml_machine, caches,
                         &cache_schema, 1, 16),
    CYAML_FIELD_MAPPING("memory", CYAML_FLAG_DEFAULT, struct ft_yaml_machine, memory,
                        memory_fields),
    CYAML_FIELD_SEQUENCE("tlbs", CYAML_FLAG_POINTER, struct ft_yaml_machine, tlbs, &tlb_schema, 0,
                         16),
    CYAML_FIELD_SEQUENCE("instruction_caches", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct ft_yaml_machine, instruction_caches, &instruction_cache_schema, 0,
                         16),
    CYAML_FIELD_SEQUENCE("instruction_tlbs", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct ft_yaml_machine, instruction_tlbs, &instruction_tlb_schema, 0, 16),
    CYAML_FIELD_SEQUENCE("units", CYAML_FLAG_POINTER, struct ft_yaml_machine, units, &units_schema,
                         0, 64),
    CYAML_FIELD_SEQUENCE("operations", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct ft_yaml_machine, operations, &operation_schema, 0, FT_MIX_COUNT),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t machine_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct ft_yaml_machine, machine_fields),
};

int ft_yaml_machine_read(const struct ft_yaml_file *file, struct ft_yaml_machine **ret_yaml,
                         struct ft_diag *diag)
{
    return ft_yaml_file_load(file, &machine_schema, (void **)ret_yaml, diag);
}

void ft_yaml_machine_free(struct ft_yaml_machine *yaml)
{
    ft_yaml_free(&machine_schema, yaml);
}
