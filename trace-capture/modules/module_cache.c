/*
 * Only modules with small tables are kept, so that a single large program takes no more memory than
 * without a cache. A file is the same if device, inode, size and time of change are.
 */
#include "trace-capture/modules/module_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/base/array.h"
#include "trace-capture/modules/elf_module.h"

#define KEPT_BYTES_MAX ((size_t)32 << 20) /* of one module's tables */

struct entry {
    struct stat file;
    struct ft_module module;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;
static size_t entry_count, entry_capacity;

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static const struct ft_module *find(const char *path, const struct stat *file)
{
    for (size_t i = 0; i < entry_count; i++)
        if (is_same(&entries[i].file, file) && strcmp(entries[i].module.path, path) == 0)
            return &entries[i].module;
    return NULL;
}

static bool is_small(const struct ft_module *module)
{
    return module->symbol_count * sizeof *module->symbols +
               module->line_count * sizeof *module->lines +
               module->inline_count * sizeof *module->inlines +
               module->variable_count * sizeof *module->variables + module->strings_bytes <
           KEPT_BYTES_MAX;
}

static int read_locked(const char *path, struct ft_cached_module *ret_module, struct ft_diag *diag)
{
    struct stat before, after;
    bool known = stat(path, &before) == 0;
    const struct ft_module *found = known ? find(path, &before) : NULL;
    if (!found) {
        int status = ft_elf_module_read(path, 0, &ret_module->module, diag);
        if (status < 0)
            return status;
        if (!known || stat(path, &after) != 0 || !is_same(&before, &after) ||
            !is_small(&ret_module->module) || !FT_RESERVE(entries, entry_capacity, entry_count + 1))
            return FT_OK;
        entries[entry_count++] = (struct entry){before, ret_module->module};
        found = &ret_module->module;
    }
    *ret_module = (struct ft_cached_module){*found, true};
    return FT_OK;
}

int ft_module_cache_read(const char *path, uint64_t load_bias, struct ft_cached_module *ret_module,
                         struct ft_diag *diag)
{
    *ret_module = (struct ft_cached_module){0};
    pthread_mutex_lock(&lock);
    int status = read_locked(path, ret_module, diag);
    pthread_mutex_unlock(&lock);
    ret_module->module.load_bias = load_bias;
    return status;
}

void ft_module_cache_release(struct ft_cached_module *module)
{
    if (!module->is_shared)
        ft_module_fini(&module->module);
}

void ft_module_cache_fini(void)
{
    for (size_t i = 0; i < entry_count; i++)
        ft_module_fini(&entries[i].module);
    free(entries);
    entries = NULL;
    entry_count = entry_capacity = 0;
}
