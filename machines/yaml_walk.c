/*
 * The events of libyaml, with the path of each node: a mapping appends ".key" to its own path, a
 * sequence "[entry]". Aliases are not followed: the line of a value that is one is where the alias
 * stands.
 *
 * In order: values; events; the module's functions.
 */
#include "machines/yaml_walk.h"

#include <cyaml/cyaml.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "formats/base/parse.h"

#define DEPTH_MAX  32 /* of machine files: 6 */
#define PATH_BYTES 256

struct collection {
    bool is_mapping, has_key; /* has_key: what follows is its value */
    unsigned entry;
    size_t path_length;
    const struct cyaml_schema_value *schema; /* NULL: unknown */
    const struct cyaml_schema_value *value;  /* of the key's value, once there is a key */
};

struct walk {
    char path[PATH_BYTES];
    struct collection open[DEPTH_MAX];
    size_t depth;
    unsigned documents;
    const struct cyaml_schema_value *schema; /* of the file; NULL: values are not checked */
    /* for ft_yaml_line_of */
    const char *wanted;
    size_t found_length;
    unsigned found_line;
};

static unsigned line_of(const yaml_mark_t *mark)
{
    return (unsigned)mark->line + 1;
}

/* Whether the path leads to what is wanted, and farther than what was found before. */
static void note_line(struct walk *walk, const yaml_event_t *event)
{
    const size_t length = strlen(walk->path);
    if (!walk->wanted || length <= walk->found_length ||
        strncmp(walk->path, walk->wanted, length) != 0 ||
        strchr(".[", walk->wanted[length]) == NULL)
        return;
    walk->found_length = length;
    walk->found_line = line_of(&event->start_mark);
}

/* ---- values ---- */

static const struct cyaml_schema_value *schema_of_key(const struct cyaml_schema_value *mapping,
                                                      const char *key)
{
    if (!mapping || mapping->type != CYAML_MAPPING)
        return NULL;
    for (const struct cyaml_schema_field *field = mapping->mapping.fields; field->key; field++)
        if (strcmp(field->key, key) == 0)
            return &field->value;
    return NULL;
}

/* Of the node that begins. */
static const struct cyaml_schema_value *schema_of_node(const struct walk *walk)
{
    const struct collection *in = walk->depth ? &walk->open[walk->depth - 1] : NULL;
    if (!in)
        return walk->schema;
    if (in->is_mapping)
        return in->has_key ? in->value : NULL;
    return in->schema && in->schema->type == CYAML_SEQUENCE ? in->schema->sequence.entry : NULL;
}

/* libcyaml reads as far as there are digits: "16K" is 16 to it, and "010" is 8. */
static const char *wrong_of_number(const struct walk *walk, const char *text)
{
    const struct cyaml_schema_value *schema = schema_of_node(walk);
    uint64_t count;
    double number;
    if (schema && schema->type == CYAML_UINT &&
        (!ft_parse_u64(text, &count) || (text[0] == '0' && text[1])))
        return "expected a decimal integer, without a unit";
    if (schema && schema->type == CYAML_FLOAT && !ft_parse_double(text, &number))
        return "expected a number, without a unit";
    return NULL;
}

/* ---- events ---- */

/* A node begins: the path becomes its own. */
static void enter(struct walk *walk, const yaml_event_t *event)
{
    struct collection *in = walk->depth ? &walk->open[walk->depth - 1] : NULL;
    if (!in)
        return;
    char *end = walk->path + in->path_length;
    const size_t room = sizeof walk->path - in->path_length;
    if (!in->is_mapping) {
        snprintf(end, room, "[%u]", ++in->entry);
    } else if (!in->has_key) {
        const char *key =
            event->type == YAML_SCALAR_EVENT ? (const char *)event->data.scalar.value : "?";
        snprintf(end, room, "%s%s", in->path_length ? "." : "", key);
        in->value = schema_of_key(in->schema, key);
    }
    note_line(walk, event);
}

/* A node has ended: a key, or a value. */
static void leave(struct walk *walk)
{
    if (walk->depth && walk->open[walk->depth - 1].is_mapping)
        walk->open[walk->depth - 1].has_key = !walk->open[walk->depth - 1].has_key;
}

static const char *wrong_of(const struct walk *walk, const yaml_event_t *event)
{
    const bool opens =
        event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
    const bool is_scalar = event->type == YAML_SCALAR_EVENT;
    if (event->type == YAML_DOCUMENT_START_EVENT && walk->documents > 0)
        return "a second document: a file has one";
    if (is_scalar && memchr(event->data.scalar.value, 0, event->data.scalar.length))
        return "contains a NUL character";
    if ((is_scalar && event->data.scalar.tag) ||
        (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.tag) ||
        (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.tag))
        return "YAML tags are not accepted";
    if (is_scalar && wrong_of_number(walk, (const char *)event->data.scalar.value))
        return wrong_of_number(walk, (const char *)event->data.scalar.value);
    return opens && walk->depth == DEPTH_MAX ? "nested too deep" : NULL;
}

static void follow(struct walk *walk, const yaml_event_t *event)
{
    const struct cyaml_schema_value *schema = schema_of_node(walk);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        walk->documents++;
        break;
    case YAML_SCALAR_EVENT:
    case YAML_ALIAS_EVENT:
        enter(walk, event);
        leave(walk);
        break;
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        enter(walk, event);
        if (walk->depth == DEPTH_MAX) /* refused by wrong_of */
            break;
        walk->open[walk->depth++] = (struct collection){
            .is_mapping = event->type == YAML_MAPPING_START_EVENT,
            .path_length = strlen(walk->path),
            .schema = schema,
        };
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        walk->depth--;
        walk->path[walk->open[walk->depth].path_length] = 0;
        leave(walk);
        break;
    default:
        break;
    }
}

static int fail_parser(const yaml_parser_t *parser, struct ft_diag *diag)
{
    return ft_fail(diag, FT_ERROR_DATA, "line %u: %s", line_of(&parser->problem_mark),
                   parser->problem ? parser->problem : "is no YAML");
}

static int walk_through(struct walk *walk, const char *text, size_t bytes, struct ft_diag *diag)
{
    yaml_parser_t parser;
    int status = FT_OK;
    if (!yaml_parser_initialize(&parser))
        return ft_fail_memory(diag, "a YAML parser");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, bytes);
    for (bool ended = false; status == FT_OK && !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = fail_parser(&parser, diag);
            break;
        }
        const char *wrong = wrong_of(walk, &event);
        follow(walk, &event);
        if (wrong)
            status = ft_fail(diag, FT_ERROR_DATA, "line %u: %s%s%s", line_of(&event.start_mark),
                             walk->path, walk->path[0] ? ": " : "", wrong);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return status;
}

/* ---- the module's functions ---- */

int ft_yaml_check(const char *text, size_t bytes, const struct cyaml_schema_value *schema,
                  struct ft_diag *diag)
{
    struct walk walk = {.schema = schema};
    return walk_through(&walk, text, bytes, diag);
}

unsigned ft_yaml_line_of(const char *text, size_t bytes, const char *path)
{
    struct walk walk = {.wanted = path};
    walk_through(&walk, text, bytes, NULL);
    return walk.found_line;
}
