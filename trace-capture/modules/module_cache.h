/*
 * Modules that were read before for any trace of this run: many processes map the same libraries,
 * and reading one takes longer than a short process runs. Thread safe.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_MODULE_CACHE_H
#define FT_TRACE_CAPTURE_MODULES_MODULE_CACHE_H

#include <stdbool.h>

#include "formats/trace/modules.h"

struct ft_cached_module {
    struct ft_module module; /* its tables may belong to the cache */
    bool is_shared;
};

/* As ft_elf_module_read, from the cache if the file is unchanged. The caller releases it. */
int ft_module_cache_read(const char *path, uint64_t load_bias, struct ft_cached_module *ret_module,
                         struct ft_diag *diag);
void ft_module_cache_release(struct ft_cached_module *module);
/* All modules must have been released. */
void ft_module_cache_fini(void);

#endif
