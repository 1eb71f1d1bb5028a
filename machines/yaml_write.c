#include "machines/yaml_write.h"

#include <ctype.h>
#include <string.h>

#include "machines/yaml_sections.h"

/* ---- texts ---- */

/* Whether YAML reads it as this text without quotes, in a mapping or a list in one line. */
static bool is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr(" ._/+()%", *c))
            return false;
    return isalnum((unsigned char)text[0]) && text[strlen(text) - 1] != ' ';
}

static void write_quoted(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (const char *c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < ' ' || byte == 127)
            fprintf(stream, "\\x%02x", byte);
        else
            fprintf(stream, "%s%c", byte == '"' || byte == '\\' ? "\\" : "", byte);
    }
    fputc('"', stream);
}

static void write_text(FILE *stream, const char *text)
{
    if (is_plain(text))
        fputs(text, stream);
    else
        write_quoted(stream, text);
}

static void write_key(FILE *stream, const char *indent, const char *key, const char *text)
{
    fprintf(stream, "%s%s: ", indent, key);
    write_text(stream, text);
    fputc('\n', stream);
}

/* ---- sections ---- */

static void write_numbers(FILE *stream, const char *indent, const struct ft_yaml_numbers *numbers)
{
    for (size_t k = 0; k < FT_MACHINE_NUMBER_COUNT; k++)
        if (numbers->texts[k])
            write_key(stream, indent, ft_number_keys[k].name, numbers->texts[k]);
}

static void write_sources(FILE *stream, const char *indent, const struct ft_yaml_sources *sources)
{
    if (sources->list_count == 0)
        return;
    fprintf(stream, "%ssources:\n", indent);
    for (unsigned i = 0; i < sources->list_count; i++) {
        const struct ft_yaml_source *source = &sources->list[i];
        fprintf(stream, "%s  - {figures: [", indent);
        for (unsigned j = 0; j < source->figures_count; j++)
            fprintf(stream, "%s%s", j ? ", " : "", source->figures[j]);
        fprintf(stream, "], kind: %s, text: ", ft_source_kind_names[source->kind]);
        write_quoted(stream, source->text);
        fputs("}\n", stream);
    }
}

/* Words that are the default are left out, those that a list of levels has not among them. */
static void write_choices(FILE *stream, const struct ft_yaml_level *level)
{
    for (size_t i = 0; i < FT_YAML_CHOICE_COUNT; i++) {
        const struct ft_yaml_choice *choice = &ft_yaml_choices[i];
        const int value = *(const int *)((const char *)level + choice->offset);
        if (value)
            fprintf(stream, "    %s: %s\n", choice->key, choice->names[value]);
    }
}

static void write_levels(FILE *stream, const char *list, const struct ft_yaml_level *levels,
                         unsigned count)
{
    fprintf(stream, count ? "\n%s:\n" : "\n%s: []\n", list);
    for (unsigned i = 0; i < count; i++) {
        const struct ft_yaml_level *level = &levels[i];
        write_key(stream, "  - ", "name", level->name);
        write_numbers(stream, "    ", &level->numbers);
        write_choices(stream, level);
        write_sources(stream, "    ", &level->sources);
    }
}

static void write_units(FILE *stream, const struct ft_yaml_machine *yaml)
{
    fputs(yaml->units_count ? "\nunits:\n" : "\nunits: []\n", stream);
    for (unsigned i = 0; i < yaml->units_count; i++) {
        const struct ft_yaml_units *units = &yaml->units[i];
        write_key(stream, "  - ", "name", units->name);
        write_numbers(stream, "    ", &units->numbers);
        fputs("    classes: [", stream);
        for (unsigned j = 0; j < units->classes_count; j++)
            fprintf(stream, "%s%s", j ? ", " : "", ft_mix_class_names[units->classes[j]]);
        fputs("]\n", stream);
        write_sources(stream, "    ", &units->sources);
    }
}

static void write_operations(FILE *stream, const struct ft_yaml_machine *yaml)
{
    fputs("\noperations:\n", stream);
    for (unsigned i = 0; i < yaml->operations_count; i++) {
        const struct ft_yaml_operation *operation = &yaml->operations[i];
        fprintf(stream, "  - class: %s\n", ft_mix_class_names[operation->class]);
        write_numbers(stream, "    ", &operation->numbers);
        write_sources(stream, "    ", &operation->sources);
    }
}

static void write_head(FILE *stream, const char *head)
{
    while (head && *head) {
        const int length = (int)strcspn(head, "\n");
        fprintf(stream, length ? "# %.*s\n" : "#\n", length, head);
        head += length + (head[length] == '\n');
    }
}

void ft_yaml_write(FILE *stream, const char *head, const struct ft_yaml_machine *yaml)
{
    write_head(stream, head);
    write_key(stream, "", "description", yaml->description);
    if (yaml->cpuid_count > 0) {
        fputs("cpuid: [", stream);
        for (unsigned i = 0; i < yaml->cpuid_count; i++) {
            fputs(i ? ", " : "", stream);
            write_text(stream, yaml->cpuid[i]);
        }
        fputs("]\n", stream);
    }
    if (yaml->core_file)
        write_key(stream, "", "core_file", yaml->core_file);
    fputs("\ncore:\n", stream);
    write_numbers(stream, "  ", &yaml->core.numbers);
    write_sources(stream, "  ", &yaml->core.sources);
    write_levels(stream, "caches", yaml->caches, yaml->caches_count);
    fputs("\nmemory:\n", stream);
    write_numbers(stream, "  ", &yaml->memory.numbers);
    write_sources(stream, "  ", &yaml->memory.sources);
    write_levels(stream, "tlbs", yaml->tlbs, yaml->tlbs_count);
    if (yaml->instruction_caches_count > 0)
        write_levels(stream, "instruction_caches", yaml->instruction_caches,
                     yaml->instruction_caches_count);
    if (yaml->instruction_tlbs_count > 0)
        write_levels(stream, "instruction_tlbs", yaml->instruction_tlbs,
                     yaml->instruction_tlbs_count);
    write_units(stream, yaml);
    if (yaml->operations_count > 0)
        write_operations(stream, yaml);
}
