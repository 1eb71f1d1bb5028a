/*
 * A route starts with the program's values in all registers but rcx and r11, which a system call
 * clobbers anyway; syscall_return in the context is where the translation continues after its own
 * syscall instruction.
 *
 *     stop        int3; the host makes the call, or sends the target back to make it
 *     protection  mmap and mprotect: a stop if rdx has PROT_EXEC, or if code may be in the range of
 *                 mprotect, or of mmap with MAP_FIXED, else the call itself
 *     mask        rt_sigprocmask: the call, then a second one that notes the mask it left, so that
 *                 the host can restore it: a forced SIGTRAP or SIGSEGV unblocks itself
 *     timestamp   the call between two timestamps in the log, whose pointer is in rcx meanwhile
 *     logged      number, address and length are noted in the context, then the call; then they and
 *                 the result go into the log as an escape. One way in for each pair of registers
 *                 that hold address and length
 *     vector      the call and a stop behind it, where the host logs each buffer; it comes here
 * from a stop before the call, where it read the vector
 *
 * In order: helpers; the routes; the table of classes; all of it.
 */
#include "trace-capture/translate/syscall_routes.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "formats/expand/kernel_calls.h"
#include "trace-capture/target/context.h"
#include "trace-capture/translate/cache_state.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/code_zones.h"
#include "trace-capture/translate/emit_x86_64.h"
#include "trace-capture/translate/translation.h"

static const uint8_t syscall_code[] = {0x0f, 0x05};

static const uint16_t stopping[] = {
    SYS_rt_sigreturn, SYS_rt_sigaction, SYS_clone,    SYS_clone3,        SYS_fork,
    SYS_vfork,        SYS_execve,       SYS_execveat, SYS_munmap,        SYS_mremap,
    SYS_arch_prctl,   SYS_rseq,         SYS_shmat,    SYS_pkey_mprotect, SYS_shmdt};

static void jump_to_return(struct ft_emitter *emitter)
{
    static const uint8_t jump[] = {0x65, 0xff, 0x24, 0x25}; /* jmp gs:[disp32] */
    ft_emit_bytes(emitter, jump, sizeof jump);
    ft_emit_u32(emitter, FT_CONTEXT(syscall_return));
}

/* Jumps to an address unless rcx is 0. */
static void jump_unless_zero(struct ft_emitter *emitter, uint64_t to)
{
    static const uint8_t if_zero[] = {0xe3, 5}; /* jrcxz over the jump */
    ft_emit_bytes(emitter, if_zero, sizeof if_zero);
    ft_emit_jump(emitter, to);
}

/* rcx = table[rcx]. */
static void load_class(struct ft_emitter *emitter, uint32_t table)
{
    static const uint8_t class[] = {0x65, 0x0f, 0xb6, 0x89}; /* movzx ecx, gs:[rcx+disp32] */
    ft_emit_bytes(emitter, class, sizeof class);
    ft_emit_u32(emitter, table);
}

/* Stops if there may be code in [rdi, rdi + rsi), or if that has 64 KiB or more; else falls through
 * to the call. */
static void emit_range(struct ft_emitter *emitter, uint64_t stop)
{
    static const uint8_t long_length[] = {0x65, 0x8b, 0x0c, 0x25};   /* mov ecx, gs:[disp32] */
    static const uint8_t granule[] = {0x65, 0x0f, 0xb7, 0x0c, 0x25}; /* movzx ecx, word gs:[] */
    static const uint8_t end[] = {0x48, 0x8d, 0x0c, 0x37};           /* lea rcx, [rdi+rsi] */
    const uint32_t above = FT_CODE_GRANULE_SHIFT / 8;
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rsi), FT_RSI);
    ft_emit_bytes(emitter, long_length, sizeof long_length);
    ft_emit_u32(emitter, FT_CONTEXT(spill_rsi) + above);
    jump_unless_zero(emitter, stop);
    for (unsigned i = 0; i < 2; i++) {
        if (i == 1)
            ft_emit_bytes(emitter, end, sizeof end);
        ft_emit_store_gs(emitter, FT_CONTEXT(spill_rdi), i == 0 ? FT_RDI : FT_RCX);
        ft_emit_bytes(emitter, granule, sizeof granule);
        ft_emit_u32(emitter, FT_CONTEXT(spill_rdi) + above);
        load_class(emitter, FT_CODE_GRANULES);
        jump_unless_zero(emitter, stop);
    }
}

/* An mmap that is not of code continues to `logged`, mprotect makes its call here. */
static uint64_t emit_protection(struct ft_emitter *emitter, uint64_t stop, uint64_t logged)
{
    static const uint8_t protection[] = {0x0f, 0xb6, 0xca};  /* movzx ecx, dl */
    static const uint8_t flags[] = {0x41, 0x0f, 0xb6, 0xca}; /* movzx ecx, r10b */
    uint64_t start = emitter->address;
    ft_emit_bytes(emitter, protection, sizeof protection);
    load_class(emitter, FT_PROTECTION_CLASSES);
    jump_unless_zero(emitter, stop);
    if (logged) {
        static const uint8_t if_free[] = {0xe3, 0}; /* jrcxz over the range */
        ft_emit_bytes(emitter, flags, sizeof flags);
        load_class(emitter, FT_FIXED_CLASSES);
        ft_emit_bytes(emitter, if_free, sizeof if_free);
        uint8_t *free_at = emitter->at - 1;
        emit_range(emitter, stop);
        if (!emitter->overflow)
            *free_at = (uint8_t)(emitter->at - (free_at + 1));
        ft_emit_jump(emitter, logged);
        return start;
    }
    emit_range(emitter, stop);
    ft_emit_bytes(emitter, syscall_code, sizeof syscall_code);
    jump_to_return(emitter);
    return start;
}

static uint64_t emit_mask(struct ft_emitter *emitter)
{
    static const struct {
        unsigned number;
        uint32_t offset;
    } saved[] = {{FT_RAX, FT_CONTEXT(spill_rax)},
                 {FT_RDI, FT_CONTEXT(spill_rdi)},
                 {FT_RSI, FT_CONTEXT(spill_rsi)},
                 {FT_RDX, FT_CONTEXT(spill_rdx)},
                 {FT_R10, FT_CONTEXT(spill_r10)}};
    uint64_t start = emitter->address;
    ft_emit_bytes(emitter, syscall_code, sizeof syscall_code);
    for (size_t i = 0; i < sizeof saved / sizeof *saved; i++)
        ft_emit_store_gs(emitter, saved[i].offset, saved[i].number);
    ft_emit_mov_imm32(emitter, FT_RAX, SYS_rt_sigprocmask);
    ft_emit_mov_imm32(emitter, FT_RDI, 0);
    ft_emit_mov_imm32(emitter, FT_RSI, 0);
    ft_emit_load_gs(emitter, FT_RDX, FT_CONTEXT(address));
    ft_emit_lea(emitter, FT_RDX, FT_RDX, FT_CONTEXT(signal_mask));
    ft_emit_mov_imm32(emitter, FT_R10, 8);
    ft_emit_bytes(emitter, syscall_code, sizeof syscall_code);
    for (size_t i = 0; i < sizeof saved / sizeof *saved; i++)
        ft_emit_load_gs(emitter, saved[i].number, saved[i].offset);
    jump_to_return(emitter);
    return start;
}

/* An escape with the timestamp counter: log.h. */
static void emit_timestamp(struct ft_emitter *emitter)
{
    static const uint8_t read_counter[] = {0x0f, 0x31};
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rax), FT_RAX);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rdx), FT_RDX);
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(log_pointer));
    ft_emit_store_imm32(emitter, FT_RCX, 0, 0);
    ft_emit_store_imm32(emitter, FT_RCX, 4, FT_ESCAPE_TIMESTAMP);
    ft_emit_bytes(emitter, read_counter, sizeof read_counter);
    ft_emit_store(emitter, FT_RCX, 8, FT_RAX, 4);
    ft_emit_store(emitter, FT_RCX, 12, FT_RDX, 4);
    ft_emit_lea(emitter, FT_RCX, FT_RCX, 16);
    ft_emit_store_gs(emitter, FT_CONTEXT(log_pointer), FT_RCX);
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    ft_emit_load_gs(emitter, FT_RDX, FT_CONTEXT(spill_rdx));
}

static void emit_timestamped(struct ft_emitter *emitter, struct ft_syscall_routes *routes)
{
    routes->timestamp = emitter->address;
    emit_timestamp(emitter);
    routes->timestamp_call = emitter->address;
    ft_emit_bytes(emitter, syscall_code, sizeof syscall_code);
    emit_timestamp(emitter);
    jump_to_return(emitter);
    routes->timestamp_end = emitter->address;
}

/* The call, and its escape: log.h. rax is free while the result is in the log and in the context.
 */
static void emit_logged(struct ft_emitter *emitter, struct ft_syscall_routes *routes)
{
    static const uint32_t fields[] = {FT_CONTEXT(call_number), FT_CONTEXT(call_address),
                                      FT_CONTEXT(call_length)};
    routes->logged_call = emitter->address;
    ft_emit_bytes(emitter, syscall_code, sizeof syscall_code);
    ft_emit_load_gs(emitter, FT_RCX, FT_CONTEXT(log_pointer));
    ft_emit_store_imm32(emitter, FT_RCX, 0, 0);
    ft_emit_store_imm32(emitter, FT_RCX, 4, FT_ESCAPE_KERNEL);
    ft_emit_store(emitter, FT_RCX, 32, FT_RAX, 8);
    ft_emit_store_gs(emitter, FT_CONTEXT(spill_rax), FT_RAX);
    for (int i = 0; i < 3; i++) {
        ft_emit_load_gs(emitter, FT_RAX, fields[i]);
        ft_emit_store(emitter, FT_RCX, 8 + 8 * i, FT_RAX, 8);
    }
    ft_emit_load_gs(emitter, FT_RAX, FT_CONTEXT(spill_rax));
    ft_emit_lea(emitter, FT_RCX, FT_RCX, 40);
    ft_emit_store_gs(emitter, FT_CONTEXT(log_pointer), FT_RCX);
    jump_to_return(emitter);
    routes->logged_end = emitter->address;
}

/* Returns the address of the stop. */
static uint64_t emit_vector(struct ft_emitter *emitter, struct ft_syscall_routes *routes)
{
    routes->vector_call = emitter->address;
    ft_emit_bytes(emitter, syscall_code, sizeof syscall_code);
    ft_emit_u8(emitter, 0xcc);
    ft_emit_u8(emitter, 0xcc); /* behind a stop's int3 nothing else starts */
    return routes->vector_call + sizeof syscall_code;
}

/* The class of a call that is logged: one with a vector stops. */
static unsigned logged_class(const struct ft_kernel_call *call)
{
    return call->address ? FT_SYSCALL_LOGGED + 8U * call->address + call->length : FT_SYSCALL_STOP;
}

/* The entry for calls that have a buffer's address and length in these arguments; length 0:
 * none. */
static uint64_t emit_logged_entry(struct ft_emitter *emitter, unsigned address, unsigned length,
                                  const struct ft_syscall_routes *routes)
{
    static const uint8_t arguments[] = {FT_RAX, FT_RDI, FT_RSI, FT_RDX, FT_R10, FT_R8, FT_R9};
    uint64_t start = emitter->address;
    ft_emit_store_gs(emitter, FT_CONTEXT(call_number), FT_RAX);
    ft_emit_store_gs(emitter, FT_CONTEXT(call_address), arguments[address]);
    if (length == 0)
        ft_emit_mov_imm32(emitter, FT_RCX, 0);
    ft_emit_store_gs(emitter, FT_CONTEXT(call_length), length ? arguments[length] : FT_RCX);
    ft_emit_jump(emitter, routes->logged_call);
    return start;
}

/* Fills the table of classes, and emits the entries of `logged`. */
static void emit_classes(struct ft_code_cache *cache, struct ft_emitter *emitter,
                         uint64_t routes[FT_SYSCALL_CLASS_COUNT])
{
    uint8_t *classes = cache->tables.host + FT_SYSCALL_CLASSES;
    memset(classes, FT_SYSCALL_NATIVE, 0x10000);
    for (size_t i = 0; i < ft_kernel_call_count(); i++) {
        const struct ft_kernel_call *call = ft_kernel_call_at(i);
        unsigned class = logged_class(call);
        classes[call->number] = (uint8_t) class;
        if (!routes[class])
            routes[class] = emit_logged_entry(emitter, call->address, call->length, &cache->routes);
    }
    routes[FT_SYSCALL_MAPPING] =
        emit_protection(emitter, routes[FT_SYSCALL_STOP], routes[classes[SYS_mmap]]);
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        classes[stopping[i]] = FT_SYSCALL_STOP;
    classes[SYS_mmap] = FT_SYSCALL_MAPPING;
    classes[SYS_mprotect] = FT_SYSCALL_PROTECTION;
    classes[SYS_rt_sigprocmask] = FT_SYSCALL_MASK;
    for (unsigned i = 0; i < 256; i++) {
        cache->tables.host[FT_PROTECTION_CLASSES + i] = (i & PROT_EXEC) != 0;
        cache->tables.host[FT_FIXED_CLASSES + i] = (i & MAP_FIXED) != 0;
    }
}

int ft_syscall_routes_emit(struct ft_code_cache *cache, struct ft_diag *diag)
{
    struct ft_zone *zone = cache->zones[0];
    struct ft_emitter emitter = ft_zone_emitter(zone);
    uint64_t routes[FT_SYSCALL_CLASS_COUNT] = {0};
    routes[FT_SYSCALL_STOP] = emitter.address;
    ft_emit_u8(&emitter, 0xcc);
    ft_emit_u8(&emitter, 0xcc); /* behind a stop's int3 nothing else starts */
    routes[FT_SYSCALL_PROTECTION] = emit_protection(&emitter, routes[FT_SYSCALL_STOP], 0);
    routes[FT_SYSCALL_MASK] = emit_mask(&emitter);
    cache->routes = (struct ft_syscall_routes){.stop = routes[FT_SYSCALL_STOP],
                                               .mask = routes[FT_SYSCALL_MASK]};
    emit_timestamped(&emitter, &cache->routes);
    routes[FT_SYSCALL_TIMESTAMP] = cache->routes.timestamp;
    emit_logged(&emitter, &cache->routes);
    uint64_t behind_vector = emit_vector(&emitter, &cache->routes);
    emit_classes(cache, &emitter, routes);
    ft_zone_commit(zone, &emitter);
    memcpy(cache->tables.host + FT_SYSCALL_ROUTES, routes, sizeof routes);
    const struct ft_stop stops[] = {{.address = routes[FT_SYSCALL_STOP], .kind = FT_STOP_SYSCALL},
                                    {.address = behind_vector, .kind = FT_STOP_VECTOR}};
    int status = ft_code_cache_add_stop(cache, &stops[0], diag);
    return status < 0 ? status : ft_code_cache_add_stop(cache, &stops[1], diag);
}

void ft_syscall_routes_timestamp(struct ft_code_cache *cache)
{
    static const uint16_t waiting[] = {SYS_futex, SYS_futex_waitv};
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++)
        cache->tables.host[FT_SYSCALL_CLASSES + waiting[i]] = FT_SYSCALL_TIMESTAMP;
}
