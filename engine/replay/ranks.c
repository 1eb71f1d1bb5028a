/*
 * The module with MPI is looked for beside the program, as it was built, and where it was
 * installed. Its symbols are global: Open MPI's own plugins need those of MPI.
 */
#include "engine/replay/ranks.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/replay/ranks_module.h"
#include "formats/base/program_folder.h"

#ifdef FT_MPI_MODULE

static int load(const struct ft_ranks_module **ret_module, struct ft_diag *diag)
{
    char path[PATH_MAX];
    if (!ft_beside_program("engine/" FT_MPI_MODULE, path))
        snprintf(path, sizeof path, "%s/%s", FT_MPI_FOLDER, FT_MPI_MODULE);
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* up to the end of the process */
    const char *reason = library ? NULL : dlerror();
    void *symbol = library ? dlsym(library, FT_RANKS_MODULE_SYMBOL) : NULL;
    if (!symbol)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "--mpi: %s; install openmpi-bin, or build foretrace anew with "
                       "-Dmpi=enabled (package libopenmpi-dev)",
                       reason ? reason : path);
    *ret_module = symbol;
    return FT_OK;
}

#else

static int load(const struct ft_ranks_module **ret_module, struct ft_diag *diag)
{
    *ret_module = NULL;
    return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                   "--mpi: this foretrace was built without MPI; install the package "
                   "libopenmpi-dev and build it with -Dmpi=enabled");
}

#endif

int ft_ranks_begin(struct ft_ranks *ranks, struct ft_diag *diag)
{
    const struct ft_ranks_module *module;
    int status = load(&module, diag);
    if (status)
        return status;
    module->begin(&ranks->number, &ranks->count);
    ranks->module = module;
    return FT_OK;
}

void ft_ranks_end(struct ft_ranks *ranks)
{
    if (ranks->module)
        ranks->module->end();
    ranks->module = NULL;
}

int ft_ranks_agree(const struct ft_ranks *ranks, int status, struct ft_diag *diag)
{
    struct ft_diag agreed = *diag;
    agreed.status = status;
    if (ranks->number > 0) {
        ranks->module->send(0, &agreed, sizeof agreed);
        ranks->module->receive(0, &agreed, sizeof agreed);
    } else {
        for (unsigned r = 1; r < ranks->count; r++) {
            struct ft_diag other;
            ranks->module->receive(r, &other, sizeof other);
            if (agreed.status == FT_OK)
                agreed = other;
        }
        for (unsigned r = 1; r < ranks->count; r++)
            ranks->module->send(r, &agreed, sizeof agreed);
    }
    *diag = agreed;
    return agreed.status;
}

/* First the size, then, where the answer is yes, the bytes. */
void ft_ranks_send(const struct ft_ranks *ranks, unsigned to, const void *bytes, size_t size)
{
    const uint64_t count = size;
    bool is_wanted = false;
    ranks->module->send(to, &count, sizeof count);
    ranks->module->receive(to, &is_wanted, sizeof is_wanted);
    if (is_wanted)
        ranks->module->send(to, bytes, size);
}

int ft_ranks_receive(const struct ft_ranks *ranks, unsigned from, char **ret_bytes,
                     size_t *ret_size, struct ft_diag *diag)
{
    uint64_t count = 0;
    ranks->module->receive(from, &count, sizeof count);
    char *bytes = malloc(count + 1);
    const bool is_wanted = bytes != NULL;
    ranks->module->send(from, &is_wanted, sizeof is_wanted);
    if (!bytes)
        return ft_fail_memory(diag, "what another rank has replayed");
    ranks->module->receive(from, bytes, count);
    *ret_bytes = bytes;
    *ret_size = count;
    return FT_OK;
}

void ft_ranks_refuse(const struct ft_ranks *ranks, unsigned from)
{
    uint64_t count;
    const bool is_wanted = false;
    ranks->module->receive(from, &count, sizeof count);
    ranks->module->send(from, &is_wanted, sizeof is_wanted);
}
