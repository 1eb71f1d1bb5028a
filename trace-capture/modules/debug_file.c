/*
 * Separate debug files, searched where gdb does: by build-id under /usr/lib/debug; then by the name
 * in .gnu_debuglink, next to the object, in its .debug folder, and in the corresponding folder
 * under /usr/lib/debug. A file counts only if it has the object's build-id.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace-capture/modules/module_builder.h"

#define DEBUG_ROOT "/usr/lib/debug"

static bool open_if_same(const char *path, const struct ft_module *module,
                         struct ft_debug_file *file)
{
    file->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (file->fd < 0)
        return false;
    file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
    const void *build_id = NULL;
    ssize_t bytes = file->elf ? dwelf_elf_gnu_build_id(file->elf, &build_id) : 0;
    if (bytes == (ssize_t)module->build_id_bytes &&
        memcmp(build_id, module->build_id, module->build_id_bytes) == 0)
        return true;
    ft_debug_file_close(file);
    return false;
}

/* DEBUG_ROOT/.build-id/ab/cdef....debug */
static bool open_by_build_id(const struct ft_module *module, struct ft_debug_file *file)
{
    static const char digits[] = "0123456789abcdef";
    char path[sizeof DEBUG_ROOT + 2 * sizeof module->build_id + 32] = DEBUG_ROOT "/.build-id/";
    char *at = path + strlen(path);
    for (uint32_t i = 0; i < module->build_id_bytes; i++) {
        *at++ = digits[module->build_id[i] >> 4];
        *at++ = digits[module->build_id[i] & 15];
        if (i == 0)
            *at++ = '/';
    }
    strcpy(at, ".debug");
    return open_if_same(path, module, file);
}

void ft_debug_file_open(Elf *elf, const char *object_path, const struct ft_module *module,
                        struct ft_debug_file *ret_file)
{
    *ret_file = (struct ft_debug_file){.fd = -1};
    if (module->build_id_bytes == 0 || open_by_build_id(module, ret_file))
        return;
    GElf_Word checksum;
    const char *name = dwelf_elf_gnu_debuglink(elf, &checksum);
    const char *slash = strrchr(object_path, '/');
    if (!name || !slash || strchr(name, '/'))
        return;
    static const char *const patterns[] = {"%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s"};
    int folder_length = (int)(slash - object_path);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        char path[PATH_MAX];
        int length = snprintf(path, sizeof path, patterns[i], folder_length, object_path, name);
        if (length > 0 && (size_t)length < sizeof path && open_if_same(path, module, ret_file))
            return;
    }
}

void ft_debug_file_close(struct ft_debug_file *file)
{
    elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    *file = (struct ft_debug_file){.fd = -1};
}
