#include "trace-capture/tracer/thread_count.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "trace-capture/target/context.h"
#include "trace-capture/target/region.h"
#include "trace-capture/target/target.h"
#include "trace-capture/tracer/capture_state.h"
#include "trace-capture/tracer/registers.h"
#include "trace-capture/translate/code_cache.h"
#include "trace-capture/translate/translation.h"

/* The area is large enough for stops to cost no more than a few percent; a piece is small enough to
 * stay in the second level cache. */
#define PIECE_BYTES (UINT64_C(128) << 10)
#define PIECES      64U
#define AREA_BYTES  (PIECES * PIECE_BYTES)
#define GUARD_BYTES (UINT64_C(64) << 10) /* more than any unit's instructions */

/* Address space for all of it; the first thread's next to its region, which leaves the program's
 * layout alone. */
static int reserve(struct ft_thread *thread, uint64_t *ret_address, struct ft_diag *diag)
{
    const uint64_t bytes = PIECE_BYTES + AREA_BYTES + GUARD_BYTES;
    uint64_t wanted = thread->number == 0 ? thread->region.address - bytes : 0;
    int64_t address = -1;
    int status = FT_OK;
    for (unsigned trial = 0; trial < 2 && address < 0 && status == FT_OK; trial++) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                    (wanted && trial == 0 ? MAP_FIXED_NOREPLACE : 0);
        status = ft_target_syscall(&thread->target, 0, SYS_mmap,
                                   (uint64_t[6]){trial == 0 ? wanted : 0, bytes, PROT_NONE,
                                                 (uint64_t)flags, (uint64_t)-1, 0},
                                   &address, diag);
    }
    if (status == FT_OK && address < 0)
        status =
            ft_fail(diag, FT_ERROR_MEMORY, "counting instructions: %s", strerror((int)-address));
    *ret_address = (uint64_t)address;
    return status;
}

/* Makes a system call in the target that must succeed. */
static int call(struct ft_thread *thread, long number, const uint64_t arguments[6],
                struct ft_diag *diag)
{
    int64_t result = 0;
    int status = ft_target_syscall(&thread->target, 0, number, arguments, &result, diag);
    if (status == FT_OK && result < 0)
        status =
            ft_fail(diag, FT_ERROR_MEMORY, "counting instructions: %s", strerror((int)-result));
    return status;
}

int ft_count_prepare(struct ft_thread *thread, struct ft_diag *diag)
{
    uint64_t base = 0, piece = 0;
    uint8_t *host = NULL;
    if (thread->count.limit)
        return FT_OK;
    int status = reserve(thread, &base, diag);
    bool is_alone = thread->number == 0; /* no other thread can take the gap */
    if (status == FT_OK && is_alone)
        status = call(thread, SYS_munmap, (uint64_t[6]){base, PIECE_BYTES}, diag);
    if (status == FT_OK)
        status = ft_memory_share(&thread->target, is_alone ? base : 0, PIECE_BYTES,
                                 PROT_READ | PROT_WRITE, &piece, &host, diag);
    if (status < 0)
        return status;
    munmap(host, PIECE_BYTES);
    uint64_t area = base + PIECE_BYTES;
    for (unsigned i = 0; i < PIECES && status == FT_OK; i++)
        /* of shared memory, an old size of 0 makes a second mapping */
        status = call(thread, SYS_mremap,
                      (uint64_t[6]){piece, 0, PIECE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
                                    area + i * PIECE_BYTES},
                      diag);
    if (status == FT_OK) /* as all memory of ours */
        status = call(thread, SYS_madvise,
                      (uint64_t[6]){area, AREA_BYTES + GUARD_BYTES, MADV_DONTFORK}, diag);
    if (status == FT_OK)
        thread->count.limit = area + AREA_BYTES;
    return status;
}

/* Makes the area end at the target, or use it whole. */
static void set_pointer(struct ft_thread *thread)
{
    struct ft_instruction_count *count = &thread->count;
    uint64_t left = count->target - count->counted;
    count->start = count->limit - (left < AREA_BYTES ? left : AREA_BYTES);
    ft_region_context(&thread->region)->count_pointer = count->start;
}

void ft_count_begin(struct ft_thread *thread, uint64_t target)
{
    if (!thread->count.limit)
        return;
    thread->count.counted = 0;
    thread->count.target = target;
    set_pointer(thread);
}

uint64_t ft_count_value(const struct ft_thread *thread)
{
    return thread->count.counted + ft_region_context(&thread->region)->count_pointer -
           thread->count.start;
}

bool ft_count_holds(const struct ft_thread *thread, uint64_t address)
{
    const struct ft_instruction_count *count = &thread->count;
    return count->limit && address - count->start < count->limit + GUARD_BYTES - count->start;
}

void ft_count_add(struct ft_thread *thread, uint64_t instructions)
{
    ft_region_context(&thread->region)->count_pointer += instructions;
}

void ft_count_undo(struct ft_thread *thread, uint64_t instructions)
{
    ft_region_context(&thread->region)->count_pointer -= instructions;
}

static unsigned long long *count_register(const struct ft_translation *translation,
                                          struct user_regs_struct *registers)
{
    return ft_register_of(registers, translation->count_register);
}

bool ft_count_is_stop(const struct ft_thread *thread, const struct user_regs_struct *registers)
{
    struct user_regs_struct copy = *registers;
    const struct ft_translation *translation =
        thread->count.limit ? ft_code_cache_at(&thread->capture->cache, registers->rip) : NULL;
    return translation && translation->count_at == registers->rip &&
           *count_register(translation, &copy) - thread->count.limit < GUARD_BYTES;
}

bool ft_count_at_stop(struct ft_thread *thread, struct user_regs_struct *registers)
{
    struct ft_instruction_count *count = &thread->count;
    struct ft_context *context = ft_region_context(&thread->region);
    const struct ft_translation *translation =
        ft_code_cache_at(&thread->capture->cache, registers->rip);
    bool in_register = translation->counts_in_pointer;
    unsigned long long *pointer = count_register(translation, registers);
    if (in_register)
        context->count_pointer = *pointer;
    else
        *pointer = context->spill_scratch;
    registers->rip =
        translation->unit.kind == FT_UNIT_LOOP ? translation->head : translation->start;
    count->counted = ft_count_value(thread);
    count->start = context->count_pointer;
    if (count->counted >= count->target)
        return true;
    set_pointer(thread);
    if (in_register)
        *pointer = context->count_pointer;
    return false;
}
