/*
 * Names are gathered module by module. At the end they are sorted, and read in that order. What the
 * system's libraries name is taken where it is there, headers for instance, and not missed where it
 * is not: distributions build elsewhere.
 */
#include "trace-capture/modules/named_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/base/array.h"

/* ---- names ---- */

static bool is_of_system(const char *module)
{
    static const char *const folders[] = {"/lib/", "/lib32/", "/lib64/", "/usr/lib", "["};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(module, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

static int64_t built_at(const char *module)
{
    struct stat facts;
    return stat(module, &facts) == 0 ? facts.st_mtim.tv_sec : INT64_MAX;
}

/* from: all but the path. Names as "<built-in>" are no files. */
static int add_path(struct ft_named_sources *named, const char *path,
                    const struct ft_named_source *from, struct ft_diag *diag)
{
    if (!*path || *path == '<')
        return FT_OK;
    char *copy = strdup(path);
    if (!copy || !FT_RESERVE(named->items, named->capacity, named->count + 1)) {
        free(copy);
        return ft_fail_memory(diag, "the source files");
    }
    named->items[named->count] = *from;
    named->items[named->count++].path = copy;
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
                         const char *path, const struct ft_module_code *code, struct ft_diag *diag)
{
    const struct ft_named_source from = {.is_of_system = is_of_system(path),
                                         .built_s = built_at(path)};
    bool *wanted = calloc(module->strings_bytes + 1, sizeof *wanted);
    int status = wanted ? FT_OK : ft_fail_memory(diag, "the source files");
    if (wanted)
        mark_files(module, code, wanted);
    for (size_t at = 0; status == FT_OK && at < module->strings_bytes; at++)
        if (wanted[at])
            status = add_path(named, module->strings + at, &from, diag);
    free(wanted);
    return status;
}

void ft_named_sources_fini(struct ft_named_sources *named)
{
    for (size_t i = 0; i < named->count; i++)
        free(named->items[i].path);
    free(named->items);
    *named = (struct ft_named_sources){0};
}

/* ---- files ---- */

/* FT_SOURCE_REMARKS: it can be kept. */
static enum ft_source_remark judge(const struct stat *facts, const struct ft_source_files *files)
{
    if (!S_ISREG(facts->st_mode) || facts->st_size <= 0)
        return FT_SOURCE_NO_TEXT;
    if ((size_t)facts->st_size > FT_SOURCE_FILE_BYTES_MAX)
        return FT_SOURCE_LARGE;
    return ft_source_files_fit(files, (size_t)facts->st_size) ? FT_SOURCE_REMARKS
                                                              : FT_SOURCE_BEYOND_LIMITS;
}

/* The bytes of a file, or -1 with errno. */
static ssize_t read_all(int file, uint8_t *text, size_t bytes)
{
    size_t count = 0;
    while (count < bytes) {
        const ssize_t got = read(file, text + count, bytes - count);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        count += (size_t)got;
    }
    return (ssize_t)count;
}

/* Of a file that is open. Its text, or NULL and why it is not kept. *ret_is_newer: than what was
 * built of it. */
static uint8_t *read_text(int file, const struct ft_source_files *files, int64_t built_s,
                          size_t *ret_bytes, bool *ret_is_newer, enum ft_source_remark *ret_remark)
{
    struct stat facts;
    *ret_remark = FT_SOURCE_UNREADABLE;
    if (fstat(file, &facts) < 0)
        return NULL;
    *ret_remark = judge(&facts, files);
    if (*ret_remark != FT_SOURCE_REMARKS)
        return NULL;
    const size_t bytes = (size_t)facts.st_size;
    uint8_t *text = malloc(bytes);
    const ssize_t got = text ? read_all(file, text, bytes) : -1;
    *ret_is_newer = facts.st_mtim.tv_sec > built_s;
    *ret_bytes = bytes;
    if (got >= 0 && (size_t)got == bytes && !memchr(text, 0, bytes))
        return text;
    *ret_remark = got < 0 ? FT_SOURCE_UNREADABLE : FT_SOURCE_NO_TEXT;
    free(text);
    return NULL;
}

/* A file that cannot be kept is a remark; only without memory for those that are, it fails. */
static int read_source(const struct ft_named_source *source, struct ft_source_files *files,
                       struct ft_source_outcome *outcome, struct ft_diag *diag)
{
    size_t bytes = 0;
    bool is_newer = false;
    enum ft_source_remark remark = FT_SOURCE_UNREADABLE;
    int status = FT_OK;
    const int file = open(source->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    uint8_t *text =
        file < 0 ? NULL : read_text(file, files, source->built_s, &bytes, &is_newer, &remark);
    const int error = errno;
    if (file < 0 && (error == ENOENT || error == ENOTDIR))
        remark = FT_SOURCE_MISSING;
    if (file >= 0)
        close(file);
    outcome->named += !source->is_of_system;
    if (text)
        status = ft_source_files_add(files, source->path, text, bytes, diag);
    if (!source->is_of_system && (!text || is_newer))
        ft_source_outcome_add(outcome, text ? FT_SOURCE_NEWER : remark, source->path, error);
    free(text);
    return status;
}

/* By path; of one path those first that are not the system's, which were built first. */
static int compare(const void *left, const void *right)
{
    const struct ft_named_source *a = left, *b = right;
    const int order = strcmp(a->path, b->path);
    if (order != 0)
        return order;
    if (a->is_of_system != b->is_of_system)
        return a->is_of_system ? 1 : -1;
    return (a->built_s > b->built_s) - (a->built_s < b->built_s);
}

int ft_named_sources_read(struct ft_named_sources *named, struct ft_source_files *ret_files,
                          struct ft_source_outcome *outcome, struct ft_diag *diag)
{
    struct ft_source_files files = {0};
    int status = FT_OK;
    if (named->count > 0)
        qsort(named->items, named->count, sizeof *named->items, compare);
    for (size_t i = 0; i < named->count && status == FT_OK; i++)
        if (i == 0 || strcmp(named->items[i - 1].path, named->items[i].path) != 0)
            status = read_source(&named->items[i], &files, outcome, diag);
    if (status == FT_OK)
        *ret_files = files;
    else
        ft_source_files_fini(&files);
    return status;
}
