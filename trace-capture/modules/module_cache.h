/*
 * Modules that were read before for any trace of this run: many processes map the same libraries,
 * and reading one takes longer than a short process runs. And in other runs: from a folder
 * (module_store.h). Thread safe.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_MODULE_CACHE_H
#define FT_TRACE_CAPTURE_MODULES_MODULE_CACHE_H

#include <stdbool.h>

#include "formats/trace/modules.h"
#include "trace-capture/modules/dwarf_units.h"

struct ft_cached_module {
    struct ft_module module;             /* its tables may belong to the cache */
    struct ft_module_cache_entry *entry; /* or NULL */
    struct ft_dwarf_units *units; /* likewise; NULL where the module has all its lines, or none */
};

/* folder: of the store; NULL: none. Before all else. */
void ft_module_cache_init(const char *folder);

/* As ft_elf_module_open, from the cache if the file is unchanged. Where too many files are open
 * already, all units are read at once. The caller releases it. */
int ft_module_cache_read(const char *path, uint64_t load_bias, struct ft_cached_module *ret_module,
                         struct ft_diag *diag);
/* A copy of the module, without path, with what its units say of the code. */
int ft_module_cache_read_lines(const struct ft_cached_module *module,
                               const struct ft_module_code *code, struct ft_module *ret_module,
                               struct ft_diag *diag);
void ft_module_cache_release(struct ft_cached_module *module);
/* All modules must have been released. */
void ft_module_cache_fini(void);

#endif
