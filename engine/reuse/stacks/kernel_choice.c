/*
 * Chooses among the built kernels those that this processor supports.
 */
#include <string.h>

#include "engine/reuse/stacks/kernel.h"

/* Best first. */
static const struct ft_replay_kernel *const kernels[] = {
#ifdef FT_REPLAY_X86_64
    &ft_replay_kernel_avx512,
    &ft_replay_kernel_avx2,
#endif
    &ft_replay_kernel_c,
};
#define KERNEL_COUNT (sizeof kernels / sizeof *kernels)

const char *ft_replay_kernel_at(size_t index)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++)
        if (kernels[i]->is_supported() && index-- == 0)
            return kernels[i]->name;
    return NULL;
}

int ft_replay_kernel_choose(const char *name, const struct ft_replay_kernel **ret_kernel,
                            struct ft_diag *diag)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++) {
        if (name ? strcmp(kernels[i]->name, name) != 0 : !kernels[i]->is_supported())
            continue;
        if (!kernels[i]->is_supported())
            return ft_fail(diag, FT_ERROR_UNSUPPORTED, "this processor cannot run the kernel '%s'",
                           name);
        *ret_kernel = kernels[i];
        return FT_OK;
    }
    return ft_fail(diag, FT_ERROR_USAGE, "unknown kernel %s: must be avx512, avx2 or c", name);
}
