/*
 * A value that is set loses its source and gets the new one, which it shares with other values of
 * the section that have the same.
 */
#include <stdlib.h>
#include <string.h>

#include "machines/yaml_machine.h"

double ft_yaml_number(const struct ft_yaml_numbers *numbers, enum ft_machine_number key)
{
    double value = 0;
    const char *text = numbers->texts[key];
    return text && ft_number_read(key, text, &value, NULL) == FT_OK ? value : 0;
}

const struct ft_yaml_source *ft_yaml_source_of(const struct ft_yaml_sources *sources,
                                               enum ft_machine_number key)
{
    for (unsigned i = 0; i < sources->list_count; i++)
        for (unsigned j = 0; j < sources->list[i].figures_count; j++)
            if (strcmp(sources->list[i].figures[j], ft_number_keys[key].name) == 0)
                return &sources->list[i];
    return NULL;
}

void ft_yaml_numbers_fini(struct ft_yaml_numbers *numbers)
{
    for (size_t k = 0; k < FT_MACHINE_NUMBER_COUNT; k++)
        free(numbers->texts[k]);
    *numbers = (struct ft_yaml_numbers){0};
}

void ft_yaml_sources_fini(struct ft_yaml_sources *sources)
{
    for (unsigned i = 0; i < sources->list_count; i++) {
        for (unsigned j = 0; j < sources->list[i].figures_count; j++)
            free(sources->list[i].figures[j]);
        free((void *)sources->list[i].figures);
        free(sources->list[i].text);
    }
    free(sources->list);
    *sources = (struct ft_yaml_sources){0};
}

static void remove_figure(struct ft_yaml_source *source, const char *name)
{
    unsigned kept = 0;
    for (unsigned j = 0; j < source->figures_count; j++) {
        if (strcmp(source->figures[j], name) == 0)
            free(source->figures[j]);
        else
            source->figures[kept++] = source->figures[j];
    }
    source->figures_count = kept;
}

/* Sources that name nothing any more go. */
static void remove_key(struct ft_yaml_sources *sources, const char *name)
{
    for (unsigned i = 0; i < sources->list_count;) {
        struct ft_yaml_source *source = &sources->list[i];
        remove_figure(source, name);
        if (source->figures_count > 0) {
            i++;
            continue;
        }
        free((void *)source->figures);
        free(source->text);
        memmove(source, source + 1, (--sources->list_count - i) * sizeof *source);
    }
}

static struct ft_yaml_source *find_source(struct ft_yaml_sources *sources, enum ft_source_kind kind,
                                          const char *text)
{
    for (unsigned i = 0; i < sources->list_count; i++)
        if (sources->list[i].kind == (int)kind && strcmp(sources->list[i].text, text) == 0)
            return &sources->list[i];
    return NULL;
}

/* NULL: out of memory. */
static struct ft_yaml_source *add_source(struct ft_yaml_sources *sources, enum ft_source_kind kind,
                                         const char *text)
{
    struct ft_yaml_source *list =
        realloc(sources->list, (sources->list_count + 1) * sizeof *sources->list);
    char *copy = strdup(text);
    if (list)
        sources->list = list;
    if (!list || !copy) {
        free(copy);
        return NULL;
    }
    list[sources->list_count] = (struct ft_yaml_source){.kind = (int)kind, .text = copy};
    return &list[sources->list_count++];
}

static int add_figure(struct ft_yaml_sources *sources, const char *name, enum ft_source_kind kind,
                      const char *text, struct ft_diag *diag)
{
    struct ft_yaml_source *source = find_source(sources, kind, text);
    if (!source)
        source = add_source(sources, kind, text);
    char **figures = source ? realloc((void *)source->figures,
                                      (source->figures_count + 1) * sizeof *source->figures)
                            : NULL;
    char *copy = strdup(name);
    if (figures)
        source->figures = figures;
    if (!figures || !copy) {
        free(copy);
        return ft_fail_memory(diag, "a source");
    }
    figures[source->figures_count++] = copy;
    return FT_OK;
}

int ft_yaml_set(struct ft_yaml_numbers *numbers, struct ft_yaml_sources *sources,
                enum ft_machine_number key, const char *text, enum ft_source_kind kind,
                const char *source, struct ft_diag *diag)
{
    const char *name = ft_number_keys[key].name;
    char *copy = strdup(text);
    if (!copy)
        return ft_fail_memory(diag, "a value");
    free(numbers->texts[key]);
    numbers->texts[key] = copy;
    remove_key(sources, name);
    return kind == FT_SOURCE_NONE || !ft_number_keys[key].sourced
               ? FT_OK
               : add_figure(sources, name, kind, source, diag);
}
