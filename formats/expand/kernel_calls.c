/*
 * One row per call, sorted by name. Paths, socket addresses, control messages and other small
 * structures passed beside the buffer are left out, as are calls that take nothing else.
 */
#include "formats/expand/kernel_calls.h"

#include <sys/syscall.h>

#define R  FT_KERNEL_READS
#define W  FT_KERNEL_WRITES
#define RW (FT_KERNEL_READS | FT_KERNEL_WRITES)

static const struct ft_kernel_call calls[] = {
    {SYS_brk, "brk", 1, 0, 0, FT_KERNEL_NOTHING, 0},
    {SYS_epoll_pwait, "epoll_pwait", 2, 3, W, FT_KERNEL_RESULT, 12},
    {SYS_epoll_wait, "epoll_wait", 2, 3, W, FT_KERNEL_RESULT, 12},
    {SYS_fgetxattr, "fgetxattr", 3, 4, W, FT_KERNEL_RESULT, 1},
    {SYS_flistxattr, "flistxattr", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_fsetxattr, "fsetxattr", 3, 4, R, FT_KERNEL_LENGTH, 1},
    {SYS_fstat, "fstat", 2, 0, W, FT_KERNEL_FIXED, 144},
    {SYS_fstatfs, "fstatfs", 2, 0, W, FT_KERNEL_FIXED, 120},
    {SYS_getcwd, "getcwd", 1, 2, W, FT_KERNEL_RESULT, 1},
    {SYS_getdents, "getdents", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_getdents64, "getdents64", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_getrandom, "getrandom", 1, 2, W, FT_KERNEL_RESULT, 1},
    {SYS_getxattr, "getxattr", 3, 4, W, FT_KERNEL_RESULT, 1},
    {SYS_lgetxattr, "lgetxattr", 3, 4, W, FT_KERNEL_RESULT, 1},
    {SYS_listxattr, "listxattr", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_llistxattr, "llistxattr", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_lsetxattr, "lsetxattr", 3, 4, R, FT_KERNEL_LENGTH, 1},
    {SYS_lstat, "lstat", 2, 0, W, FT_KERNEL_FIXED, 144},
    {SYS_mmap, "mmap", 1, 2, 0, FT_KERNEL_NOTHING, 0},
    {SYS_mq_timedreceive, "mq_timedreceive", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_mq_timedsend, "mq_timedsend", 2, 3, R, FT_KERNEL_LENGTH, 1},
    {SYS_mremap, "mremap", 1, 3, 0, FT_KERNEL_NOTHING, 0},
    {SYS_munmap, "munmap", 1, 2, 0, FT_KERNEL_NOTHING, 0},
    {SYS_newfstatat, "newfstatat", 3, 0, W, FT_KERNEL_FIXED, 144},
    {SYS_poll, "poll", 1, 2, RW, FT_KERNEL_LENGTH, 8},
    {SYS_ppoll, "ppoll", 1, 2, RW, FT_KERNEL_LENGTH, 8},
    {SYS_pread64, "pread64", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_preadv, "preadv", 0, 0, W, FT_KERNEL_RESULT, 1},
    {SYS_preadv2, "preadv2", 0, 0, W, FT_KERNEL_RESULT, 1},
    {SYS_pwrite64, "pwrite64", 2, 3, R, FT_KERNEL_RESULT, 1},
    {SYS_pwritev, "pwritev", 0, 0, R, FT_KERNEL_RESULT, 1},
    {SYS_pwritev2, "pwritev2", 0, 0, R, FT_KERNEL_RESULT, 1},
    {SYS_read, "read", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_readlink, "readlink", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_readlinkat, "readlinkat", 3, 4, W, FT_KERNEL_RESULT, 1},
    {SYS_readv, "readv", 0, 0, W, FT_KERNEL_RESULT, 1},
    {SYS_recvfrom, "recvfrom", 2, 3, W, FT_KERNEL_RESULT, 1},
    {SYS_recvmmsg, "recvmmsg", 0, 0, W, FT_KERNEL_RESULT, 1},
    {SYS_recvmsg, "recvmsg", 0, 0, W, FT_KERNEL_RESULT, 1},
    {SYS_sendmmsg, "sendmmsg", 0, 0, R, FT_KERNEL_RESULT, 1},
    {SYS_sendmsg, "sendmsg", 0, 0, R, FT_KERNEL_RESULT, 1},
    {SYS_sendto, "sendto", 2, 3, R, FT_KERNEL_RESULT, 1},
    {SYS_setxattr, "setxattr", 3, 4, R, FT_KERNEL_LENGTH, 1},
    {SYS_stat, "stat", 2, 0, W, FT_KERNEL_FIXED, 144},
    {SYS_statfs, "statfs", 2, 0, W, FT_KERNEL_FIXED, 120},
    {SYS_statx, "statx", 5, 0, W, FT_KERNEL_FIXED, 256},
    {SYS_vmsplice, "vmsplice", 0, 0, R, FT_KERNEL_RESULT, 1},
    {SYS_write, "write", 2, 3, R, FT_KERNEL_RESULT, 1},
    {SYS_writev, "writev", 0, 0, R, FT_KERNEL_RESULT, 1},
};

size_t ft_kernel_call_count(void)
{
    return sizeof calls / sizeof *calls;
}

const struct ft_kernel_call *ft_kernel_call_at(size_t index)
{
    return &calls[index];
}

const struct ft_kernel_call *ft_kernel_call_find(uint64_t number)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == (uint32_t)number)
            return &calls[i];
    return NULL;
}

uint64_t ft_kernel_call_bytes(const struct ft_kernel_call *call, uint64_t length, uint64_t result)
{
    if ((int64_t)result < 0)
        return 0;
    switch (call->extent) {
    case FT_KERNEL_RESULT:
        return (result < length ? result : length) * call->unit;
    case FT_KERNEL_LENGTH:
        return length * call->unit;
    case FT_KERNEL_FIXED:
        return call->unit;
    default:
        return 0;
    }
}
