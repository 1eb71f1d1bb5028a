/*
 * Decoded accesses against the processor itself: every instruction of libc and everything that can
 * be encoded with a memory operand is run here, placed so that its accesses end just before, at or
 * beyond a page that must not be touched, and on a page that must not be written. The processor
 * must fault exactly where the decoded accesses say so: this checks addresses, sizes, loads and
 * stores, masks, gathers, compressed and broadcast operands at once.
 *
 * An instruction is copied to a page of its own, followed by a jump back. All registers are loaded
 * with small random numbers (the base register with the place), masks and vectors too. A signal
 * handler notes a fault and goes on behind the instruction. Left out: what uses RSP, FS, RIP or
 * 32-bit addresses, and what cannot run in user space.
 */
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/oracle/machine_state.h"
#include "tests/tap.h"

#define PLACE_BYTES ((size_t)1 << 17) /* of memory before the page that must not be touched */
#define GUARD_BYTES ((size_t)1 << 17)

struct processor_state {
    uint64_t registers[16]; /* enum ft_register; RSP is not loaded */
    uint64_t masks[8];
    uint8_t vectors[32][64];
};

/* Loads all registers but RSP and runs the code page, which jumps to run_back. */
void run_instruction(const struct processor_state *state, const void *code, int has_avx512);
void run_back(void);
__asm__(".text\n"
        ".globl run_instruction, run_back\n"
        "run_instruction:\n"
        "    push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "    push %rsi\n" /* the code's address */
        "    test %edx, %edx\n"
        "    jz 1f\n"
        "    .set i, 0\n"
        "    .irp n, 0,1,2,3,4,5,6,7\n"
        "    kmovq 128+8*\\n(%rdi), %k\\n\n"
        "    .endr\n"
        "    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,"
        "28,29,30,31\n"
        "    vmovdqu64 192+64*\\n(%rdi), %zmm\\n\n"
        "    .endr\n"
        "    jmp 2f\n"
        "1:  .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "    vmovdqu 192+64*\\n(%rdi), %ymm\\n\n"
        "    .endr\n"
        "2:  mov 0(%rdi), %rax; mov 8(%rdi), %rcx; mov 16(%rdi), %rdx; mov 24(%rdi), %rbx\n"
        "    mov 40(%rdi), %rbp; mov 48(%rdi), %rsi; mov 64(%rdi), %r8; mov 72(%rdi), %r9\n"
        "    mov 80(%rdi), %r10; mov 88(%rdi), %r11; mov 96(%rdi), %r12; mov 104(%rdi), %r13\n"
        "    mov 112(%rdi), %r14; mov 120(%rdi), %r15; mov 56(%rdi), %rdi\n"
        "    jmp *(%rsp)\n"
        "run_back:\n"
        "    cld\n"
        "    fninit\n"
        "    movl $0x1f80, (%rsp)\n"
        "    ldmxcsr (%rsp)\n"
        "    vzeroupper\n"
        "    pop %rsi; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "    ret\n");

/* What the handler saw. */
static volatile sig_atomic_t fault_signal;
static void *volatile fault_address;
static volatile int fault_code;

static void note_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *user = context;
    fault_signal = signal;
    fault_code = info->si_code;
    fault_address = info->si_addr;
    user->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)run_back;
}

static void catch_faults(void)
{
    static char stack[1 << 16];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = note_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

    sigaltstack(&alternative, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

struct places {
    uint8_t *code;
    uint8_t *writable_end; /* PLACE_BYTES before it may be used, GUARD_BYTES after it may not */
    uint8_t *readable_end; /* likewise, for loads only */
    bool has_avx512;
};

static uint8_t *map_place(int protection)
{
    uint8_t *guard = mmap(NULL, PLACE_BYTES + 2 * GUARD_BYTES, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (guard == MAP_FAILED || mprotect(guard + GUARD_BYTES, PLACE_BYTES, protection) != 0)
        return NULL;
    return guard + GUARD_BYTES + PLACE_BYTES;
}

static bool map_places(struct places *places)
{
    places->code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    places->writable_end = map_place(PROT_READ | PROT_WRITE);
    places->readable_end = map_place(PROT_READ);
    places->has_avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    return places->code != MAP_FAILED && places->writable_end && places->readable_end;
}

static uint64_t random_number(void)
{
    static uint64_t state = 1;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void randomise(struct processor_state *state)
{
    for (unsigned i = 0; i < 16; i++)
        state->registers[i] = random_number() & 63;
    state->registers[FT_RCX] = 1; /* one iteration of rep */
    for (unsigned i = 0; i < 8; i++)
        state->masks[i] = random_number() & random_number();
    for (unsigned i = 0; i < 32; i++)
        for (unsigned lane = 0; lane < 8; lane++) {
            /* small lane indices of 4 or 8 bytes */
            uint64_t value = random_number() & 255;
            memcpy(state->vectors[i] + 8 * lane, &value, 8);
        }
    for (unsigned i = 0; i < 32; i++) /* signs select in register 3, the second operand */
        state->vectors[3][i] ^= (uint8_t)(random_number() & 0x80);
}

/* The accesses of the instruction in this state. */
static size_t predict(const struct ft_instruction *instruction, const struct processor_state *state,
                      struct ft_stream_access *accesses)
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

static bool can_run(const struct ft_instruction *instruction,
                    const ZydisDecodedInstruction *decoded, bool has_avx512)
{
    const uint32_t rsp = UINT32_C(1) << FT_RSP;

    if (instruction->access_count == 0 || instruction->flow != FT_FLOW_NEXT ||
        instruction->unsupported ||
        ((instruction->registers_read | instruction->registers_written) & rsp))
        return false;
    for (unsigned i = 0; i < instruction->access_count; i++) {
        const struct ft_access *access = &instruction->accesses[i];
        if (access->fs || access->address_is_32_bit || access->base == FT_NO_REGISTER ||
            access->base != instruction->accesses[0].base || access->base == access->index ||
            access->base == access->bit_offset)
            return false;
    }
    if (decoded->mnemonic == ZYDIS_MNEMONIC_MASKMOVDQU ||
        decoded->mnemonic == ZYDIS_MNEMONIC_VMASKMOVDQU)
        return false; /* may fault for bytes that it does not write */
    switch (decoded->meta.category) {
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
        return false;
    default:
        break;
    }
    return has_avx512 || (decoded->encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX &&
                          decoded->meta.category != ZYDIS_CATEGORY_KMASK);
}

static void write_code(uint8_t *page, const uint8_t *bytes, size_t length)
{
    const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp [rip] */
    uint64_t target = (uint64_t)(uintptr_t)run_back;

    memcpy(page, bytes, length);
    memcpy(page + length, jump, sizeof jump);
    memcpy(page + length + sizeof jump, &target, sizeof target);
}

enum outcome { AS_PREDICTED, OTHERWISE, CANNOT_TELL };

/* Runs the instruction with its highest access ending `beyond` bytes after `end`. */
static enum outcome try_place(const struct places *places, const struct ft_instruction *instruction,
                              struct processor_state *state, const uint8_t *end, int64_t beyond)
{
    struct ft_stream_access accesses[FT_ACCESSES_A_STEP_MAX];
    uint64_t *base = &state->registers[instruction->accesses[0].base];
    uint64_t limit = (uint64_t)(uintptr_t)end, highest = 0;
    bool predicted = false;

    *base = limit - PLACE_BYTES / 2;
    size_t count = predict(instruction, state, accesses);
    for (size_t i = 0; i < count; i++)
        if (accesses[i].address + accesses[i].size_bytes > highest)
            highest = accesses[i].address + accesses[i].size_bytes;
    if (count)
        *base += limit + (uint64_t)beyond - highest;
    count = predict(instruction, state, accesses);
    for (size_t i = 0; i < count; i++) {
        bool stores = accesses[i].kind == FT_STORE || accesses[i].kind == FT_STORE_NONTEMPORAL;
        if (accesses[i].kind != FT_PREFETCH)
            predicted |= accesses[i].address + accesses[i].size_bytes > limit ||
                         (stores && end == places->readable_end);
    }
    fault_signal = 0;
    run_instruction(state, places->code, places->has_avx512);
    /* other faults (alignment, division, unknown instruction) tell nothing of the place */
    if (fault_signal && !(fault_signal == SIGSEGV && fault_code != SI_KERNEL))
        return CANNOT_TELL;
    return predicted == (fault_signal != 0) ? AS_PREDICTED : OTHERWISE;
}

struct counts {
    uint64_t instructions, runs, wrong;
};

static void report(const struct ft_instruction *instruction, const ZydisDecodedInstruction *decoded,
                   const uint8_t *code, bool read_only, int64_t beyond)
{
    printf("# %s", ZydisMnemonicGetString(decoded->mnemonic));
    for (unsigned i = 0; i < instruction->length; i++)
        printf(" %02x", code[i]);
    printf(": %s on a %s page, %ld bytes beyond\n", fault_signal ? "faults" : "does not fault",
           read_only ? "read-only" : "writable", (long)beyond);
}

static void check_instruction(const struct places *places, const struct ft_instruction *instruction,
                              const ZydisDecodedInstruction *decoded, const uint8_t *code,
                              struct counts *counts)
{
    const int64_t beyond[] = {0, 1, 4, 8, 16, 33, 64, 1000};
    struct processor_state state;
    bool any = false;

    for (unsigned i = 0; i < 2 * sizeof beyond / sizeof *beyond; i++) {
        const uint8_t *end = i & 1 ? places->readable_end : places->writable_end;
        randomise(&state);
        enum outcome outcome = try_place(places, instruction, &state, end, beyond[i / 2]);
        counts->runs += outcome != CANNOT_TELL;
        any |= outcome != CANNOT_TELL;
        if (outcome == OTHERWISE && counts->wrong++ < 20)
            report(instruction, decoded, code, end == places->readable_end, beyond[i / 2]);
    }
    counts->instructions += any;
}

static bool was_seen(const uint8_t *bytes, size_t length)
{
    static struct {
        uint8_t bytes[15];
    } seen[1 << 18];
    uint64_t hash = 0xcbf29ce484222325;
    uint8_t padded[15] = {0};

    memcpy(padded, bytes, length);
    for (size_t i = 0; i < sizeof padded; i++)
        hash = (hash ^ padded[i]) * 0x100000001b3;
    size_t slot = hash & (sizeof seen / sizeof *seen - 1);
    if (memcmp(seen[slot].bytes, padded, sizeof padded) == 0)
        return true;
    memcpy(seen[slot].bytes, padded, sizeof padded);
    return false;
}

/* Checks the first instruction of the code and gives its length. */
static size_t check_code(const struct places *places, const uint8_t *code, size_t length,
                         struct counts *counts)
{
    struct ft_instruction instruction;
    ZydisDecodedInstruction decoded;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

    if (ft_instruction_decode_full(code, length, 0, &instruction, &decoded, operands, NULL) !=
        FT_OK)
        return 1;
    if (can_run(&instruction, &decoded, places->has_avx512) &&
        !was_seen(code, instruction.length)) {
        write_code(places->code, code, instruction.length);
        check_instruction(places, &instruction, &decoded, code, counts);
    }
    return instruction.length;
}

/* The bytes after the opcode: [rax+rdx*4] or, for gathers, [rax+xmm2*4], and an immediate. */
static size_t add_operand(uint8_t *code, size_t length, uint8_t digit)
{
    code[length++] = (uint8_t)(digit << 3 | 4);
    code[length++] = 0x90;
    memset(code + length, 3, 8);
    return length + 8;
}

static void check_legacy_form(const struct places *places, unsigned form, struct counts *counts)
{
    const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
    const uint8_t maps[][2] = {{0, 0}, {0x0f, 0}, {0x0f, 0x38}, {0x0f, 0x3a}};
    uint8_t code[24];
    size_t length = 0;

    if (form & 3)
        code[length++] = prefixes[form & 3];
    if (form >> 2 & 1)
        code[length++] = 0x48;
    for (unsigned i = 0; i < 2; i++)
        if (maps[form >> 3 & 3][i])
            code[length++] = maps[form >> 3 & 3][i];
    code[length++] = (uint8_t)(form >> 8);
    length = add_operand(code, length, form >> 5 & 7);
    check_code(places, code, length, counts);
}

/* VEX: p, w, l, map (1 to 3), a second operand or none, the digit and the opcode. */
static void check_vex_form(const struct places *places, unsigned form, struct counts *counts)
{
    uint8_t map = form >> 4 & 3, digit = form >> 7 & 7, opcode = (uint8_t)(form >> 10);
    uint8_t second = form >> 6 & 1 ? 0x60 : 0x78; /* number 3, or none */
    uint8_t code[24] = {
        0xc4, 0xe0 | map,
        (uint8_t)((form >> 2 & 1) << 7 | second | (form >> 3 & 1) << 2 | (form & 3)), opcode};
    check_code(places, code, add_operand(code, 4, digit), counts);
}

/* EVEX: p, w, z, broadcast, mask k1 or none, a second operand or none, length, map, opcode. */
static void check_evex_form(const struct places *places, unsigned form, struct counts *counts)
{
    uint8_t map = form >> 8 & 7, opcode = (uint8_t)(form >> 11);
    uint8_t second = form >> 5 & 1 ? 0x60 : 0x78;
    bool is_group = opcode >= 0x71 && opcode <= 0x73;

    for (uint8_t digit = is_group ? 0 : 1; digit < (is_group ? 8 : 2); digit++) {
        uint8_t code[24] = {0x62, 0xf0 | map,
                            (uint8_t)((form >> 2 & 1) << 7 | second | 4 | (form & 3)),
                            (uint8_t)((form >> 3 & 1) << 7 | (form >> 6 & 3) << 5 |
                                      (form >> 4 & 1) << 4 | 8 | (form >> 19 & 1)),
                            opcode};
        check_code(places, code, add_operand(code, 5, digit), counts);
    }
}

/* Everything that can be encoded with a memory operand. */
static void check_all_forms(const struct places *places, struct counts *counts)
{
    for (unsigned form = 0; form < 1 << 16; form++)
        check_legacy_form(places, form, counts);
    for (unsigned form = 0; form < 1 << 18; form++)
        check_vex_form(places, form, counts);
    for (unsigned form = 0; form < 1 << 20 && places->has_avx512; form++)
        check_evex_form(places, form, counts);
}

static int check_library(struct dl_phdr_info *info, size_t size, void *context)
{
    void **contexts = context;
    (void)size;

    if (!strstr(info->dlpi_name, "libc.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        const uint8_t *code = (const uint8_t *)(info->dlpi_addr + segment->p_vaddr);
        for (size_t at = 0; at < segment->p_filesz;)
            at += check_code(contexts[0], code + at, segment->p_filesz - at, contexts[1]);
    }
    return 1;
}

int main(void)
{
    struct places places;
    struct counts counts = {0};
    void *contexts[] = {&places, &counts};

    if (!__builtin_cpu_supports("avx2")) {
        printf("1..0 # SKIP needs a processor with AVX2\n");
        return 0;
    }
    if (!tap_ok(map_places(&places), "memory is mapped"))
        return tap_plan_done();
    catch_faults();
    dl_iterate_phdr(check_library, contexts);
    check_all_forms(&places, &counts);
    printf("# %lu different instructions, %lu runs\n", (unsigned long)counts.instructions,
           (unsigned long)counts.runs);
    tap_ok(counts.instructions > 20000, "many instructions could be run");
    tap_ok(counts.wrong == 0, "the processor accesses what was decoded");
    return tap_plan_done();
}
