/*
 * Names are gathered module by module. At the end they are sorted, and read in that order.
 */
#include "trace-capture/modules/named_sources.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/array.h"

/* ---- names ---- */

static int add_path(struct ft_named_sources *named, const char *path, struct ft_diag *diag)
{
    if (!*path || (named->count > 0 && strcmp(named->paths[named->count - 1], path) == 0))
        return FT_OK;
    char *copy = strdup(path);
    if (!copy || !FT_RESERVE(named->paths, named->capacity, named->count + 1)) {
        free(copy);
        return ft_fail_memory(diag, "the source files");
    }
    named->paths[named->count++] = copy;
    return FT_OK;
}

static void mark(bool *wanted, const struct ft_module *module, uint32_t file)
{
    if (file < module->strings_bytes)
        wanted[file] = true;
}

/* wanted: [index into the strings]. */
static void mark_files(const struct ft_module *module, const struct ft_module_code *code,
                       bool *wanted)
{
    for (size_t i = 0; i < module->line_count; i++)
        if (ft_module_code_meets(code, module->lines[i].start, module->lines[i].end))
            mark(wanted, module, module->lines[i].file);
    for (size_t i = 0; i < module->symbol_count; i++)
        if (ft_module_code_meets(code, module->symbols[i].start, module->symbols[i].end))
            mark(wanted, module, module->symbols[i].file);
    for (size_t i = 0; i < module->inline_count; i++)
        if (ft_module_code_meets(code, module->inlines[i].start, module->inlines[i].end))
            mark(wanted, module, module->inlines[i].call_file);
}

int ft_named_sources_add(struct ft_named_sources *named, const struct ft_module *module,
                         const struct ft_module_code *code, struct ft_diag *diag)
{
    bool *wanted = calloc(module->strings_bytes + 1, sizeof *wanted);
    int status = wanted ? FT_OK : ft_fail_memory(diag, "the source files");
    if (wanted)
        mark_files(module, code, wanted);
    for (size_t at = 0; status == FT_OK && at < module->strings_bytes; at++)
        if (wanted[at])
            status = add_path(named, module->strings + at, diag);
    free(wanted);
    return status;
}

void ft_named_sources_fini(struct ft_named_sources *named)
{
    for (size_t i = 0; i < named->count; i++)
        free(named->paths[i]);
    free(named->paths);
    *named = (struct ft_named_sources){0};
}

/* ---- files ---- */

/* NULL: it is none that is kept, or out of memory, which only means that it is not kept. */
static uint8_t *read_text(const char *path, const struct ft_source_files *files, size_t *ret_bytes)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat facts;
    uint8_t *text = NULL;
    size_t bytes = 0;
    if (file < 0)
        return NULL;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 &&
        ft_source_files_fit(files, (size_t)facts.st_size))
        text = malloc((size_t)facts.st_size);
    while (text && bytes < (size_t)facts.st_size) {
        const ssize_t got = read(file, text + bytes, (size_t)facts.st_size - bytes);
        if (got <= 0)
            break;
        bytes += (size_t)got;
    }
    close(file);
    if (text && bytes == (size_t)facts.st_size && !memchr(text, 0, bytes)) {
        *ret_bytes = bytes;
        return text;
    }
    free(text);
    return NULL;
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

int ft_named_sources_read(struct ft_named_sources *named, struct ft_source_files *ret_files,
                          struct ft_diag *diag)
{
    struct ft_source_files files = {0};
    int status = FT_OK;
    if (named->count > 0)
        qsort(named->paths, named->count, sizeof *named->paths, compare);
    for (size_t i = 0; i < named->count && status == FT_OK; i++) {
        size_t bytes;
        const bool is_new = i == 0 || strcmp(named->paths[i - 1], named->paths[i]) != 0;
        uint8_t *text = is_new ? read_text(named->paths[i], &files, &bytes) : NULL;
        if (text)
            status = ft_source_files_add(&files, named->paths[i], text, bytes, diag);
        free(text);
    }
    if (status == FT_OK)
        *ret_files = files;
    else
        ft_source_files_fini(&files);
    return status;
}
