/*
 * Vectors come as the processor's xsave area in standard form: xmm0-15 in the legacy part, the
 * upper halves, the upper 16 registers and the masks in components 2, 6, 7 and 5, whose places
 * CPUID leaf 0xD tells (Intel SDM volume 1, 13.5).
 */
#include "tests/oracle/machine_state.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

enum component { YMM_HIGH = 2, MASKS = 5, ZMM_HIGH = 6, ZMM_UPPER = 7 };

#define AREA_BYTES_MAX 16384

/* The component in the area, or NULL where this processor has none. */
static const uint8_t *find_component(const uint8_t *area, size_t area_bytes,
                                     enum component component)
{
    unsigned size, offset, ecx, edx;

    if (!__get_cpuid_count(0xd, component, &size, &offset, &ecx, &edx) || size == 0 ||
        (size_t)offset + size > area_bytes)
        return NULL;
    return area + offset;
}

int ft_vector_state_fetch(pid_t thread, struct ft_vector_state *ret_state, struct ft_diag *diag)
{
    uint8_t area[AREA_BYTES_MAX];
    struct iovec io = {area, sizeof area};

    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_X86_XSTATE, &io) != 0)
        return ft_fail(diag, FT_ERROR_IO, "cannot read vector registers: %s", strerror(errno));
    const uint8_t *ymm_high = find_component(area, io.iov_len, YMM_HIGH);
    const uint8_t *zmm_high = find_component(area, io.iov_len, ZMM_HIGH);
    const uint8_t *zmm_upper = find_component(area, io.iov_len, ZMM_UPPER);
    const uint8_t *masks = find_component(area, io.iov_len, MASKS);
    memset(ret_state, 0, sizeof *ret_state);
    for (unsigned i = 0; i < 16; i++) {
        memcpy(ret_state->vectors[i], area + 160 + 16 * i, 16);
        if (ymm_high)
            memcpy(ret_state->vectors[i] + 16, ymm_high + 16 * i, 16);
        if (zmm_high)
            memcpy(ret_state->vectors[i] + 32, zmm_high + 32 * i, 32);
        if (zmm_upper)
            memcpy(ret_state->vectors[16 + i], zmm_upper + 64 * i, 64);
    }
    if (masks)
        memcpy(ret_state->masks, masks, sizeof ret_state->masks);
    return FT_OK;
}

bool ft_needs_vectors(const struct ft_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->access_count; i++)
        switch (instruction->accesses[i].mode) {
        case FT_ACCESS_MASKED:
        case FT_ACCESS_PACKED:
        case FT_ACCESS_GATHER:
            return true;
        default:
            break;
        }
    return false;
}

static void copy_registers(const struct user_regs_struct *from, uint64_t to[FT_REGISTER_COUNT])
{
    const uint64_t values[FT_REGISTER_COUNT] = {
        from->rax, from->rcx, from->rdx, from->rbx, from->rsp,     from->rbp,
        from->rsi, from->rdi, from->r8,  from->r9,  from->r10,     from->r11,
        from->r12, from->r13, from->r14, from->r15, from->fs_base, from->gs_base};
    memcpy(to, values, sizeof values);
}

/* Bit i: lane i of the access is active. */
static uint64_t active_lanes(const struct ft_access *access, const struct ft_vector_state *vectors)
{
    uint64_t all = access->lanes < 64 ? (UINT64_C(1) << access->lanes) - 1 : UINT64_MAX;
    uint64_t active = 0;

    if (access->mask_register == 0xff)
        return all;
    if (access->mask_is_k)
        return vectors->masks[access->mask_register] & all;
    for (unsigned lane = 0; lane < access->lanes; lane++) {
        unsigned sign_byte = (lane + 1) * access->size_bytes - 1;
        if (vectors->vectors[access->mask_register][sign_byte] & 0x80)
            active |= UINT64_C(1) << lane;
    }
    return active;
}

static uint64_t gather_address(const struct ft_access *access, const uint64_t *registers,
                               const struct ft_vector_state *vectors, unsigned lane)
{
    struct ft_access element = *access;
    const uint8_t *index = vectors->vectors[access->vector_index] + lane * access->index_bytes;
    int64_t value;

    if (access->index_bytes == 4) {
        int32_t narrow;
        memcpy(&narrow, index, 4);
        value = narrow;
    } else {
        memcpy(&value, index, 8);
    }
    element.mode = FT_ACCESS_PLAIN;
    element.displacement =
        (int64_t)((uint64_t)access->displacement + (uint64_t)value * access->scale);
    return ft_access_address(&element, registers);
}

/* Elements of memory that a masked access touches, as a bit mask. */
static uint64_t touched_elements(const struct ft_access *access, uint64_t active)
{
    uint64_t touched = 0;

    if (access->mode == FT_ACCESS_PACKED) {
        unsigned count = (unsigned)__builtin_popcountll(active);
        return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    }
    for (unsigned lane = 0; lane < access->lanes; lane++)
        if (active >> lane & 1)
            touched |= UINT64_C(1) << (lane % access->elements);
    return touched;
}

size_t ft_list_accesses(const struct ft_instruction *instruction,
                        const struct user_regs_struct *user_registers,
                        const struct ft_vector_state *vectors,
                        struct ft_stream_access ret_accesses[FT_ACCESSES_A_STEP_MAX])
{
    uint64_t registers[FT_REGISTER_COUNT];
    size_t count = 0;

    copy_registers(user_registers, registers);
    for (unsigned i = 0; i < instruction->access_count; i++) {
        const struct ft_access *access = &instruction->accesses[i];
        struct ft_stream_access one = {
            .pc = instruction->pc, .size_bytes = access->size_bytes, .kind = access->kind};
        uint64_t elements = 1;

        if (access->mode == FT_ACCESS_GATHER)
            elements = active_lanes(access, vectors);
        else if (access->mode == FT_ACCESS_MASKED || access->mode == FT_ACCESS_PACKED)
            elements = touched_elements(access, active_lanes(access, vectors));
        for (unsigned element = 0; elements >> element; element++) {
            if (!(elements >> element & 1))
                continue;
            one.address =
                access->mode == FT_ACCESS_GATHER
                    ? gather_address(access, registers, vectors, element)
                    : ft_access_address(access, registers) + (uint64_t)element * access->size_bytes;
            ret_accesses[count++] = one;
            if (element == 63)
                break;
        }
    }
    return count;
}
