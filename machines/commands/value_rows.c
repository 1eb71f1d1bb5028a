#include "machines/commands/value_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "formats/base/array.h"

static bool add(struct ft_value_rows *rows, const struct ft_yaml_section *section,
                struct ft_value_row row)
{
    if (!FT_RESERVE(rows->items, rows->capacity, rows->count + 1))
        return false;
    snprintf(row.path, sizeof row.path, "%s.%s", section->path, row.key);
    row.part = section->name;
    rows->items[rows->count++] = row;
    return true;
}

static bool add_section(struct ft_value_rows *rows, const struct ft_yaml_section *section)
{
    bool added = true;
    for (size_t k = 0; added && k < FT_MACHINE_NUMBER_COUNT; k++) {
        const char *text = section->numbers->texts[k];
        const struct ft_yaml_source *source =
            ft_yaml_source_of(section->sources, (enum ft_machine_number)k);
        struct ft_value_row row = {.key = ft_number_keys[k].name,
                                   .text = text,
                                   .number = &ft_number_keys[k],
                                   .kind =
                                       source ? (enum ft_source_kind)source->kind : FT_SOURCE_NONE,
                                   .source = source ? source->text : ""};
        if (text && ft_number_read((enum ft_machine_number)k, text, &row.value, NULL) == FT_OK)
            added = add(rows, section, row);
    }
    for (size_t i = 0; added && i < FT_YAML_CHOICE_COUNT; i++) {
        const int *choice = ft_yaml_choice_of(section, &ft_yaml_choices[i]);
        if (choice && *choice)
            added = add(rows, section,
                        (struct ft_value_row){.key = ft_yaml_choices[i].key,
                                              .text = ft_yaml_choices[i].names[*choice],
                                              .kind = FT_SOURCE_NONE,
                                              .source = ""});
    }
    return added;
}

/* A core file that is named is another processor's: a guess. */
static bool add_core_file(struct ft_value_rows *rows, const struct ft_yaml_machine *yaml)
{
    static const struct ft_yaml_section machine = {.path = "core", .name = "core"};
    return !yaml->core_file || add(rows, &machine,
                                   (struct ft_value_row){.key = "file",
                                                         .text = yaml->core_file,
                                                         .kind = FT_SOURCE_NEAREST,
                                                         .source = yaml->core_file});
}

int ft_value_rows_list(struct ft_yaml_machine *yaml, struct ft_value_rows *ret_rows,
                       struct ft_diag *diag)
{
    struct ft_yaml_section_list *sections = malloc(sizeof *sections);
    struct ft_value_rows rows = {0};
    bool added = sections != NULL;
    if (sections)
        ft_yaml_sections(yaml, sections);
    if (added)
        added = add_core_file(&rows, yaml);
    for (size_t i = 0; added && i < sections->count; i++)
        added = add_section(&rows, &sections->items[i]);
    free(sections);
    if (!added) {
        ft_value_rows_fini(&rows);
        return ft_fail_memory(diag, "the values of a machine");
    }
    *ret_rows = rows;
    return FT_OK;
}

void ft_value_rows_fini(struct ft_value_rows *rows)
{
    free(rows->items);
    *rows = (struct ft_value_rows){0};
}

bool ft_value_is_guess(const struct ft_value_row *row)
{
    return row->number ? row->number->sourced && row->kind >= FT_SOURCE_ESTIMATE
                       : row->kind == FT_SOURCE_NEAREST;
}

size_t ft_value_count_guesses(const struct ft_value_rows *rows, size_t *ret_sourced)
{
    size_t guesses = 0;
    *ret_sourced = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct ft_value_row *row = &rows->items[i];
        *ret_sourced += row->number ? row->number->sourced : ft_value_is_guess(row);
        guesses += ft_value_is_guess(row);
    }
    return guesses;
}
