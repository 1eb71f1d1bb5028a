/*
 * Only modules with small tables are kept, so that a single large program takes no more memory than
 * without a cache; and of these only DWARF of small files. A file is the same if device, inode,
 * size and time of change are. Entries are put into the store when they are removed, once for all
 * traces.
 */
#include "trace-capture/modules/module_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/base/array.h"
#include "trace-capture/modules/dwarf_units_state.h"
#include "trace-capture/modules/elf_module.h"
#include "trace-capture/modules/stored_module.h"

#define KEPT_BYTES_MAX       ((size_t)32 << 20)  /* of one module's tables */
#define KEPT_DWARF_BYTES_MAX (UINT64_C(8) << 20) /* of one file */
#define OPEN_FILES_MAX       128U                /* of the 1024 that a process may have */

struct ft_module_cache_entry {
    struct stat file;
    struct ft_module module;
    struct ft_dwarf_units *units;
    size_t users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ft_module_cache_entry **entries;
static size_t entry_count, entry_capacity;
static unsigned open_files; /* of modules in use and of entries */
static struct ft_module_store *store;

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static struct ft_module_cache_entry *find(const char *path, const struct stat *file)
{
    for (size_t i = 0; i < entry_count; i++)
        if (is_same(&entries[i]->file, file) && strcmp(entries[i]->module.path, path) == 0)
            return entries[i];
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

/* Puts into the store what it has not. */
static void save(const struct ft_module *module, struct ft_dwarf_units *units)
{
    if (!units->is_unsaved || ft_dwarf_units_have_changed(units))
        return;
    ft_stored_module_write(store, &units->key, module, units);
    units->is_unsaved = false;
}

static void close_units(const struct ft_module *module, struct ft_dwarf_units *units)
{
    if (!units)
        return;
    save(module, units);
    open_files--;
    ft_dwarf_units_destroy(units);
}

static void destroy_entry(struct ft_module_cache_entry *entry)
{
    close_units(&entry->module, entry->units);
    ft_module_fini(&entry->module);
    free(entry);
}

/* Removes an entry with an open file that no trace uses now; false if there is none. */
static bool remove_unused(void)
{
    for (size_t i = 0; i < entry_count; i++)
        if (entries[i]->users == 0 && entries[i]->units) {
            destroy_entry(entries[i]);
            entries[i] = entries[--entry_count];
            return true;
        }
    return false;
}

/* Reads the file, and all its lines if it cannot be left open. */
static int read_file(const char *path, struct ft_cached_module *ret_module, struct ft_diag *diag)
{
    *ret_module = (struct ft_cached_module){0};
    if (open_files >= OPEN_FILES_MAX && !remove_unused())
        return ft_elf_module_read(path, 0, &ret_module->module, diag);
    FT_TRY(ft_elf_module_open(path, 0, store, &ret_module->module, &ret_module->units, diag));
    open_files += ret_module->units != NULL;
    return FT_OK;
}

static int read_locked(const char *path, struct ft_cached_module *ret_module, struct ft_diag *diag)
{
    struct stat before, after;
    bool known = stat(path, &before) == 0;
    struct ft_module_cache_entry *entry = known ? find(path, &before) : NULL;
    if (!entry) {
        FT_TRY(read_file(path, ret_module, diag));
        if (!known || stat(path, &after) != 0 || !is_same(&before, &after) ||
            !is_small(&ret_module->module) || !FT_RESERVE(entries, entry_capacity, entry_count + 1))
            return FT_OK;
        entry = malloc(sizeof *entry);
        if (!entry)
            return FT_OK;
        *entry = (struct ft_module_cache_entry){before, ret_module->module, ret_module->units, 0};
        entries[entry_count++] = entry;
    }
    entry->users++;
    *ret_module = (struct ft_cached_module){entry->module, entry, entry->units};
    return FT_OK;
}

void ft_module_cache_init(const char *folder)
{
    store = ft_module_store_open(folder);
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

int ft_module_cache_read_lines(const struct ft_cached_module *module,
                               const struct ft_module_code *code, struct ft_module *ret_module,
                               struct ft_diag *diag)
{
    const struct ft_module *from = &module->module;
    struct ft_module whole = {.start = from->start, .end = from->end};
    size_t symbols_bytes = from->symbol_count * sizeof *from->symbols;
    whole.symbols = malloc(symbols_bytes + 1);
    whole.strings = malloc(from->strings_bytes + 1);
    if (!whole.symbols || !whole.strings) {
        ft_module_fini(&whole);
        return ft_fail_memory(diag, "the lines of a module");
    }
    if (symbols_bytes)
        memcpy(whole.symbols, from->symbols, symbols_bytes);
    if (from->strings_bytes)
        memcpy(whole.strings, from->strings, from->strings_bytes);
    whole.symbol_count = from->symbol_count;
    whole.strings_bytes = from->strings_bytes;
    pthread_mutex_lock(&lock);
    ft_stored_units_read_again(store, module->units);
    int status = ft_dwarf_units_add(module->units, code, &whole, diag);
    if (!module->entry || ft_dwarf_units_file_bytes(module->units) > KEPT_DWARF_BYTES_MAX) {
        save(from, module->units);
        ft_dwarf_units_forget(module->units);
    }
    pthread_mutex_unlock(&lock);
    if (status == FT_OK)
        *ret_module = whole;
    else
        ft_module_fini(&whole);
    return status;
}

void ft_module_cache_release(struct ft_cached_module *module)
{
    pthread_mutex_lock(&lock);
    if (module->entry) {
        module->entry->users--;
    } else {
        close_units(&module->module, module->units);
        ft_module_fini(&module->module);
    }
    pthread_mutex_unlock(&lock);
    *module = (struct ft_cached_module){0};
}

void ft_module_cache_fini(void)
{
    for (size_t i = 0; i < entry_count; i++)
        destroy_entry(entries[i]);
    free(entries);
    entries = NULL;
    entry_count = entry_capacity = 0;
    ft_module_store_close(store);
    store = NULL;
}
