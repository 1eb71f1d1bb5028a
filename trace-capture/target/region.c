#include "trace-capture/target/region.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace-capture/target/context.h"
#include "trace-capture/target/target.h"

/* Where in the target the memfd's name is stored for a moment: below the red zone. */
#define NAME             "foretrace"
#define NAME_BELOW_STACK 512

static int create_memfd(struct ft_target *target, uint64_t at, uint64_t stack, int64_t *ret_fd,
                        struct ft_diag *diag)
{
    static const char name[] = NAME;
    char before[sizeof name];
    uint64_t text = (stack - NAME_BELOW_STACK) & ~UINT64_C(15);
    if (ft_target_read(target, text, before, sizeof before) != sizeof before ||
        !ft_target_write(target, text, name, sizeof name))
        return ft_fail(diag, FT_ERROR_FAILURE, "the program's stack cannot be written");
    int status = ft_target_syscall(target, at, SYS_memfd_create, (uint64_t[6]){text, MFD_CLOEXEC},
                                   ret_fd, diag);
    if (status == FT_OK && *ret_fd < 0)
        status = ft_fail(diag, FT_ERROR_FAILURE, "memfd_create in the program: %s",
                         strerror((int)-*ret_fd));
    if (!ft_target_write(target, text, before, sizeof before) && status == FT_OK)
        status = ft_fail(diag, FT_ERROR_FAILURE, "the program's stack cannot be written");
    return status;
}

int ft_memory_share(struct ft_target *target, uint64_t address, size_t bytes, int protection,
                    uint64_t *ret_address, uint8_t **ret_host, struct ft_diag *diag)
{
    struct user_regs_struct registers;
    int64_t fd = -1, mapped = -1, ignored;
    int status = ft_target_registers(target, &registers, diag);
    uint64_t at = registers.rip;
    if (status == FT_OK && ft_target_is_filtered(target))
        status =
            ft_fail(diag, FT_ERROR_UNSUPPORTED,
                    "the program has a seccomp filter, which may forbid what a further thread, "
                    "process or piece of code needs");
    if (status == FT_OK)
        status = create_memfd(target, at, registers.rsp, &fd, diag);
    if (status < 0)
        return status;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)target->pid, (int)fd);
    int host_fd = open(path, O_RDWR | O_CLOEXEC);
    if (host_fd < 0 || ftruncate(host_fd, (off_t)bytes) != 0) {
        int reason = errno;
        if (host_fd >= 0)
            close(host_fd);
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(reason));
    }
    uint8_t *host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, host_fd, 0);
    int reason = errno;
    close(host_fd);
    if (host == MAP_FAILED)
        return ft_fail(diag, FT_ERROR_MEMORY, "sharing memory with the program: %s",
                       strerror(reason));
    int flags = MAP_SHARED | (address ? MAP_FIXED_NOREPLACE : 0);
    status = ft_target_syscall(
        target, at, SYS_mmap,
        (uint64_t[6]){address, bytes, (uint64_t)protection, (uint64_t)flags, (uint64_t)fd, 0},
        &mapped, diag);
    if (status == FT_OK)
        status =
            ft_target_syscall(target, at, SYS_close, (uint64_t[6]){(uint64_t)fd}, &ignored, diag);
    if (status == FT_OK && (mapped < 0 || (address && (uint64_t)mapped != address)))
        status = ft_fail(diag, FT_ERROR_FAILURE,
                         "the program's address space has no room for the code cache");
    if (status == FT_OK) /* children start with a code cache of their own */
        status = ft_target_syscall(target, at, SYS_madvise,
                                   (uint64_t[6]){(uint64_t)mapped, bytes, MADV_DONTFORK}, &ignored,
                                   diag);
    if (status < 0) {
        munmap(host, bytes);
        return status;
    }
    *ret_address = (uint64_t)mapped;
    *ret_host = host;
    return FT_OK;
}

bool ft_memory_is_shared(const struct ft_mapping *mapping)
{
    return mapping->is_shared && strcmp(mapping->path, "/memfd:" NAME " (deleted)") == 0;
}

/* Makes a system call in the target that must succeed. */
static int call(struct ft_target *target, long number, const uint64_t arguments[6],
                const char *what, struct ft_diag *diag)
{
    int64_t result = -1;
    struct user_regs_struct registers;
    int status = ft_target_registers(target, &registers, diag);
    if (status == FT_OK)
        status = ft_target_syscall(target, registers.rip, number, arguments, &result, diag);
    if (status == FT_OK && result < 0)
        status = ft_fail(diag, FT_ERROR_FAILURE, "%s: %s", what, strerror((int)-result));
    return status;
}

int ft_region_create(struct ft_target *target, uint64_t address, size_t bytes,
                     const struct ft_region *first, struct ft_region *ret_region,
                     struct ft_diag *diag)
{
    struct ft_region region = {.bytes = bytes};
    int status = ft_memory_share(target, address, bytes, PROT_READ | PROT_WRITE, &region.address,
                                 &region.host, diag);
    if (status == FT_OK && first) /* of shared memory, an old size of 0 makes a second mapping */
        status = call(target, SYS_mremap,
                      (uint64_t[6]){first->address + FT_TABLES, 0, FT_TABLES_END - FT_TABLES,
                                    MREMAP_MAYMOVE | MREMAP_FIXED, region.address + FT_TABLES},
                      "sharing the tables", diag);
    if (status == FT_OK) /* behind the log buffer the target faults */
        status = call(target, SYS_mprotect,
                      (uint64_t[6]){region.address + FT_LOG_BUFFER + FT_LOG_BUFFER_BYTES,
                                    FT_LOG_GUARD_BYTES, PROT_NONE},
                      "guarding the log buffer", diag);
    if (status == FT_OK && first)
        status = call(
            target, SYS_madvise,
            (uint64_t[6]){region.address + FT_TABLES, FT_TABLES_END - FT_TABLES, MADV_DONTFORK},
            "keeping the tables from children", diag);
    if (status < 0) {
        ft_region_fini(&region);
        return status;
    }
    ft_region_context(&region)->address = region.address;
    *ret_region = region;
    return FT_OK;
}

void ft_region_fini(struct ft_region *region)
{
    if (region->host)
        munmap(region->host, region->bytes);
    *region = (struct ft_region){0};
}
