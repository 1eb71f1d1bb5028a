/*
 * Functions are only known once their modules are mapped, so most misspelt names can be reported
 * only at the end, together with similar ones.
 */
#include "trace-capture/tracer/window_options.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/base/array.h"
#include "trace-capture/modules/function_names.h"

void ft_window_options_fini(struct ft_window_options *options)
{
    free(options->names);
    *options = (struct ft_window_options){0};
}

void ft_window_outcome_fini(struct ft_window_outcome *outcome)
{
    for (size_t i = 0; i < outcome->path_count; i++)
        free(outcome->paths[i]);
    free(outcome->paths);
    free(outcome->is_found);
    *outcome = (struct ft_window_outcome){0};
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
                                   i ? ", " : "; similar names: ", near->names[i]);
    ft_near_names_fini(near);
    return ft_fail(diag, FT_ERROR_USAGE, "%s %s: no function of this name in %s%s",
                   option_of(options, name), options->names[name], where, like);
}

/* Whether the file asks for other files to be loaded with it. */
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

static void note_found(void *context, size_t name, uint64_t offset)
{
    (void)offset;
    ((bool *)context)[name] = true;
}

/* Whether the object contains the functions of the C library that execute a program. */
static bool may_execute(const char *path)
{
    static const char *const names[] = {"execve", "execveat"};
    bool is_found[2] = {0};
    ft_functions_find(path, names, 2, note_found, is_found);
    return is_found[0] || is_found[1];
}

int ft_window_options_check(const struct ft_window_options *options, const char *path,
                            const char *name, struct ft_diag *diag)
{
    if (options->name_count == 0 || needs_others(path) || may_execute(path))
        return FT_OK;
    bool *is_found = calloc(options->name_count, sizeof *is_found);
    if (!is_found)
        return ft_fail_memory(diag, "the options");
    ft_functions_find(path, options->names, options->name_count, note_found, is_found);
    size_t missing = 0;
    while (missing < options->name_count && is_found[missing])
        missing++;
    free(is_found);
    if (missing == options->name_count)
        return FT_OK;
    struct ft_near_names near = {.wanted = options->names[missing]};
    ft_near_names_add(&near, path);
    return fail_unknown(options, missing, name, &near, diag);
}

int ft_window_outcome_add_module(const struct ft_window_options *options,
                                 struct ft_window_outcome *outcome, const char *path,
                                 struct ft_diag *diag)
{
    for (size_t i = 0; i < outcome->path_count; i++)
        if (strcmp(outcome->paths[i], path) == 0)
            return FT_OK;
    if (!outcome->is_found)
        outcome->is_found = calloc(options->name_count, sizeof *outcome->is_found);
    char *copy = strdup(path);
    if (!copy || !outcome->is_found ||
        !FT_RESERVE(outcome->paths, outcome->path_capacity, outcome->path_count + 1)) {
        free(copy);
        return ft_fail_memory(diag, "the name of a module");
    }
    outcome->paths[outcome->path_count++] = copy;
    return FT_OK;
}

int ft_window_outcome_check(const struct ft_window_options *options,
                            const struct ft_window_outcome *outcome, struct ft_diag *diag)
{
    size_t name = 0;
    while (name < options->name_count && outcome->is_found && outcome->is_found[name])
        name++;
    if (name == options->name_count)
        return FT_OK;
    struct ft_near_names near = {.wanted = options->names[name]};
    for (size_t i = 0; i < outcome->path_count; i++)
        ft_near_names_add(&near, outcome->paths[i]);
    return fail_unknown(options, name, "the program and its libraries", &near, diag);
}

const char *ft_window_outcome_remark(const struct ft_window_options *options,
                                     const struct ft_window_outcome *outcome)
{
    if (!options->any || outcome->opened)
        return NULL;
    if (options->skip && !outcome->has_skipped)
        return "nothing was recorded: the program ended within the instructions that --skip leaves "
               "out";
    return options->markers ? "nothing was recorded: the program never reached a FORETRACE_START"
                            : "nothing was recorded: no function given with --from was called";
}
