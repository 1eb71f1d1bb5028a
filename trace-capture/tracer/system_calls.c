/*
 * The system calls that the host sees (syscall_routes.c): those that change signal handling or
 * code, those that create a thread, process or image, and those that access FS and GS.
 *
 * In order: how calls are made and answered; signals; memory; FS and GS; threads, processes,
 * images; any of them.
 */
#include "trace-capture/tracer/system_calls.h"

#include <asm/prctl.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "formats/expand/kernel_calls.h"
#include "trace-capture/target/context.h"
#include "trace-capture/target/program_file.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/rseq.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/app_state.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/drain.h"
#include "trace-capture/tracer/kernel_vectors.h"
#include "trace-capture/tracer/log_buffer.h"
#include "trace-capture/tracer/mappings.h"
#include "trace-capture/tracer/release.h"
#include "trace-capture/tracer/signals.h"
#include "trace-capture/translate/cache_state.h"

/* Makes the call in the target with the registers of the stop; the target then stands right after
 * it. */
static int step_call(struct ft_thread *thread, struct user_regs_struct *registers,
                     uint64_t syscall_at, struct ft_diag *diag)
{
    registers->rip = syscall_at;
    FT_TRY(ft_target_set_registers(&thread->target, registers, diag));
    FT_TRY(ft_target_run_call(&thread->target, diag));
    return ft_target_registers(&thread->target, registers, diag);
}

/* Continues after the system call with a result that the host supplies. */
static int answer(struct ft_thread *thread, struct user_regs_struct *registers, uint64_t after,
                  int64_t result, struct ft_diag *diag)
{
    registers->rip = after;
    registers->rax = (unsigned long long)result;
    registers->r11 = registers->eflags;
    return ft_target_set_registers(&thread->target, registers, diag);
}

static int set_action(struct ft_thread *thread, struct user_regs_struct *registers,
                      uint64_t syscall_at, struct ft_diag *diag)
{
    struct ft_kernel_sigaction action;
    int signal = (int)registers->rdi;
    bool ours =
        (signal == SIGTRAP || signal == SIGSEGV) && registers->rsi &&
        ft_target_read(&thread->target, registers->rsi, &action, sizeof action) == sizeof action;
    if (!ours) {
        registers->rip = syscall_at;
        return ft_target_set_registers(&thread->target, registers, diag);
    }
    int status = step_call(thread, registers, syscall_at, diag);
    if (status == FT_OK && registers->rax == 0)
        *(signal == SIGTRAP ? &thread->capture->trap_action : &thread->capture->fault_action) =
            action;
    return status;
}

/* Logs a call that the host made. */
static void log_call(struct ft_thread *thread, const struct user_regs_struct *registers,
                     uint64_t number, uint64_t address, uint64_t length)
{
    struct ft_context *context = ft_region_context(&thread->region);
    uint64_t log_pointer = context->log_pointer;
    ft_log_make_room(thread, &log_pointer, registers);
    ft_log_kernel_call(thread, &log_pointer, number, address, length, registers->rax);
    context->log_pointer = log_pointer;
}

/* Most ranges that are not made executable contain no code. */
static int change_range(struct ft_capture *capture, uint64_t start, uint64_t bytes, bool is_code,
                        bool is_new_mapping, struct ft_diag *diag)
{
    return is_code || ft_mappings_overlap(capture, start, start + bytes)
               ? ft_mappings_changed(capture, start, start + bytes, is_new_mapping, diag)
               : FT_OK;
}

static int change_memory(struct ft_thread *thread, struct user_regs_struct *registers,
                         uint64_t syscall_at, struct ft_diag *diag)
{
    struct ft_capture *capture = thread->capture;
    const uint64_t number = registers->rax, start = registers->rdi, bytes = registers->rsi,
                   new_bytes = registers->rdx, protection = registers->rdx;
    const struct ft_code_mapping *code = ft_mappings_find(capture, start);
    const uint64_t attached = code ? code->end : 0; /* the end of what shmdt takes away */
    int status = step_call(thread, registers, syscall_at, diag);
    if (status == FT_OK && ft_kernel_call_find(number))
        log_call(thread, registers, number, start, number == SYS_mremap ? new_bytes : bytes);
    const uint64_t result = registers->rax;
    if (status < 0 || (int64_t)result < 0)
        return status;
    switch (number) {
    case SYS_munmap:
        ft_drain_add_event(capture->drain,
                           &(struct ft_event){.kind = FT_EVENT_UNMAPPED, .b = start, .c = bytes});
        return change_range(capture, start, bytes, false, true, diag);
    case SYS_mremap:
        if (!ft_mappings_overlap(capture, start, start + bytes) &&
            !ft_mappings_overlap(capture, result, result + new_bytes))
            return FT_OK;
        status = ft_mappings_changed(capture, start, start + bytes, true, diag);
        return status < 0 ? status
                          : ft_mappings_changed(capture, result, result + new_bytes, true, diag);
    case SYS_mmap:
        return change_range(capture, result, bytes, (protection & PROT_EXEC) != 0, true, diag);
    case SYS_shmdt:
        return attached ? ft_mappings_changed(capture, start, attached, true, diag) : FT_OK;
    case SYS_shmat: {
        status = ft_mappings_changed(capture, result, result + 1, true, diag);
        const struct ft_code_mapping *mapping = ft_mappings_find(capture, result);
        return status < 0 || !mapping
                   ? status
                   : ft_mappings_changed(capture, result, mapping->end, true, diag);
    }
    default: /* mprotect, pkey_mprotect */
        return change_range(capture, start, bytes, (protection & PROT_EXEC) != 0, false, diag);
    }
}

static int set_base(struct ft_thread *thread, struct user_regs_struct *registers,
                    uint64_t syscall_at, struct ft_diag *diag)
{
    struct ft_context *context = ft_region_context(&thread->region);
    switch (registers->rdi) {
    case ARCH_SET_GS: /* the register is ours */
        if (registers->rsi >> 47)
            return answer(thread, registers, syscall_at + 2, -EPERM, diag);
        context->program_gs = registers->rsi;
        return answer(thread, registers, syscall_at + 2, 0, diag);
    case ARCH_GET_GS: {
        uint64_t base = context->program_gs;
        bool written = ft_target_write(&thread->target, registers->rsi, &base, sizeof base);
        return answer(thread, registers, syscall_at + 2, written ? 0 : -EFAULT, diag);
    }
    default:
        break;
    }
    uint64_t before = registers->fs_base;
    int status = step_call(thread, registers, syscall_at, diag);
    if (status == FT_OK && registers->fs_base != before) {
        uint64_t log_pointer = context->log_pointer;
        ft_log_escape(thread, &log_pointer, FT_ESCAPE_FS_BASE, registers->fs_base);
        context->log_pointer = log_pointer;
    }
    return status;
}

/* The flags of a call that creates a thread or process. */
static uint64_t clone_flags(const struct ft_thread *thread,
                            const struct user_regs_struct *registers)
{
    uint64_t flags = registers->rdi;
    if (registers->rax == SYS_fork || registers->rax == SYS_vfork)
        return registers->rax == SYS_vfork ? CLONE_VM : 0;
    if (registers->rax == SYS_clone3 && /* they stand first in its structure */
        ft_target_read(&thread->target, registers->rdi, &flags, sizeof flags) != sizeof flags)
        return 0;
    return flags;
}

/* A new thread or process: the call is made in its unit, where the child continues, too. */
static int make_child(struct ft_thread *thread, struct user_regs_struct *registers,
                      uint64_t syscall_at, struct ft_diag *diag)
{
    struct ft_context *context = ft_region_context(&thread->region);
    uint64_t log_pointer = context->log_pointer;
    uint64_t flags = clone_flags(thread, registers);
    if (flags & CLONE_THREAD) /* the first one, too: all until here was before it */
        ft_log_timestamp(thread, &log_pointer);
    else
        ft_log_timestamp_if_threaded(thread, &log_pointer);
    context->log_pointer = log_pointer;
    thread->makes_child = true;
    thread->child_shares_memory = (flags & CLONE_VM) != 0;
    registers->rip = syscall_at;
    return ft_target_set_registers(&thread->target, registers, diag);
}

/* The process becomes another program. If that cannot be traced, the trace ends before the kernel
 * sees the call, because of a traced process it would ignore setuid bits. */
static int replace_program(struct ft_thread *thread, struct user_regs_struct *registers,
                           const struct ft_stop *stop, uint64_t syscall_at, struct ft_diag *diag)
{
    struct ft_diag reason;
    struct ft_app_state state;
    if (ft_program_check_exec(&thread->target, registers, &reason) < 0) {
        ft_app_state_recover_at_stop(thread, registers, stop, &state);
        return ft_thread_release(thread, &state, reason.message, diag);
    }
    registers->rip = syscall_at;
    return ft_target_set_registers(&thread->target, registers, diag);
}

int ft_system_call(struct ft_thread *thread, struct user_regs_struct *registers,
                   const struct ft_stop *stop, struct ft_diag *diag)
{
    uint64_t after = ft_region_context(&thread->region)->syscall_return;
    uint64_t syscall_at = after - 2;
    registers->orig_rax = (unsigned long long)-1;
    switch (registers->rax) {
    case SYS_rseq: /* rseq.h; where other threads have it, a new one may insist on it */
        return answer(thread, registers, after,
                      thread->capture->is_attached ? ft_rseq_note(&thread->target, registers)
                                                   : -ENOSYS,
                      diag);
    case SYS_rt_sigreturn: {
        struct ft_app_state state;
        ft_app_state_recover_at_stop(thread, registers, stop, &state);
        return ft_signals_return(thread, &state, diag);
    }
    case SYS_rt_sigaction:
        return set_action(thread, registers, syscall_at, diag);
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mremap:
    case SYS_mprotect:
    case SYS_pkey_mprotect:
    case SYS_shmat:
    case SYS_shmdt:
        return change_memory(thread, registers, syscall_at, diag);
    case SYS_arch_prctl:
        return set_base(thread, registers, syscall_at, diag);
    case SYS_execve:
    case SYS_execveat:
        return replace_program(thread, registers, stop, syscall_at, diag);
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_clone3:
        return make_child(thread, registers, syscall_at, diag);
    default:
        if (ft_kernel_call_find(registers->rax)) /* with a vector of buffers */
            return ft_kernel_vector_start(thread, registers, diag);
        registers->rip =
            syscall_at; /* the low 16 bits of its number equal those of a call that stops */
        return ft_target_set_registers(&thread->target, registers, diag);
    }
}
