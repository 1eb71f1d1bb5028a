/*
 * Functions are only known once their modules are mapped, so most mistakes in their names can be
 * told only at the end, with those that are like them.
 */
#include "trace-capture/window_options.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/modules/function_names.h"

static int misuse(const struct ft_window_options *options, struct ft_diag *diag)
{
    size_t until_count = options->name_count - options->from_count;
    if (options->markers && options->name_count)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--markers does not go together with --from and --until");
    if (options->every && (options->markers || options->name_count))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--every does not go together with --from, --until and --markers");
    if (options->every && (!options->length || options->every <= options->length))
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--every %s: --for must say how many of them each window records",
                       options->every_text);
    for (size_t i = 0; i < options->from_count; i++)
        for (size_t j = 0; j < until_count; j++)
            if (strcmp(options->names[i], options->names[options->from_count + j]) == 0)
                return ft_fail(diag, FT_ERROR_USAGE,
                               "--from %s --until %s: the same function cannot do both; --from "
                               "alone records each call of it",
                               options->names[i], options->names[i]);
    return FT_OK;
}

/* "5000", "20K", "3M", "1G": counts, so in powers of 1000. */
static int parse_instructions(const struct ft_arguments *arguments, const char *option,
                              uint64_t *ret_number, struct ft_diag *diag)
{
    const char *text = ft_option_last(arguments, option);
    if (!text)
        return FT_OK;
    char *end;
    uint64_t number = strtoull(text, &end, 10), unit = 1;
    const char *letter = *end ? strchr("KMGT", *end) : NULL;
    for (const char *at = "KMGT"; letter && at <= letter; at++)
        unit *= 1000;
    if (text[0] < '0' || text[0] > '9' || end[letter != NULL] || number == 0 ||
        number > (UINT64_C(1) << 60) / unit)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--%s %s: a number of instructions such as 5000, 20K or 3M is needed",
                       option, text);
    *ret_number = number * unit;
    return FT_OK;
}

int ft_window_options_parse(const struct ft_arguments *arguments,
                            struct ft_window_options *ret_options, struct ft_diag *diag)
{
    static const char *const numbers[] = {"skip", "for", "every"};
    struct ft_window_options options = {.markers = ft_option_count(arguments, "markers") > 0,
                                        .from_count = ft_option_count(arguments, "from")};
    options.name_count = options.from_count + ft_option_count(arguments, "until");
    options.names = calloc(options.name_count + 1, sizeof *options.names);
    options.met = calloc(options.name_count + 1, sizeof *options.met);
    if (!options.names || !options.met) {
        ft_window_options_fini(&options);
        return ft_fail_memory(diag, "the options");
    }
    for (size_t i = 0; i < options.name_count; i++)
        options.names[i] = i < options.from_count
                               ? ft_option_at(arguments, "from", i)
                               : ft_option_at(arguments, "until", i - options.from_count);
    uint64_t *const values[] = {&options.skip, &options.length, &options.every};
    int status = FT_OK;
    for (size_t i = 0; i < 3 && status == FT_OK; i++)
        status = parse_instructions(arguments, numbers[i], values[i], diag);
    options.every_text = ft_option_last(arguments, "every");
    options.asked_for =
        options.markers || options.name_count || options.skip || options.length || options.every;
    if (status == FT_OK)
        status = misuse(&options, diag);
    if (status < 0)
        ft_window_options_fini(&options);
    else
        *ret_options = options;
    return status;
}

void ft_window_options_fini(struct ft_window_options *options)
{
    for (size_t i = 0; i < options->path_count; i++)
        free(options->paths[i]);
    free(options->paths);
    free(options->names);
    free(options->met);
    *options = (struct ft_window_options){0};
}

static const char *option_of(const struct ft_window_options *options, size_t name)
{
    return name < options->from_count ? "--from" : "--until";
}

static int fail_unknown(const struct ft_window_options *options, size_t name, const char *where,
                        struct ft_near_names *near, struct ft_diag *diag)
{
    char like[512] = "";
    size_t length = 0;
    for (size_t i = 0; i < FT_NEAR_NAMES_MAX && near->names[i] && length < sizeof like; i++)
        length += (size_t)snprintf(like + length, sizeof like - length, "%s%s",
                                   i ? ", " : "; like it are: ", near->names[i]);
    ft_near_names_fini(near);
    return ft_fail(diag, FT_ERROR_USAGE, "%s %s: no function of this name in %s%s",
                   option_of(options, name), options->names[name], where, like);
}

/* Whether the file says that others are loaded with it. */
static bool needs_others(const char *path)
{
    Elf64_Ehdr header;
    bool needs = true;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
        memcmp(header.e_ident, ELFMAG, SELFMAG) == 0) {
        needs = false;
        for (unsigned i = 0; i < header.e_phnum && !needs; i++) {
            Elf64_Phdr segment;
            off_t at = (off_t)(header.e_phoff + (uint64_t)i * sizeof segment);
            needs = pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment ||
                    segment.p_type == PT_INTERP || segment.p_type == PT_DYNAMIC;
        }
    }
    if (fd >= 0)
        close(fd);
    return needs;
}

static void note_met(void *context, size_t name, uint64_t offset)
{
    (void)offset;
    ((bool *)context)[name] = true;
}

/* Whether the object has the function of the C library by which it would execute a program. */
static bool may_execute(const char *path)
{
    static const char *const names[] = {"execve", "execveat"};
    bool met[2] = {0};
    ft_functions_find(path, names, 2, note_met, met);
    return met[0] || met[1];
}

int ft_window_options_check(const struct ft_window_options *options, const char *path,
                            const char *name, struct ft_diag *diag)
{
    if (options->name_count == 0 || needs_others(path) || may_execute(path))
        return FT_OK;
    bool *met = calloc(options->name_count, sizeof *met);
    if (!met)
        return ft_fail_memory(diag, "the options");
    ft_functions_find(path, options->names, options->name_count, note_met, met);
    size_t missing = 0;
    while (missing < options->name_count && met[missing])
        missing++;
    free(met);
    if (missing == options->name_count)
        return FT_OK;
    struct ft_near_names near = {.wanted = options->names[missing]};
    ft_near_names_add(&near, path);
    return fail_unknown(options, missing, name, &near, diag);
}

int ft_window_options_add_path(struct ft_window_options *options, const char *path,
                               struct ft_diag *diag)
{
    for (size_t i = 0; i < options->path_count; i++)
        if (strcmp(options->paths[i], path) == 0)
            return FT_OK;
    char *copy = strdup(path);
    if (!copy || !FT_RESERVE(options->paths, options->path_capacity, options->path_count + 1)) {
        free(copy);
        return ft_fail_memory(diag, "the name of a module");
    }
    options->paths[options->path_count++] = copy;
    return FT_OK;
}

int ft_window_options_check_met(const struct ft_window_options *options, struct ft_diag *diag)
{
    size_t name = 0;
    while (name < options->name_count && options->met[name])
        name++;
    if (name == options->name_count)
        return FT_OK;
    struct ft_near_names near = {.wanted = options->names[name]};
    for (size_t i = 0; i < options->path_count; i++)
        ft_near_names_add(&near, options->paths[i]);
    return fail_unknown(options, name, "the program and its libraries", &near, diag);
}

const char *ft_window_options_remark(const struct ft_window_options *options)
{
    if (!options->asked_for || options->opened)
        return NULL;
    if (options->skip && !options->has_skipped)
        return "nothing was recorded: the program ended before the --skip was over";
    return options->markers ? "nothing was recorded: the program has come to no FORETRACE_START"
                            : "nothing was recorded: no function of --from was entered";
}
