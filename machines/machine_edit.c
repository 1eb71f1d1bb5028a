/*
 * An edit is split at its '=', its key at the last '.': in front of it a section by its name or
 * path, behind it a key by its name or a beginning of it that no other key has ("L2.latency"). A
 * section alone means its capacity, entries, latency or count. Names are compared without case,
 * blanks, '-' and '_'.
 */
#include "machines/machine_edit.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/known_names.h"
#include "machines/yaml_sections.h"

#define EDIT_BYTES 256

/* What edits do to one machine. */
struct editing {
    struct ft_yaml_machine *yaml;
    struct ft_yaml_section_list sections;
    bool clock_edited, memory_edited;
    double clock_before;
    const char *place; /* "FILE: line 3: " in front of what is wrong; "" */
    int wrong_status;
};

struct edit {
    const char *text; /* for messages */
    char section[EDIT_BYTES], key[EDIT_BYTES], value[EDIT_BYTES];
};

/* ---- names ---- */

static const char *next_letter(const char *text)
{
    while (*text && strchr(" -_", *text))
        text++;
    return text;
}

/* What follows a beginning of a name; NULL: it begins otherwise. */
static const char *rest_of(const char *name, const char *beginning)
{
    for (beginning = next_letter(beginning); *beginning; beginning = next_letter(beginning + 1)) {
        name = next_letter(name);
        if (tolower((unsigned char)*name) != tolower((unsigned char)*beginning))
            return NULL;
        name++;
    }
    return name;
}

static bool same_name(const char *name, const char *other)
{
    const char *rest = rest_of(name, other);
    return rest && !*next_letter(rest);
}

static int fail_name(const struct editing *editing, const struct edit *edit, const char *what,
                     const struct ft_known_names *names, struct ft_diag *diag)
{
    char place[2 * EDIT_BYTES + 64];
    snprintf(place, sizeof place, "%s%s: ", editing->place, edit->text);
    return ft_known_names_fail(names, editing->wrong_status, place, what, diag);
}

/* ---- sections and keys ---- */

/* Short names of what has no name of its own. */
static const struct {
    const char *name, *section, *key;
} short_names[] = {
    {"clock", "core", "clock_ghz"},
    {"width", "core", "issue_width"},
    {"memory", "memory", "latency_cycles"},
};

static const char *default_key(enum ft_section_kind kind)
{
    switch (kind) {
    case FT_SECTION_TLB:
    case FT_SECTION_INSTRUCTION_TLB:
        return "entries";
    case FT_SECTION_UNITS:
        return "count";
    case FT_SECTION_MEMORY:
        return "latency_cycles";
    case FT_SECTION_CORE:
        return "clock_ghz";
    default:
        return "capacity";
    }
}

static int find_section(struct editing *editing, const struct edit *edit,
                        const struct ft_yaml_section **ret_section, struct ft_diag *diag)
{
    struct ft_known_names names = {.closest = {.wanted = edit->section}};
    for (size_t i = 0; i < editing->sections.count; i++) {
        const struct ft_yaml_section *section = &editing->sections.items[i];
        if (same_name(section->name, edit->section) || strcmp(section->path, edit->section) == 0) {
            *ret_section = section;
            return FT_OK;
        }
        ft_known_names_add(&names, section->name);
    }
    return fail_name(editing, edit, "part", &names, diag);
}

/* "L2.ways" -> section and key; "clock", "L2" -> what they stand for. */
static int find_place(struct editing *editing, struct edit *edit,
                      const struct ft_yaml_section **ret_section, struct ft_diag *diag)
{
    char *dot = strrchr(edit->section, '.');
    for (size_t i = 0; !dot && i < sizeof short_names / sizeof *short_names; i++)
        if (same_name(edit->section, short_names[i].name)) {
            snprintf(edit->section, sizeof edit->section, "%s", short_names[i].section);
            snprintf(edit->key, sizeof edit->key, "%s", short_names[i].key);
            break;
        }
    if (dot) {
        snprintf(edit->key, sizeof edit->key, "%s", dot + 1);
        *dot = 0;
    }
    FT_TRY(find_section(editing, edit, ret_section, diag));
    if (!edit->key[0])
        snprintf(edit->key, sizeof edit->key, "%s", default_key((*ret_section)->kind));
    return FT_OK;
}

/* The number of a section whose name the key is, or the only one whose first words it is
 * ("latency" of "latency_cycles"); FT_MACHINE_NUMBER_COUNT: none. ret_names: those that it may be.
 */
static enum ft_machine_number find_number(const struct ft_yaml_section *section, const char *key,
                                          struct ft_known_names *ret_names)
{
    enum ft_machine_number found = FT_MACHINE_NUMBER_COUNT;
    size_t count = 0;
    for (enum ft_machine_number k = 0; k < FT_MACHINE_NUMBER_COUNT; k++) {
        const char *rest = rest_of(ft_number_keys[k].name, key);
        if (!(ft_number_keys[k].sections >> section->kind & 1) || !rest)
            continue;
        if (!*next_letter(rest))
            return k;
        if (*rest != '_')
            continue;
        ft_known_names_add(ret_names, ft_number_keys[k].name);
        found = k;
        count++;
    }
    return count == 1 ? found : FT_MACHINE_NUMBER_COUNT;
}

/* ---- values ---- */

static int set_choice(const struct editing *editing, const struct edit *edit,
                      const struct ft_yaml_choice *choice, int *value, struct ft_diag *diag)
{
    struct ft_known_names names = {.closest = {.wanted = edit->value}};
    for (size_t i = 0; i < choice->count; i++) {
        if (strcmp(edit->value, choice->names[i]) == 0) {
            *value = (int)i;
            return FT_OK;
        }
        ft_known_names_add(&names, choice->names[i]);
    }
    return fail_name(editing, edit, choice->key, &names, diag);
}

static int set_number(struct editing *editing, const struct edit *edit,
                      const struct ft_yaml_section *section, enum ft_machine_number key,
                      struct ft_diag *diag)
{
    struct ft_diag why;
    double value;
    char source[EDIT_BYTES + 16];
    if (ft_number_read(key, edit->value, &value, &why) != FT_OK)
        return ft_fail(diag, editing->wrong_status, "%s%s: %s.%s: %s", editing->place, edit->text,
                       section->name, ft_number_keys[key].name, why.message);
    editing->clock_edited |= key == FT_NUMBER_clock_ghz;
    editing->memory_edited |=
        section->kind == FT_SECTION_MEMORY &&
        (key == FT_NUMBER_latency_cycles || key == FT_NUMBER_dirty_latency_cycles);
    snprintf(source, sizeof source, "edited: %s", edit->text);
    return ft_yaml_set(section->numbers, section->sources, key, edit->value, FT_SOURCE_ESTIMATE,
                       source, diag);
}

static int set_value(struct editing *editing, const struct edit *edit,
                     const struct ft_yaml_section *section, struct ft_diag *diag)
{
    struct ft_known_names names = {.closest = {.wanted = edit->key}}, several = names;
    for (size_t i = 0; i < FT_YAML_CHOICE_COUNT; i++) {
        int *value = ft_yaml_choice_of(section, &ft_yaml_choices[i]);
        if (value && same_name(edit->key, ft_yaml_choices[i].key))
            return set_choice(editing, edit, &ft_yaml_choices[i], value, diag);
    }
    const enum ft_machine_number number = find_number(section, edit->key, &several);
    if (number != FT_MACHINE_NUMBER_COUNT)
        return set_number(editing, edit, section, number, diag);
    if (several.used > 0)
        return ft_fail(diag, editing->wrong_status, "%s%s: '%s' of %s may be any of %s",
                       editing->place, edit->text, edit->key, section->name, several.text);
    for (size_t k = 0; k < FT_MACHINE_NUMBER_COUNT; k++)
        if (ft_number_keys[k].sections >> section->kind & 1)
            ft_known_names_add(&names, ft_number_keys[k].name);
    for (size_t i = 0; i < FT_YAML_CHOICE_COUNT; i++)
        if (ft_yaml_choice_of(section, &ft_yaml_choices[i]))
            ft_known_names_add(&names, ft_yaml_choices[i].key);
    char what[EDIT_BYTES + 16];
    snprintf(what, sizeof what, "key of %s", section->name);
    return fail_name(editing, edit, what, &names, diag);
}

/* ---- edits ---- */

static int apply_one(struct editing *editing, const char *text, struct ft_diag *diag)
{
    struct edit edit = {.text = text};
    const struct ft_yaml_section *section = &editing->sections.items[0];
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1] || strlen(text) >= EDIT_BYTES)
        return ft_fail(diag, editing->wrong_status,
                       "%s'%.200s' is no edit: expected NAME=VALUE, as in L2=2M, clock=3.5 or "
                       "L2.ways=16",
                       editing->place, text);
    snprintf(edit.section, sizeof edit.section, "%.*s", (int)(equals - text), text);
    snprintf(edit.value, sizeof edit.value, "%s", equals + 1 + strspn(equals + 1, " \t"));
    FT_TRY(find_place(editing, &edit, &section, diag));
    return set_value(editing, &edit, section, diag);
}

static int apply_file(struct editing *editing, const char *name, struct ft_diag *diag);

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = 0;
    return text;
}

/* Edits between commas. */
static int apply_list(struct editing *editing, const char *edits, bool from_file,
                      struct ft_diag *diag)
{
    char *copy = strdup(edits), *rest = NULL;
    int status = copy ? FT_OK : ft_fail_memory(diag, "edits");
    for (char *item = copy ? strtok_r(copy, ",", &rest) : NULL; item && status == FT_OK;
         item = strtok_r(NULL, ",", &rest)) {
        item = trim(item);
        status = item[0] == '@' && item[1] && !from_file ? apply_file(editing, item + 1, diag)
                                                         : apply_one(editing, item, diag);
    }
    free(copy);
    return status;
}

/* ---- files of edits ---- */

/* A file of edits while it is read. */
struct edit_file {
    const char *path, *wanted; /* wanted: the set, or NULL */
    bool in_set, found;        /* lines count here; the set was found */
    unsigned line;
};

static int apply_line(struct editing *editing, struct edit_file *file, char *line,
                      struct ft_diag *diag)
{
    char place[EDIT_BYTES + 32];
    line[strcspn(line, "#")] = 0;
    line = trim(line);
    const size_t length = strlen(line);
    if (length == 0)
        return FT_OK;
    if (line[0] == '[' && line[length - 1] == ']') {
        line[length - 1] = 0;
        file->in_set = file->wanted && strcmp(trim(line + 1), file->wanted) == 0;
        file->found |= file->in_set;
        return FT_OK;
    }
    if (!file->in_set)
        return FT_OK;
    snprintf(place, sizeof place, "%.200s: line %u: ", file->path, file->line);
    editing->place = place;
    editing->wrong_status = FT_ERROR_DATA;
    int status = apply_list(editing, line, true, diag);
    editing->place = "";
    editing->wrong_status = FT_ERROR_USAGE;
    return status;
}

/* FILE, or FILE:SET: the lines before the first set, then those of the set. */
static int apply_file(struct editing *editing, const char *name, struct ft_diag *diag)
{
    char path[EDIT_BYTES], *set;
    struct ft_yaml_file text;
    snprintf(path, sizeof path, "%s", name);
    set = strrchr(path, ':');
    if (set)
        *set++ = 0;
    FT_TRY(ft_yaml_file_read(path, &text, diag));
    struct edit_file file = {.path = path, .wanted = set, .in_set = true};
    int status = FT_OK;
    text.text[text.bytes] = 0;
    for (char *line = text.text, *next; status == FT_OK && line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        file.line++;
        status = apply_line(editing, &file, line, diag);
    }
    free(text.text);
    if (status == FT_OK && set && !file.found)
        status = ft_fail(diag, FT_ERROR_USAGE, "%s: no set [%s] in this file of edits", path, set);
    return status;
}

/* ---- the whole ---- */

/* Memory takes as many nanoseconds as before. */
static int scale_memory(struct editing *editing, struct ft_diag *diag)
{
    static const enum ft_machine_number keys[] = {FT_NUMBER_latency_cycles,
                                                  FT_NUMBER_dirty_latency_cycles};
    struct ft_yaml_memory *memory = &editing->yaml->memory;
    const double after = ft_yaml_number(&editing->yaml->core.numbers, FT_NUMBER_clock_ghz);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const double cycles = ft_yaml_number(&memory->numbers, keys[i]);
        char scaled[32], source[64];
        if (cycles == 0)
            continue;
        snprintf(scaled, sizeof scaled, "%.6g", cycles * after / editing->clock_before);
        snprintf(source, sizeof source, "as many nanoseconds as at %g GHz", editing->clock_before);
        FT_TRY(ft_yaml_set(&memory->numbers, &memory->sources, keys[i], scaled, FT_SOURCE_ESTIMATE,
                           source, diag));
    }
    return FT_OK;
}

int ft_machine_edit(struct ft_yaml_machine *yaml, const char *edits, struct ft_diag *diag)
{
    struct editing editing = {.yaml = yaml,
                              .clock_before =
                                  ft_yaml_number(&yaml->core.numbers, FT_NUMBER_clock_ghz),
                              .place = "",
                              .wrong_status = FT_ERROR_USAGE};
    ft_yaml_sections(yaml, &editing.sections);
    FT_TRY(apply_list(&editing, edits, false, diag));
    return editing.clock_edited && !editing.memory_edited && editing.clock_before > 0
               ? scale_memory(&editing, diag)
               : FT_OK;
}

/* Whether a text between commas looks like an edit. */
static bool is_edit(const char *item)
{
    const size_t length = strcspn(item, ",");
    return item[0] == '@' || memchr(item, '=', length);
}

const char *ft_machine_edits_of(const char *machine)
{
    for (const char *comma = strchr(machine, ','); comma; comma = strchr(comma + 1, ',')) {
        const char *item = comma + 1;
        while (is_edit(item) && item[strcspn(item, ",")])
            item += strcspn(item, ",") + 1;
        if (is_edit(item))
            return comma + 1;
    }
    return NULL;
}
