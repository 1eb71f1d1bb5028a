/*
 * From YAML to struct ft_machine, in three steps: libcyaml reads the file into the structs below,
 * which mirror it key by key; every section is checked to name a source for each of its figures;
 * the sections become levels and units, and what only a machine can get wrong is checked (ways that
 * do not divide a cache, latencies that do not rise, classes of work without a unit).
 *
 * libcyaml tells what is wrong and where through its log alone: an error first, then a backtrace
 * from the innermost value outwards. note_error() keeps both and turns them into one sentence.
 */
#include "machines/machine.h"

#include <cyaml/cyaml.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/options.h"
#include "machines/machine_build.h"

const char *const ft_level_kind_names[2] = {"cache", "tlb"};
const char *const ft_replacement_names[3] = {"lru", "plru", "random"};
const char *const ft_inclusion_names[3] = {"none", "inclusive", "exclusive"};
const char *const ft_write_names[2] = {"back", "through"};
const char *const ft_write_miss_names[2] = {"allocate", "around"};
const char *const ft_prefetch_kind_names[3] = {"none", "next_line", "stride"};

enum source_kind { SOURCE_VENDOR, SOURCE_PUBLISHED, SOURCE_MEASURED, SOURCE_ESTIMATE };

struct yaml_source {
    char **figures;
    unsigned figures_count;
    int kind; /* required, not used: for the reader of the file */
    char *text;
};

struct yaml_sources {
    struct yaml_source *list;
    unsigned list_count;
};

struct yaml_core {
    double clock_ghz, issue_width;
    struct yaml_sources sources;
};

struct yaml_level { /* a cache or a TLB */
    char *name;
    char *capacity, *line; /* caches */
    uint64_t entries;      /* TLBs */
    char *page;
    char *ways; /* a number or "full" */
    double latency_cycles, exposed_share;
    int shared, unified; /* 0 or 1 */
    uint64_t shared_by;
    int replacement, inclusion, write, write_miss, prefetch; /* caches; TLBs: replacement */
    uint32_t prefetch_lines;
    struct yaml_sources sources;
};

struct yaml_memory {
    double latency_cycles, dirty_latency_cycles;
    struct yaml_sources sources;
};

struct yaml_units {
    char *name;
    double count, repeat_cycles; /* repeat 0: 1 */
    int *classes;
    unsigned classes_count;
    struct yaml_sources sources;
};

struct yaml_machine {
    char *description;
    struct yaml_core core;
    struct yaml_level *caches;
    unsigned caches_count;
    struct yaml_memory memory;
    struct yaml_level *tlbs;
    unsigned tlbs_count;
    struct yaml_level *instruction_caches, *instruction_tlbs;
    unsigned instruction_caches_count, instruction_tlbs_count;
    struct yaml_units *units;
    unsigned units_count;
};

/* ---- the schema ---- */

#define STRING(key, structure, member)                                                             \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER, structure, member, 1, CYAML_UNLIMITED)
#define FIGURE(key, structure, member) CYAML_FIELD_FLOAT(key, CYAML_FLAG_DEFAULT, structure, member)
#define SOURCES(structure)                                                                         \
    CYAML_FIELD_SEQUENCE_COUNT("sources", CYAML_FLAG_POINTER, structure, sources.list,             \
                               sources.list_count, &source_schema, 1, CYAML_UNLIMITED)

static const cyaml_strval_t source_kinds[] = {
    {"vendor", SOURCE_VENDOR},
    {"published", SOURCE_PUBLISHED},
    {"measured", SOURCE_MEASURED},
    {"estimate", SOURCE_ESTIMATE},
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
    CYAML_FIELD_ENUM(key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct yaml_level, member,      \
                     names, CYAML_ARRAY_LEN(names))

static const cyaml_schema_value_t string_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, CYAML_UNLIMITED),
};
static const cyaml_schema_value_t class_schema = {
    CYAML_VALUE_ENUM(CYAML_FLAG_STRICT, int, mix_classes, CYAML_ARRAY_LEN(mix_classes)),
};

static const cyaml_schema_field_t source_fields[] = {
    CYAML_FIELD_SEQUENCE("figures", CYAML_FLAG_POINTER, struct yaml_source, figures, &string_schema,
                         1, CYAML_UNLIMITED),
    CYAML_FIELD_ENUM("kind", CYAML_FLAG_STRICT, struct yaml_source, kind, source_kinds,
                     CYAML_ARRAY_LEN(source_kinds)),
    STRING("text", struct yaml_source, text),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t source_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_source, source_fields),
};

static const cyaml_schema_field_t core_fields[] = {
    FIGURE("clock_ghz", struct yaml_core, clock_ghz),
    FIGURE("issue_width", struct yaml_core, issue_width),
    SOURCES(struct yaml_core),
    CYAML_FIELD_END,
};

/* What caches and TLBs of data and of instructions have in common. */
#define CACHE_GEOMETRY                                                                             \
    STRING("name", struct yaml_level, name), STRING("capacity", struct yaml_level, capacity),      \
        STRING("line", struct yaml_level, line), STRING("ways", struct yaml_level, ways)
#define TLB_GEOMETRY                                                                               \
    STRING("name", struct yaml_level, name),                                                       \
        CYAML_FIELD_UINT("entries", CYAML_FLAG_DEFAULT, struct yaml_level, entries),               \
        STRING("page", struct yaml_level, page), STRING("ways", struct yaml_level, ways)
#define SHARED                                                                                     \
    CHOICE("shared", shared, booleans),                                                            \
        CYAML_FIELD_UINT("shared_by", CYAML_FLAG_OPTIONAL, struct yaml_level, shared_by)
#define PREFETCH                                                                                   \
    CHOICE("prefetch", prefetch, prefetch_kinds),                                                  \
        CYAML_FIELD_UINT("prefetch_lines", CYAML_FLAG_OPTIONAL, struct yaml_level, prefetch_lines)

static const cyaml_schema_field_t cache_fields[] = {
    CACHE_GEOMETRY,
    FIGURE("latency_cycles", struct yaml_level, latency_cycles),
    FIGURE("exposed_share", struct yaml_level, exposed_share),
    SHARED,
    CHOICE("unified", unified, booleans),
    CHOICE("replacement", replacement, replacements),
    CHOICE("inclusion", inclusion, inclusions),
    CHOICE("write", write, writes),
    CHOICE("write_miss", write_miss, write_misses),
    PREFETCH,
    SOURCES(struct yaml_level),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t cache_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_level, cache_fields),
};

static const cyaml_schema_field_t tlb_fields[] = {
    TLB_GEOMETRY,
    FIGURE("miss_cycles", struct yaml_level, latency_cycles),
    FIGURE("exposed_share", struct yaml_level, exposed_share),
    SHARED,
    CHOICE("unified", unified, booleans),
    CHOICE("replacement", replacement, replacements),
    SOURCES(struct yaml_level),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t tlb_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_level, tlb_fields),
};

static const cyaml_schema_field_t instruction_cache_fields[] = {
    CACHE_GEOMETRY,
    SHARED,
    CHOICE("replacement", replacement, replacements),
    CHOICE("inclusion", inclusion, inclusions),
    PREFETCH,
    SOURCES(struct yaml_level),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t instruction_cache_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_level, instruction_cache_fields),
};

static const cyaml_schema_field_t instruction_tlb_fields[] = {
    TLB_GEOMETRY,
    SHARED,
    CHOICE("replacement", replacement, replacements),
    SOURCES(struct yaml_level),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t instruction_tlb_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_level, instruction_tlb_fields),
};

static const cyaml_schema_field_t memory_fields[] = {
    FIGURE("latency_cycles", struct yaml_memory, latency_cycles),
    CYAML_FIELD_FLOAT("dirty_latency_cycles", CYAML_FLAG_OPTIONAL, struct yaml_memory,
                      dirty_latency_cycles),
    SOURCES(struct yaml_memory),
    CYAML_FIELD_END,
};

static const cyaml_schema_field_t units_fields[] = {
    STRING("name", struct yaml_units, name),
    FIGURE("count", struct yaml_units, count),
    CYAML_FIELD_FLOAT("repeat_cycles", CYAML_FLAG_OPTIONAL, struct yaml_units, repeat_cycles),
    CYAML_FIELD_SEQUENCE("classes", CYAML_FLAG_POINTER, struct yaml_units, classes, &class_schema,
                         1, FT_MIX_COUNT),
    SOURCES(struct yaml_units),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t units_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct yaml_units, units_fields),
};

static const cyaml_schema_field_t machine_fields[] = {
    STRING("description", struct yaml_machine, description),
    CYAML_FIELD_MAPPING("core", CYAML_FLAG_DEFAULT, struct yaml_machine, core, core_fields),
    CYAML_FIELD_SEQUENCE("caches", CYAML_FLAG_POINTER, struct yaml_machine, caches, &cache_schema,
                         1, 16),
    CYAML_FIELD_MAPPING("memory", CYAML_FLAG_DEFAULT, struct yaml_machine, memory, memory_fields),
    CYAML_FIELD_SEQUENCE("tlbs", CYAML_FLAG_POINTER, struct yaml_machine, tlbs, &tlb_schema, 0, 16),
    CYAML_FIELD_SEQUENCE("instruction_caches", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct yaml_machine, instruction_caches, &instruction_cache_schema, 0, 16),
    CYAML_FIELD_SEQUENCE("instruction_tlbs", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                         struct yaml_machine, instruction_tlbs, &instruction_tlb_schema, 0, 16),
    CYAML_FIELD_SEQUENCE("units", CYAML_FLAG_POINTER, struct yaml_machine, units, &units_schema, 0,
                         64),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t machine_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct yaml_machine, machine_fields),
};

/* ---- what libcyaml says of a bad file ---- */

struct yaml_error {
    char what[256];
    char key[256]; /* "caches[1].latency_cycles"; entries count from 1 */
    unsigned line;
};

static void prepend(char *text, size_t size, const char *front)
{
    char old[256];
    snprintf(old, sizeof old, "%s", text);
    bool dot = old[0] && old[0] != '[';
    snprintf(text, size, "%.120s%s%.120s", front, dot ? "." : "", old);
}

static void note_error(cyaml_log_t level, void *context, const char *format, va_list arguments)
{
    struct yaml_error *error = context;
    char text[256], name[128];
    unsigned line, entry;
    (void)level;
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = 0;
    if (!error->what[0]) {
        const char *what = strncmp(text, "Load: ", 6) == 0 ? text + 6 : text;
        snprintf(error->what, sizeof error->what, "%s", what);
        /* NOLINTBEGIN(cert-err34-c): numbers that libcyaml itself has printed */
    } else if (sscanf(text, " in mapping field '%127[^']' (line: %u", name, &line) == 2) {
        /* A missing key is reported where the mapping ends, under its last key. */
        if (error->line || strncmp(error->what, "Missing", 7) != 0)
            prepend(error->key, sizeof error->key, name);
        error->line = error->line ? error->line : line;
    } else if (sscanf(text, " in sequence entry '%u' (line: %u", &entry, &line) == 2) {
        snprintf(name, sizeof name, "[%u]", entry);
        if (entry) /* 0: not even the first could be read */
            prepend(error->key, sizeof error->key, name);
        error->line = error->line ? error->line : line;
    } else if (sscanf(text, " in mapping (line: %u", &line) == 1) {
        error->line = error->line ? error->line : line;
    }
    /* NOLINTEND(cert-err34-c) */
}

static int fail_yaml(const char *path, const struct yaml_error *error, cyaml_err_t code,
                     struct ft_diag *diag)
{
    const char *what = error->what[0] ? error->what : cyaml_strerror(code);
    if (code == CYAML_ERR_FILE_OPEN)
        return ft_fail(diag, FT_ERROR_IO, "%s: the file cannot be opened", path);
    if (code == CYAML_ERR_OOM)
        return ft_fail_memory(diag, path);
    if (!error->line)
        return ft_fail(diag, FT_ERROR_DATA, "%s: %s", path, what);
    return ft_fail(diag, FT_ERROR_DATA, "%s: line %u: %s%s%s", path, error->line, error->key,
                   error->key[0] ? ": " : "", what);
}

/* ---- sources ---- */

/* Each of `figures` (a NULL ends them) must be named by a source, and each source only names
 * figures of its section. */
static int check_sources(const char *path, const char *section, const struct yaml_sources *sources,
                         const char *const *figures, struct ft_diag *diag)
{
    bool known[16] = {false};
    for (unsigned i = 0; i < sources->list_count; i++)
        for (unsigned j = 0; j < sources->list[i].figures_count; j++) {
            const char *name = sources->list[i].figures[j];
            size_t k = 0;
            while (figures[k] && strcmp(figures[k], name) != 0)
                k++;
            if (!figures[k])
                return ft_fail(diag, FT_ERROR_DATA,
                               "%s: %s.sources[%u].figures: '%s' is no figure of this section",
                               path, section, i + 1, name);
            known[k] = true;
        }
    for (size_t k = 0; figures[k]; k++)
        if (!known[k])
            return ft_fail(diag, FT_ERROR_DATA, "%s: %s.%s: no source is named for it", path,
                           section, figures[k]);
    return FT_OK;
}

/* ---- sections ---- */

static int parse_size(const char *path, const char *section, const char *key, const char *text,
                      uint64_t *ret_bytes, struct ft_diag *diag)
{
    struct ft_diag why;
    if (ft_parse_bytes(text, ret_bytes, &why) != FT_OK)
        return ft_fail(diag, FT_ERROR_DATA, "%s: %s.%s: %s", path, section, key, why.message);
    return FT_OK;
}

/* A list of levels in the file. */
struct level_list {
    const char *key;
    enum ft_level_kind kind;
    bool instruction;
    const struct yaml_level *levels;
    unsigned count;
};

/* The figures that need sources. */
static int check_level_sources(const char *path, const char *section, const struct level_list *list,
                               const struct yaml_level *yaml, struct ft_diag *diag)
{
    const char *figures[8];
    size_t count = 0;
    bool cache = list->kind == FT_LEVEL_CACHE;
    figures[count++] = cache ? "capacity" : "entries";
    figures[count++] = cache ? "line" : "page";
    figures[count++] = "ways";
    if (!list->instruction) {
        figures[count++] = cache ? "latency_cycles" : "miss_cycles";
        figures[count++] = "exposed_share";
    }
    if (yaml->prefetch_lines)
        figures[count++] = "prefetch_lines";
    figures[count] = NULL;
    return check_sources(path, section, &yaml->sources, figures, diag);
}

static int add_level(const char *path, const struct level_list *list, unsigned index,
                     struct ft_machine *machine, struct ft_diag *diag)
{
    const struct yaml_level *yaml = &list->levels[index];
    bool cache = list->kind == FT_LEVEL_CACHE, prefetches = yaml->prefetch != FT_PREFETCH_NONE;
    char section[48];
    snprintf(section, sizeof section, "%s[%u]", list->key, index + 1);
    struct ft_level_text text = {
        .where = path,
        .section = section,
        .name = yaml->name,
        .kind = list->kind,
        .instruction = list->instruction,
        .ways = yaml->ways,
        .latency_cycles = yaml->latency_cycles,
        .exposed_share = yaml->exposed_share,
        .shared = yaml->shared || yaml->shared_by > 1,
        .shared_by = yaml->shared_by > UINT32_MAX ? UINT32_MAX : (uint32_t)yaml->shared_by,
        .behaviour = {.replacement = (uint8_t)yaml->replacement,
                      .inclusion = (uint8_t)yaml->inclusion,
                      .write = (uint8_t)yaml->write,
                      .write_miss = (uint8_t)yaml->write_miss,
                      .prefetch = (uint8_t)yaml->prefetch,
                      .prefetch_blocks =
                          prefetches && !yaml->prefetch_lines ? 1 : yaml->prefetch_lines,
                      .unified = yaml->unified},
    };
    int status = check_level_sources(path, section, list, yaml, diag);
    if (status == FT_OK)
        status = parse_size(path, section, cache ? "line" : "page", cache ? yaml->line : yaml->page,
                            &text.block_bytes, diag);
    if (status == FT_OK && cache)
        status = parse_size(path, section, "capacity", yaml->capacity, &text.capacity_bytes, diag);
    else if (status == FT_OK &&
             __builtin_mul_overflow(yaml->entries, text.block_bytes, &text.capacity_bytes))
        status = ft_fail(diag, FT_ERROR_DATA, "%s: %s.entries: too many", path, section);
    return status == FT_OK ? ft_machine_add_level(machine, &text, diag) : status;
}

static int add_levels(const char *path, const struct yaml_machine *yaml, struct ft_machine *machine,
                      struct ft_diag *diag)
{
    const struct level_list lists[] = {
        {"caches", FT_LEVEL_CACHE, false, yaml->caches, yaml->caches_count},
        {"tlbs", FT_LEVEL_TLB, false, yaml->tlbs, yaml->tlbs_count},
        {"instruction_caches", FT_LEVEL_CACHE, true, yaml->instruction_caches,
         yaml->instruction_caches_count},
        {"instruction_tlbs", FT_LEVEL_TLB, true, yaml->instruction_tlbs,
         yaml->instruction_tlbs_count},
    };
    int status = FT_OK;
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (unsigned i = 0; status == FT_OK && i < lists[list].count; i++)
            status = add_level(path, &lists[list], i, machine, diag);
    return status;
}

static int add_units(const char *path, const struct yaml_machine *yaml, struct ft_machine *machine,
                     struct ft_diag *diag)
{
    machine->units = calloc(yaml->units_count ? yaml->units_count : 1, sizeof *machine->units);
    if (!machine->units)
        return ft_fail_memory(diag, path);
    for (unsigned i = 0; i < yaml->units_count; i++) {
        const struct yaml_units *from = &yaml->units[i];
        struct ft_unit_class *to = &machine->units[i];
        char section[32];
        snprintf(section, sizeof section, "units[%u]", i + 1);
        const char *const figures[] = {"count", from->repeat_cycles != 0 ? "repeat_cycles" : NULL,
                                       NULL};
        int status = check_sources(path, section, &from->sources, figures, diag);
        if (status != FT_OK)
            return status;
        double repeat = from->repeat_cycles != 0 ? from->repeat_cycles : 1;
        if (!(from->count > 0 && isfinite(from->count)))
            return ft_fail(diag, FT_ERROR_DATA, "%s: %s.count: a number above 0 is needed", path,
                           section);
        if (!(repeat > 0 && isfinite(repeat)))
            return ft_fail(diag, FT_ERROR_DATA, "%s: %s.repeat_cycles: a number above 0 is needed",
                           path, section);
        to->rate = from->count / repeat;
        for (unsigned j = 0; j < from->classes_count; j++)
            to->classes[from->classes[j]] = true;
        to->name = strdup(from->name);
        if (!to->name)
            return ft_fail_memory(diag, path);
        machine->unit_count = i + 1;
    }
    return FT_OK;
}

static int check_section_sources(const char *path, const struct yaml_machine *yaml,
                                 struct ft_diag *diag)
{
    static const char *const core[] = {"clock_ghz", "issue_width", NULL};
    const char *const memory[] = {
        "latency_cycles", yaml->memory.dirty_latency_cycles != 0 ? "dirty_latency_cycles" : NULL,
        NULL};
    int status = check_sources(path, "core", &yaml->core.sources, core, diag);
    if (status == FT_OK)
        status = check_sources(path, "memory", &yaml->memory.sources, memory, diag);
    return status;
}

static int build(const char *path, const char *name, const struct yaml_machine *yaml,
                 struct ft_machine *machine, struct ft_diag *diag)
{
    *machine = (struct ft_machine){
        .name = strdup(name),
        .description = strdup(yaml->description),
        .clock_ghz = yaml->core.clock_ghz,
        .issue_width = yaml->core.issue_width,
        .memory_latency_cycles = yaml->memory.latency_cycles,
        .dirty_memory_latency_cycles = yaml->memory.dirty_latency_cycles,
    };
    if (!machine->name || !machine->description)
        return ft_fail_memory(diag, path);
    int status = check_section_sources(path, yaml, diag);
    if (status == FT_OK)
        status = add_levels(path, yaml, machine, diag);
    if (status == FT_OK)
        status = add_units(path, yaml, machine, diag);
    if (status == FT_OK)
        status = ft_machine_check(path, machine, diag);
    return status;
}

int ft_machine_read(const char *path, const char *name, struct ft_machine *ret_machine,
                    struct ft_diag *diag)
{
    struct yaml_error error = {0};
    const cyaml_config_t config = {
        .log_fn = note_error,
        .log_ctx = &error,
        .log_level = CYAML_LOG_ERROR,
        .mem_fn = cyaml_mem,
    };
    struct yaml_machine *yaml = NULL;
    cyaml_err_t code = cyaml_load_file(path, &config, &machine_schema, (void **)&yaml, NULL);
    if (code != CYAML_OK)
        return fail_yaml(path, &error, code, diag);
    if (!yaml)
        return ft_fail(diag, FT_ERROR_DATA, "%s: the file is empty", path);
    struct ft_machine machine = {0};
    int status = build(path, name, yaml, &machine, diag);
    cyaml_free(&config, &machine_schema, yaml, 0);
    if (status != FT_OK) {
        ft_machine_fini(&machine);
        return status;
    }
    *ret_machine = machine;
    return FT_OK;
}
