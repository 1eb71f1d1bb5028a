/*
 * Decoded accesses against the processor itself: every instruction of libc, and everything that
 * can be encoded with a memory operand, is placed so that its accesses end just before, at or
 * beyond a page that must not be touched, and on a page that must not be written. The processor
 * must fault exactly where the decoded accesses say so: this checks addresses, sizes, loads and
 * stores, masks, gathers, compressed and broadcast operands at once. Left out: FS, RIP and 32-bit
 * addresses.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/oracle/processor.h"
#include "tests/support/tap.h"

#define PLACE_BYTES ((size_t)1 << 17) /* of memory before the page that must not be touched */
#define GUARD_BYTES ((size_t)1 << 17)

struct places {
    uint8_t *writable_end; /* PLACE_BYTES before it may be used, GUARD_BYTES after it may not */
    uint8_t *readable_end; /* likewise, for loads only */
    uint64_t instructions, runs, wrong;
};

static uint8_t *map_place(int protection)
{
    uint8_t *guard = mmap(NULL, PLACE_BYTES + 2 * GUARD_BYTES, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (guard == MAP_FAILED || mprotect(guard + GUARD_BYTES, PLACE_BYTES, protection) != 0)
        return NULL;
    return guard + GUARD_BYTES + PLACE_BYTES;
}

/* The accesses of the instruction in this state. */
static size_t predict(const struct ft_instruction *instruction,
                      const struct ft_processor_state *state, struct ft_stream_access *accesses)
{
    const uint64_t *r = state->registers;
    struct user_regs_struct registers = {.rax = r[0],
                                         .rcx = r[1],
                                         .rdx = r[2],
                                         .rbx = r[3],
                                         .rbp = r[5],
                                         .rsi = r[6],
                                         .rdi = r[7],
                                         .r8 = r[8],
                                         .r9 = r[9],
                                         .r10 = r[10],
                                         .r11 = r[11],
                                         .r12 = r[12],
                                         .r13 = r[13],
                                         .r14 = r[14],
                                         .r15 = r[15]};
    struct ft_vector_state vectors;

    memcpy(vectors.vectors, state->vectors, sizeof vectors.vectors);
    memcpy(vectors.masks, state->masks, sizeof vectors.masks);
    return ft_list_accesses(instruction, &registers, &vectors, accesses);
}

static bool can_be_placed(const struct ft_form *form)
{
    const struct ft_instruction *instruction = &form->instruction;

    for (unsigned i = 0; i < instruction->access_count; i++) {
        const struct ft_access *access = &instruction->accesses[i];
        if (access->fs || access->address_is_32_bit || access->base == FT_NO_REGISTER ||
            access->base != instruction->accesses[0].base || access->base == access->index ||
            access->base == access->bit_offset)
            return false;
    }
    if (form->decoded.mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
        form->decoded.mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU)
        return false; /* may fault for bytes that it does not write */
    return instruction->access_count > 0;
}

enum outcome { AS_PREDICTED, OTHERWISE, CANNOT_TELL };

/* Runs the instruction with its highest access ending `beyond` bytes after the place. */
static enum outcome try_place(const struct ft_form *form, const uint8_t *end, bool read_only,
                              int64_t beyond)
{
    struct ft_stream_access accesses[FT_ACCESSES_A_STEP_MAX];
    struct ft_processor_state state;
    struct ft_processor_result result;
    uint64_t *base = &state.registers[form->instruction.accesses[0].base];
    uint64_t limit = (uint64_t)(uintptr_t)end, highest = 0;
    bool predicted = false;

    ft_processor_randomise(&state);
    *base = limit - PLACE_BYTES / 2;
    size_t count = predict(&form->instruction, &state, accesses);
    for (size_t i = 0; i < count; i++)
        if (accesses[i].address + accesses[i].size_bytes > highest)
            highest = accesses[i].address + accesses[i].size_bytes;
    if (count)
        *base += limit + (uint64_t)beyond - highest;
    count = predict(&form->instruction, &state, accesses);
    for (size_t i = 0; i < count; i++) {
        bool stores = accesses[i].kind == FT_STORE || accesses[i].kind == FT_STORE_NONTEMPORAL;
        if (accesses[i].kind != FT_PREFETCH)
            predicted |=
                accesses[i].address + accesses[i].size_bytes > limit || (stores && read_only);
    }
    ft_processor_run(form->code, form->instruction.length, &state, &result);
    /* other faults (alignment, division, unknown instruction) tell nothing of the place */
    if (result.signal && !(result.signal == SIGSEGV && result.code != SI_KERNEL))
        return CANNOT_TELL;
    return predicted == (result.signal != 0) ? AS_PREDICTED : OTHERWISE;
}

static void check_form(void *context, const struct ft_form *form)
{
    const int64_t beyond[] = {0, 1, 4, 8, 16, 33, 64, 1000};
    struct places *places = context;
    bool any = false;

    if (!can_be_placed(form))
        return;
    for (unsigned i = 0; i < 2 * sizeof beyond / sizeof *beyond; i++) {
        bool read_only = i & 1;
        const uint8_t *end = read_only ? places->readable_end : places->writable_end;
        enum outcome outcome = try_place(form, end, read_only, beyond[i / 2]);
        places->runs += outcome != CANNOT_TELL;
        any |= outcome != CANNOT_TELL;
        if (outcome == OTHERWISE && places->wrong++ < 20)
            ft_print_form(form, read_only ? "wrong on a read-only page" : "wrong");
    }
    places->instructions += any;
}

int main(void)
{
    struct places places = {.writable_end = map_place(PROT_READ | PROT_WRITE),
                            .readable_end = map_place(PROT_READ)};

    if (!ft_processor_open()) {
        printf("1..0 # SKIP needs a processor with AVX2\n");
        return 0;
    }
    if (!tap_ok(places.writable_end && places.readable_end, "memory is mapped"))
        return tap_plan_done();
    ft_decode_for_processor(__builtin_cpu_is("amd") ? "AMD" : "");
    ft_visit_all_forms(check_form, &places);
    printf("# %lu different instructions, %lu runs\n", (unsigned long)places.instructions,
           (unsigned long)places.runs);
    tap_ok(places.instructions > 20000, "many instructions could be run");
    tap_ok(places.wrong == 0, "the processor accesses what was decoded");
    return tap_plan_done();
}
