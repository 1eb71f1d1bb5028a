/*
 * A graph of entities, each built by a function: the descriptor of the file, the archive, profile,
 * software and author, files, commands. Reading takes of it what `archive rerun` needs, and
 * believes none of it: names must be safe, and commands are checked before they are run (repeat.h).
 */
#include "predict/commands/archive/crate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "formats/cli/json.h"
#include "predict/commands/archive/sources.h"

#define CRATE      "https://w3id.org/ro/crate/1.1"
#define PROFILE    "https://w3id.org/ro/wfrun/process/0.5"
#define SOFTWARE   "#foretrace"
#define AUTHOR     "#author"
#define COMMAND    "#command-"
#define NO_LICENSE "No license is given: ask whoever made the archive."

/* ---- identifiers ---- */

/* A name as a URI path (RFC 3986): what may stand there and UTF-8 as it is. To be freed. */
static char *id_of(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/!$&'()*+,;=@";
    char *id = malloc(3 * strlen(name) + 1), *at = id;
    for (; id && *name; name++)
        at += (unsigned char)*name >= 0x80 || strchr(plain, *name)
                  ? sprintf(at, "%c", *name)
                  : sprintf(at, "%%%02X", (unsigned char)*name);
    return id;
}

/* The reverse, in place. */
static void decode_id(char *id)
{
    char *to = id;
    for (const char *from = id; *from; to++) {
        const char digits[3] = {from[1], from[1] ? from[2] : 0, 0};
        const bool is_code = from[0] == '%' && isxdigit((unsigned char)digits[0]) &&
                             isxdigit((unsigned char)digits[1]) && strcmp(digits, "00") != 0;
        if (is_code) {
            *to = (char)strtoul(digits, NULL, 16);
            from += 3;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
}

static json_t *reference(const char *id)
{
    return json_pack("{s:o}", "@id", ft_json_text(id));
}

static json_t *file_reference(const char *name)
{
    char *id = id_of(name);
    json_t *value = id ? reference(id) : NULL;
    free(id);
    return value;
}

static json_t *file_references(const struct ft_words *names)
{
    json_t *list = json_array();
    for (size_t i = 0; i < names->count; i++)
        ft_json_append(&list, file_reference(names->items[i]));
    return list;
}

/* ---- entities ---- */

static json_t *descriptor_json(void)
{
    return json_pack("{s:s, s:s, s:{s:s}, s:{s:s}}", "@id", FT_ARCHIVE_METADATA, "@type",
                     "CreativeWork", "conformsTo", "@id", CRATE, "about", "@id", "./");
}

/* An address stands for itself; all else is a sentence. */
static json_t *license_json(const struct ft_crate_terms *terms)
{
    const bool is_address = terms->license && strstr(terms->license, "://");
    return is_address ? reference(terms->license)
                      : ft_json_text(terms->license ? terms->license : NO_LICENSE);
}

static json_t *root_json(const struct ft_archive_contents *contents,
                         const struct ft_archive_sums *sums, const struct ft_crate_terms *terms)
{
    json_t *parts = json_array(), *actions = json_array();
    char id[sizeof COMMAND + 24];
    char *now = ft_archive_time_text(time(NULL));
    for (size_t i = 0; i < sums->count; i++)
        ft_json_append(&parts, file_reference(sums->items[i].name));
    for (size_t i = 0; i < contents->command_count; i++) {
        snprintf(id, sizeof id, COMMAND "%zu", i + 1);
        ft_json_append(&actions, reference(id));
    }
    json_t *root = json_pack(
        "{s:s, s:s, s:o, s:s, s:o, s:o, s:{s:s}, s:o, s:o}", "@id", "./", "@type", "Dataset",
        "name", ft_json_text(contents->title ? contents->title : "files of foretrace"),
        "description",
        "Memory accesses of a program, reuse distances, models and forecasts, as foretrace made "
        "them; README.md says what is what.",
        "datePublished", ft_json_text(now ? now : ""), "license", license_json(terms), "conformsTo",
        "@id", PROFILE, "hasPart", parts, "mentions", actions);
    if (root && terms->author)
        json_object_set_new(root, "author", reference(AUTHOR));
    free(now);
    return root;
}

static json_t *software_json(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "@id", SOFTWARE, "@type", "SoftwareApplication",
                     "name", "foretrace", "description",
                     "forecasts cache and TLB misses of programs from traces of small runs",
                     "softwareVersion", FT_VERSION);
}

static const char *media_type(const char *name)
{
    static const struct {
        const char *suffix, *type;
    } types[] = {
        {".h5", "application/x-hdf5"}, {".json", "application/json"}, {".yaml", "application/yaml"},
        {".html", "text/html"},        {".txt", "text/plain"},        {".md", "text/markdown"},
        {".csv", "text/csv"},          {".svg", "image/svg+xml"},
    };
    const char *dot = strrchr(name, '.');
    if (strncmp(name, FT_ARCHIVE_SOURCES "/", strlen(FT_ARCHIVE_SOURCES "/")) == 0)
        return "text/plain";
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcmp(dot, types[i].suffix) == 0)
            return types[i].type;
    return "application/octet-stream";
}

static json_t *file_json(const struct ft_archive_contents *contents,
                         const struct ft_archive_sum *sum)
{
    const struct ft_archive_member *member = ft_archive_find_member(contents, sum->name);
    char digits[FT_SHA256_TEXT], bytes[24], *id = id_of(sum->name);
    ft_sha256_text(sum->sha256, digits);
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)sum->bytes);
    json_t *file = json_pack("{s:o, s:s, s:o, s:s, s:s, s:s}", "@id", ft_json_text(id), "@type",
                             "File", "name", ft_json_text(sum->name), "contentSize", bytes,
                             "encodingFormat", media_type(sum->name), "sha256", digits);
    if (file && member)
        json_object_set_new(file, "description", ft_json_text(member->what));
    free(id);
    return file;
}

static json_t *command_json(const struct ft_archive_command *command, size_t number,
                            const struct ft_crate_terms *terms)
{
    char id[sizeof COMMAND + 24], name[64], *line = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&line, &bytes);
    if (!stream)
        return NULL;
    ft_archive_command_print(command, stream);
    if (fclose(stream) != 0) {
        free(line);
        return NULL;
    }
    snprintf(id, sizeof id, COMMAND "%zu", number);
    snprintf(name, sizeof name, "foretrace %.40s", command->words.items[0]);
    json_t *action =
        json_pack("{s:s, s:s, s:o, s:o, s:{s:s}, s:o}", "@id", id, "@type", "CreateAction", "name",
                  ft_json_text(name), "description", ft_json_text(line), "instrument", "@id",
                  SOFTWARE, "result", file_references(&command->outputs));
    if (action && command->inputs.count > 0)
        json_object_set_new(action, "object", file_references(&command->inputs));
    if (action && command->ended)
        json_object_set_new(action, "endTime", ft_json_text(command->ended));
    if (action && terms->author)
        json_object_set_new(action, "agent", reference(AUTHOR));
    free(line);
    return action;
}

static json_t *graph_json(const struct ft_archive_contents *contents,
                          const struct ft_archive_sums *sums, const struct ft_crate_terms *terms)
{
    json_t *graph = json_array();
    ft_json_append(&graph, descriptor_json());
    ft_json_append(&graph, root_json(contents, sums, terms));
    ft_json_append(&graph,
                   json_pack("{s:s, s:s, s:s, s:s}", "@id", PROFILE, "@type", "CreativeWork",
                             "name", "Process Run Crate", "version", "0.5"));
    ft_json_append(&graph, software_json());
    if (terms->author)
        ft_json_append(&graph, json_pack("{s:s, s:s, s:o}", "@id", AUTHOR, "@type", "Person",
                                         "name", ft_json_text(terms->author)));
    if (terms->license && strstr(terms->license, "://"))
        ft_json_append(&graph,
                       json_pack("{s:o, s:s, s:o}", "@id", ft_json_text(terms->license), "@type",
                                 "CreativeWork", "name", ft_json_text(terms->license)));
    for (size_t i = 0; i < sums->count; i++)
        ft_json_append(&graph, file_json(contents, &sums->items[i]));
    for (size_t i = 0; i < contents->command_count; i++)
        ft_json_append(&graph, command_json(&contents->commands[i], i + 1, terms));
    return graph;
}

int ft_crate_write(const struct ft_archive_contents *contents, const struct ft_archive_sums *sums,
                   const struct ft_crate_terms *terms, char **ret_text, struct ft_diag *diag)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return ft_fail_memory(diag, FT_ARCHIVE_METADATA);
    json_t *root = json_pack("{s:[s, s], s:o}", "@context", CRATE "/context",
                             "https://w3id.org/ro/terms/workflow-run/context", "@graph",
                             graph_json(contents, sums, terms));
    int status = ft_json_write(root, stream, diag);
    if (fclose(stream) != 0 && status == FT_OK)
        status = ft_fail_memory(diag, FT_ARCHIVE_METADATA);
    if (status == FT_OK)
        *ret_text = text;
    else
        free(text);
    return status;
}

/* ---- reading ---- */

static const char *text_of(const json_t *entity, const char *key)
{
    const char *text = json_string_value(json_object_get(entity, key));
    return text ? text : "";
}

/* One {"@id": ...}, or a list of them. */
static bool read_files(const json_t *value, struct ft_words *names)
{
    const bool is_list = json_is_array(value);
    const size_t count = !value ? 0 : is_list ? json_array_size(value) : 1;
    for (size_t i = 0; i < count; i++) {
        char *id = strdup(text_of(is_list ? json_array_get(value, i) : value, "@id"));
        if (!id)
            return false;
        decode_id(id);
        const bool is_safe = ft_archive_name_is_safe(id);
        if (is_safe)
            ft_words_add(names, "%s", id);
        free(id);
        if (!is_safe)
            return false;
    }
    return true;
}

static int read_action(const json_t *entity, const char *path, struct ft_archive_contents *contents,
                       struct ft_diag *diag)
{
    struct ft_archive_command command;
    if (ft_archive_command_parse(text_of(entity, "description"), &command, NULL) != FT_OK)
        return ft_fail(diag, FT_ERROR_DATA, "%s: a command in " FT_ARCHIVE_METADATA " is invalid",
                       path);
    if (read_files(json_object_get(entity, "object"), &command.inputs) &&
        read_files(json_object_get(entity, "result"), &command.outputs))
        return ft_archive_add_command(contents, &command, diag);
    ft_archive_command_fini(&command);
    return ft_fail(diag, FT_ERROR_DATA, "%s: a file in " FT_ARCHIVE_METADATA " is invalid", path);
}

static int read_graph(const json_t *graph, const char *path, struct ft_archive_contents *contents,
                      char **version, struct ft_diag *diag)
{
    size_t i;
    json_t *entity;
    json_array_foreach(graph, i, entity)
    {
        const char *type = text_of(entity, "@type");
        const char *by = text_of(json_object_get(entity, "instrument"), "@id");
        if (strcmp(type, "CreateAction") == 0 && strcmp(by, SOFTWARE) == 0)
            FT_TRY(read_action(entity, path, contents, diag));
        if (strcmp(text_of(entity, "@id"), SOFTWARE) == 0 && !*version &&
            !(*version = strdup(text_of(entity, "softwareVersion"))))
            return ft_fail_memory(diag, FT_ARCHIVE_METADATA);
    }
    return *version ? FT_OK
                    : ft_fail(diag, FT_ERROR_DATA,
                              "%s: " FT_ARCHIVE_METADATA " is not of foretrace", path);
}

int ft_crate_read(const char *text, const char *path, struct ft_archive_contents *ret_contents,
                  char **ret_version, struct ft_diag *diag)
{
    struct ft_archive_contents contents = {0};
    json_error_t error;
    char *version = NULL;
    json_t *root = json_loads(text, 0, &error);
    int status = root ? read_graph(json_object_get(root, "@graph"), path, &contents, &version, diag)
                      : ft_fail(diag, FT_ERROR_DATA, "%s: line %d of " FT_ARCHIVE_METADATA ": %s",
                                path, error.line, error.text);
    json_decref(root);
    if (status == FT_OK) {
        *ret_contents = contents;
        *ret_version = version;
        return FT_OK;
    }
    ft_archive_contents_fini(&contents);
    free(version);
    return status;
}
