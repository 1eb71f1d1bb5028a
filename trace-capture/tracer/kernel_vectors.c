/*
 * readv, sendmsg, recvmmsg and others. The kernel reads the vector when it is called, and the call
 * may overwrite it. So the thread stops before the call, where the vector is read, and again after
 * it (syscall_routes.c), where each buffer is logged with the bytes that the kernel transferred.
 * These stops are the price of exactness; calls with one buffer have none.
 */
#include "trace-capture/tracer/kernel_vectors.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "formats/base/array.h"
#include "trace-capture/target/context.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/log_buffer.h"

#define ENTRIES_MAX 1024U /* as in the kernel: UIO_MAXIOV */

void ft_kernel_vector_fini(struct ft_kernel_vector *vector)
{
    free(vector->segments);
    *vector = (struct ft_kernel_vector){0};
}

static int read_entries(struct ft_thread *thread, uint64_t address, uint64_t count,
                        uint32_t message, struct ft_diag *diag)
{
    struct ft_kernel_vector *vector = &thread->vector;
    struct iovec entries[ENTRIES_MAX];
    if (count > ENTRIES_MAX) /* the kernel refuses it */
        return FT_OK;
    size_t bytes = ft_target_read(&thread->target, address, entries, count * sizeof *entries);
    size_t read = bytes / sizeof *entries;
    if (!FT_RESERVE(vector->segments, vector->capacity, vector->count + read))
        return ft_fail_memory(diag, "a vector of buffers");
    for (size_t i = 0; i < read; i++)
        vector->segments[vector->count++] = (struct ft_kernel_segment){
            (uint64_t)(uintptr_t)entries[i].iov_base, entries[i].iov_len, message};
    return FT_OK;
}

static int read_messages(struct ft_thread *thread, uint64_t address, uint64_t count, size_t stride,
                         struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint32_t i = 0; i < count && i < ENTRIES_MAX && status == FT_OK; i++) {
        struct msghdr header;
        if (ft_target_read(&thread->target, address + i * stride, &header, sizeof header) !=
            sizeof header)
            break;
        status =
            read_entries(thread, (uint64_t)(uintptr_t)header.msg_iov, header.msg_iovlen, i, diag);
    }
    return status;
}

int ft_kernel_vector_start(struct ft_thread *thread, struct user_regs_struct *registers,
                           struct ft_diag *diag)
{
    struct ft_kernel_vector *vector = &thread->vector;
    uint64_t address = registers->rsi, count = registers->rdx;
    int status;
    vector->count = 0;
    vector->messages = 0;
    vector->number = registers->rax;
    vector->is_open = true;
    switch (registers->rax) {
    case SYS_sendmsg:
    case SYS_recvmsg:
        status = read_messages(thread, address, 1, sizeof(struct msghdr), diag);
        break;
    case SYS_sendmmsg:
    case SYS_recvmmsg:
        vector->messages = address;
        status = read_messages(thread, address, (uint32_t)count, sizeof(struct mmsghdr), diag);
        break;
    default:
        status = read_entries(thread, address, count, 0, diag);
        break;
    }
    registers->rip = thread->capture->cache.routes.vector_call;
    return status < 0 ? status : ft_target_set_registers(&thread->target, registers, diag);
}

/* How many bytes the kernel transferred in a message; without messages, all of them. */
static uint64_t bytes_of(const struct ft_thread *thread, uint32_t message, int64_t result)
{
    struct mmsghdr header;
    uint64_t address = thread->vector.messages + message * sizeof header;
    if (!thread->vector.messages)
        return (uint64_t)result;
    if (message >= result ||
        ft_target_read(&thread->target, address, &header, sizeof header) != sizeof header)
        return 0;
    return header.msg_len;
}

void ft_kernel_vector_log(struct ft_thread *thread, const struct user_regs_struct *registers)
{
    struct ft_context *context = ft_region_context(&thread->region);
    struct ft_kernel_vector *vector = &thread->vector;
    int64_t result = (int64_t)registers->rax;
    uint64_t log_pointer = context->log_pointer, left = 0;
    bool any = false;
    if (!vector->is_open)
        return;
    for (size_t i = 0; i < vector->count && result > 0; i++) {
        const struct ft_kernel_segment *segment = &vector->segments[i];
        if (i == 0 || segment->message != segment[-1].message)
            left = bytes_of(thread, segment->message, result);
        uint64_t moved = left < segment->length ? left : segment->length;
        left -= moved;
        if (moved == 0)
            continue;
        ft_log_make_room(thread, &log_pointer, registers);
        ft_log_kernel_call(thread, &log_pointer, vector->number, segment->address, segment->length,
                           moved);
        any = true;
    }
    if (!any) { /* the call alone */
        ft_log_make_room(thread, &log_pointer, registers);
        ft_log_kernel_call(thread, &log_pointer, vector->number, 0, 0, registers->rax);
    }
    vector->is_open = false;
    context->log_pointer = log_pointer;
}

int ft_kernel_vector_end(struct ft_thread *thread, struct user_regs_struct *registers,
                         struct ft_diag *diag)
{
    ft_kernel_vector_log(thread, registers);
    registers->rip = ft_region_context(&thread->region)->syscall_return;
    return ft_target_set_registers(&thread->target, registers, diag);
}
