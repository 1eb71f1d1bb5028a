#include "formats/trace/private_parts.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define FACT "private"

/* Where every system has the same files. */
static bool is_public(const char *path, size_t length)
{
    static const char *const folders[] = {"/usr/",  "/lib/", "/lib32/", "/lib64/", "/bin/",
                                          "/sbin/", "/dev/", "/proc/",  "/sys/",   "/etc/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (length > strlen(folders[i]) && strncmp(path, folders[i], strlen(folders[i])) == 0)
            return memmem(path, length, "/../", 4) == NULL;
    return false;
}

/* Whether its folders say where it is: it is absolute, or leaves the folder that it is relative
 * to. */
static bool has_place(const char *path, size_t length)
{
    return length > 1 && (path[0] == '/' || memmem(path, length, "../", 3)) &&
           !is_public(path, length);
}

/* The last component of path[0 .. length), blanks and slashes at its end left out. */
static size_t last_component(const char *path, size_t length, size_t *ret_start)
{
    while (length > 1 && path[length - 1] == '/')
        length--;
    size_t start = length;
    while (start > 0 && path[start - 1] != '/')
        start--;
    *ret_start = start;
    return length - start;
}

void ft_path_make_private(char *path)
{
    const size_t length = strlen(path);
    size_t start;
    if (!has_place(path, length))
        return;
    const size_t kept = last_component(path, length, &start);
    memmove(path, path + start, kept);
    path[kept] = 0;
}

/* Whether a path may begin at `at`, which is in `text`: behind blanks, quotes and the like any, an
 * absolute one behind all that no name of a folder ends with: "@/home/me/arguments". */
static bool path_begins(const char *text, const char *at)
{
    if (at == text || strchr(" \t\n=,:;('\"<>", at[-1]))
        return true;
    const unsigned char before = (unsigned char)at[-1];
    return *at == '/' && before < 0x80 && !isalnum(before) && !strchr("._-+~*?)]}/", before);
}

/* The length of an address of the web at `at`, which is no path of this host; 0: it is none. */
static size_t address_length(const char *text, const char *at)
{
    static const char *const schemes[] = {"https://", "http://"};
    if (at > text && isalnum((unsigned char)at[-1]))
        return 0;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strncmp(at, schemes[i], strlen(schemes[i])) == 0)
            return strcspn(at, " \t\n'\"<>");
    return 0;
}

void ft_text_make_private(char *text)
{
    const char *option_end = NULL; /* "-I/home/me": behind the letter */
    char *to = text;
    for (const char *from = text; *from;) {
        const size_t address = address_length(text, from);
        if (address > 0) {
            memmove(to, from, address);
            to += address;
            from += address;
            continue;
        }
        const bool begins = path_begins(text, from);
        if (begins && from[0] == '-' && from[1] && from[2] == '/')
            option_end = from + 2;
        const size_t length = begins || from == option_end ? strcspn(from, " \t\n,:;)'\"<>") : 0;
        size_t start, kept;
        if (length > 0 && has_place(from, length)) {
            kept = last_component(from, length, &start);
            memmove(to, from + start, kept);
            to += kept;
            from += length;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

/* ---- metadata ---- */

static void empty(char **text)
{
    if (*text)
        **text = 0;
}

static bool is_listed(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* Variables that number ranks stay: files of a job belong together by them. */
static void drop_host(struct ft_capture_host *host)
{
    size_t kept = 0;
    for (size_t i = 0; i < host->variable_count; i++) {
        struct ft_host_variable *variable = &host->variables[i];
        if (is_listed(variable->name, ft_rank_variables) ||
            is_listed(variable->name, ft_rank_count_variables)) {
            host->variables[kept++] = *variable;
            continue;
        }
        free(variable->name);
        free(variable->value);
    }
    host->variable_count = kept;
    kept = 0;
    for (size_t i = 0; i < host->auxiliary_count; i++) {
        const uint64_t type = host->auxiliary[i].type;
        if (type != AT_UID && type != AT_EUID && type != AT_GID && type != AT_EGID)
            host->auxiliary[kept++] = host->auxiliary[i];
    }
    host->auxiliary_count = kept;
}

int ft_metadata_make_private(struct ft_metadata *metadata, struct ft_diag *diag)
{
    if (ft_metadata_is_private(metadata))
        return FT_OK;
    if (metadata->program)
        ft_path_make_private(metadata->program);
    empty(&metadata->directory);
    empty(&metadata->host);
    for (size_t i = 0; i < metadata->argument_count; i++)
        ft_text_make_private(metadata->arguments[i]);
    if (metadata->end_reason)
        ft_text_make_private(metadata->end_reason);
    drop_host(&metadata->capture_host);
    return ft_capture_host_fact(&metadata->capture_host, FACT, NULL, 1)
               ? FT_OK
               : ft_fail_memory(diag, "the metadata");
}

bool ft_metadata_is_private(const struct ft_metadata *metadata)
{
    return ft_capture_host_find_fact(&metadata->capture_host, FACT) != NULL;
}

/* ---- source files ---- */

struct private_file {
    char *path;
    const struct ft_source_file *file;
};

static int compare_files(const void *left, const void *right)
{
    return strcmp(((const struct private_file *)left)->path,
                  ((const struct private_file *)right)->path);
}

/* Each whose path is its own, in order. */
static int add_files(const struct private_file *list, const struct ft_source_files *from,
                     struct ft_source_files *files, struct ft_diag *diag)
{
    for (size_t i = 0; i < from->count; i++) {
        const bool is_shared = (i > 0 && strcmp(list[i - 1].path, list[i].path) == 0) ||
                               (i + 1 < from->count && strcmp(list[i + 1].path, list[i].path) == 0);
        if (!is_shared)
            FT_TRY(ft_source_files_add(files, list[i].path,
                                       ft_source_files_text(from, list[i].file),
                                       list[i].file->bytes, diag));
    }
    return FT_OK;
}

int ft_source_files_copy_private(const struct ft_source_files *from, struct ft_source_files *files,
                                 struct ft_diag *diag)
{
    struct private_file *list = calloc(from->count + 1, sizeof *list);
    int status = list ? FT_OK : ft_fail_memory(diag, "the source files");
    for (size_t i = 0; i < from->count && status == FT_OK; i++) {
        list[i] = (struct private_file){strdup(from->items[i].path), &from->items[i]};
        if (list[i].path)
            ft_path_make_private(list[i].path);
        else
            status = ft_fail_memory(diag, "the source files");
    }
    if (status == FT_OK) {
        qsort(list, from->count, sizeof *list, compare_files);
        status = add_files(list, from, files, diag);
    }
    for (size_t i = 0; list && i < from->count; i++)
        free(list[i].path);
    free(list);
    return status;
}

/* ---- modules ---- */

void ft_module_make_private(struct ft_module *module)
{
    if (module->path)
        ft_path_make_private(module->path);
    for (size_t at = 1; at < module->strings_bytes;) {
        char *text = module->strings + at;
        const size_t length = strlen(text);
        ft_path_make_private(text);
        memset(text + strlen(text), 0, length - strlen(text));
        at += length + 1;
    }
}

int ft_module_private_view(const struct ft_module *module, struct ft_module *ret_view,
                           struct ft_diag *diag)
{
    struct ft_module view = *module;
    view.path = module->path ? strdup(module->path) : NULL;
    view.strings = calloc(module->strings_bytes + 1, 1);
    if ((module->path && !view.path) || !view.strings) {
        free(view.path);
        free(view.strings);
        return ft_fail_memory(diag, "a module");
    }
    if (module->strings_bytes)
        memcpy(view.strings, module->strings, module->strings_bytes);
    ft_module_make_private(&view);
    *ret_view = view;
    return FT_OK;
}
