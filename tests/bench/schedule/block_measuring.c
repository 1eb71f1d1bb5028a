/*
 * Code is generated into a page that runs: save the caller's registers, set those of the block,
 * n iterations, restore. A fault maps a page with the same content where the access went; a jump to
 * `left` tells which branch was taken against the path. Cycles are the slope between two numbers
 * of iterations, each the least of many samples.
 */
#include <immintrin.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench_blocks.h"
#include "machines/probe/canary.h"

#define CODE_BYTES     (64 << 10)
#define REGION_BYTES   (1 << 20)
#define LOW_ADDRESS    UINT64_C(0x20000000)
#define PAGE           4096
#define PAGES_MAX      128
#define PAGES_OF_L1    40 /* with a line or two of each the first cache holds them */
#define SAMPLES        100
#define CANARY         16000 /* adds in a chain */
#define ITERATIONS_MIN 72    /* between both numbers: a misprediction at the end is little then */
#define TRIES          3000
#define CALLS          16   /* a sample: clocks of some machines move by 36 cycles at a time */
#define ALONE          1.12 /* of the least time: the clock's own ticks are coarse */
#define FOOTPRINT      (20 << 10)
#define FETCH_BYTES    64 /* by which fetches are aligned, at most */

/* Of the generated code, at fixed places in front of it. */
struct frame {
    uint64_t saved_rsp, count, left;
    uint64_t registers[16]; /* at start; rsp too */
    uint64_t ends[16];
    uint64_t targets[64]; /* RIP operands lead behind it */
    uint8_t vectors[64];
    uint8_t rip_data[16 << 10];
};

static uint8_t *region; /* struct frame, then code */
static uint8_t *writing;
static sigjmp_buf fault_jump;
enum content { CONTENT_BYTES, CONTENT_WORDS, CONTENT_LONG_WORDS, CONTENT_POINTERS };
static volatile enum content content;
static void *mapped[PAGES_MAX];
static volatile unsigned mapped_count;

/* ---- faults ---- */

/* Small numbers, none like the one before, in cells of 1, 4 or 8 bytes; or pointers. */
static void fill(uint8_t *bytes, size_t count)
{
    const size_t cell = content == CONTENT_BYTES ? 1 : content == CONTENT_WORDS ? 4 : 8;
    memset(bytes, 0, count);
    for (size_t i = 0; i < count / cell; i++) {
        const uint64_t value =
            i * 37 % 61 * 8 % 251 + (content == CONTENT_POINTERS ? LOW_ADDRESS : 0);
        memcpy(bytes + i * cell, &value, cell);
    }
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    const uint64_t page = (uint64_t)info->si_addr & ~(uint64_t)(PAGE - 1);
    if (number == SIGSEGV && info->si_code == SEGV_MAPERR && page >= (64 << 10) &&
        page < (UINT64_C(1) << 47) && mapped_count < PAGES_MAX) {
        void *at = mmap((void *)page, PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (at == (void *)page) {
            mapped[mapped_count] = at;
            mapped_count = mapped_count + 1;
            fill(at, PAGE);
            return;
        }
    }
    siglongjmp(fault_jump, 1);
}

static void unmap_pages(void)
{
    for (unsigned i = 0; i < mapped_count; i++)
        munmap(mapped[i], PAGE);
    mapped_count = 0;
}

static void prepare(void)
{
    static uint8_t alternate[64 << 10];
    const stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
    struct sigaction action = {.sa_sigaction = on_fault,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    region = mmap((void *)0x30000000, REGION_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (region == MAP_FAILED) {
        perror("bench_schedule: memory for code");
        exit(1);
    }
    cpu_set_t here; /* clocks of processors need not agree */
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
    sigaltstack(&stack, NULL);
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

/* ---- writing code ---- */

static void put(const void *bytes, size_t count)
{
    memcpy(writing, bytes, count);
    writing += count;
}
static void put_byte(unsigned byte)
{
    *writing++ = (uint8_t)byte;
}
static void put_u32(uint32_t value)
{
    put(&value, 4);
}

/* mov between a register and a field of the frame, which lies below 2 GiB: absolute. */
static void move_register(bool loads, unsigned number, const void *field)
{
    put_byte(0x48 | (number >= 8 ? 4 : 0));
    put_byte(loads ? 0x8b : 0x89);
    put_byte((number & 7) << 3 | 4);
    put_byte(0x25);
    put_u32((uint32_t)(uintptr_t)field);
}

static bool uses_register(const struct ft_instruction *instruction, unsigned number)
{
    return (instruction->registers_read | instruction->registers_written) & UINT32_C(1) << number;
}

static bool can_run(const struct ft_instruction *instruction, const ZydisDecodedInstruction *zydis)
{
    if (instruction->unsupported || instruction->rep)
        return false;
    for (unsigned a = 0; a < instruction->access_count; a++)
        if (instruction->accesses[a].fs || instruction->accesses[a].gs)
            return false;
    switch (instruction->flow) {
    case FT_FLOW_NEXT:
    case FT_FLOW_JUMP:
        return zydis->mnemonic != ZYDIS_MNEMONIC_CPUID &&
               zydis->mnemonic != ZYDIS_MNEMONIC_XGETBV &&
               zydis->mnemonic != ZYDIS_MNEMONIC_RDTSC && zydis->mnemonic != ZYDIS_MNEMONIC_STD;
    case FT_FLOW_BRANCH:
        return zydis->mnemonic < ZYDIS_MNEMONIC_LOOP || zydis->mnemonic > ZYDIS_MNEMONIC_LOOPNE;
    default:
        return false;
    }
}

/* The condition of a conditional jump's encoding, or -1. */
static int condition_of(const uint8_t *code, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (code[i] >= 0x70 && code[i] <= 0x7f)
            return code[i] & 15;
        if (code[i] == 0x0f && code[i + 1] >= 0x80 && code[i + 1] <= 0x8f)
            return code[i + 1] & 15;
    }
    return -1;
}

struct loop_code {
    struct generated *generated;
    uint8_t *branch_ends[BLOCK_INSTRUCTIONS_MAX];
    uint32_t branches[BLOCK_INSTRUCTIONS_MAX]; /* instruction of the block */
    uint32_t branch_count;
    struct frame *frame;
};

static void note_code(struct generated *generated, const uint8_t *code, bool taken)
{
    generated->code[generated->count++] = (struct ft_body_code){.code = code,
                                                                .length = (size_t)(writing - code),
                                                                .pc = (uint64_t)(uintptr_t)code,
                                                                .taken = taken};
}

/* An instruction as it is, but for RIP operands. */
static void put_instruction(struct loop_code *loop, const uint8_t *code, size_t length,
                            const ZydisDecodedInstruction *zydis,
                            const ZydisDecodedOperand *operands)
{
    uint8_t *at = writing;
    put(code, length);
    for (unsigned i = 0; i < zydis->operand_count; i++)
        if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            operands[i].mem.base == ZYDIS_REGISTER_RIP) {
            /* Near ones stay near: the low bits say where in the buffer. */
            const uint64_t offset =
                (uint64_t)operands[i].mem.disp.value % (sizeof loop->frame->rip_data / 2) &
                ~UINT64_C(63);
            const int32_t displacement = (int32_t)(loop->frame->rip_data + offset - (at + length));
            memcpy(at + zydis->raw.disp.offset, &displacement, 4);
        }
    note_code(loop->generated, at, false);
}

static void put_branch(struct loop_code *loop, const struct block *block, uint32_t i)
{
    uint8_t *at = writing;
    const int condition = condition_of(block->bytes[i], block->code[i].length);
    put_byte(0x0f);
    put_byte(0x80 | (unsigned)(condition ^ (block->code[i].taken ? 1 : 0)));
    put_u32(0);
    loop->branch_ends[loop->branch_count] = writing;
    loop->branches[loop->branch_count++] = i;
    note_code(loop->generated, at, false);
}

static bool put_path(struct loop_code *loop, struct block *block, uint32_t *ret_used)
{
    for (uint32_t i = 0; i < block->count; i++) {
        struct ft_instruction instruction;
        ZydisDecodedInstruction zydis;
        ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
        if (ft_instruction_decode_full(block->bytes[i], block->code[i].length, block->code[i].pc,
                                       &instruction, &zydis, operands, NULL) != FT_OK ||
            !can_run(&instruction, &zydis))
            return false;
        for (unsigned r = 0; r < 16; r++)
            *ret_used |= uses_register(&instruction, r) ? 1U << r : 0;
        const bool last = i + 1 == block->count;
        if (instruction.flow == FT_FLOW_NEXT)
            put_instruction(loop, block->bytes[i], block->code[i].length, &zydis, operands);
        else if (instruction.flow == FT_FLOW_BRANCH && !last && !block->dropped[i])
            put_branch(loop, block, i);
    }
    return true;
}

/* dec COUNTER; jnz loop */
static void close_loop(struct loop_code *loop, unsigned counter)
{
    struct generated *generated = loop->generated;
    uint8_t *at = writing;
    put_byte(0x48 | (counter >= 8 ? 1 : 0));
    put_byte(0xff);
    put_byte(0xc8 | (counter & 7));
    note_code(generated, at, false);
    at = writing;
    put_byte(0x0f);
    put_byte(0x85);
    put_u32((uint32_t)(generated->loop - (writing + 4)));
    note_code(generated, at, true);
    generated->loop_bytes = (size_t)(writing - generated->loop);
}

static void put_entry(struct frame *frame)
{
    for (unsigned r = 0; r < 16; r++)
        if (r == 3 || r == 5 || (r >= 12 && r <= 15)) {
            if (r >= 8)
                put_byte(0x41);
            put_byte(0x50 | (r & 7)); /* push */
        }
    move_register(false, FT_RSP, &frame->saved_rsp);
    for (unsigned r = 0; r < 16; r++)
        move_register(true, r, &frame->registers[r]);
}

static void put_exit(struct frame *frame)
{
    for (unsigned r = 0; r < 16; r++)
        move_register(false, r, &frame->ends[r]);
    move_register(true, FT_RSP, &frame->saved_rsp);
    for (unsigned i = 0; i < 16; i++) {
        const unsigned r = 15 - i;
        if (r == 3 || r == 5 || r >= 12) {
            if (r >= 8)
                put_byte(0x41);
            put_byte(0x58 | (r & 7)); /* pop */
        }
    }
    put_byte(0xc3);
}

/* Where a branch leads against the path: notes which, and returns. */
static void put_stubs(struct loop_code *loop, const uint8_t *exit)
{
    for (uint32_t b = 0; b < loop->branch_count; b++) {
        const uint32_t to = (uint32_t)(writing - loop->branch_ends[b]);
        memcpy(loop->branch_ends[b] - 4, &to, 4);
        put("\x48\xc7\x04\x25", 4); /* mov qword [left], branch + 1 */
        put_u32((uint32_t)(uintptr_t)&loop->frame->left);
        put_u32(loop->branches[b] + 1);
        put_byte(0xe9);
        put_u32((uint32_t)(exit - (writing + 4)));
    }
}

/* Which register counts; -1: all are used, or the path can't run. */
static int generate(struct block *block, struct generated *generated)
{
    struct frame *frame = (struct frame *)region;
    struct loop_code loop = {.generated = generated, .frame = frame};
    uint32_t used = 1U << FT_RSP;
    generated->count = 0;
    writing = region + ((sizeof *frame + 4095) & ~(size_t)4095);
    put_entry(frame);
    while (((uintptr_t)writing ^ block->code[0].pc) & (FETCH_BYTES - 1))
        put_byte(0x90);
    generated->loop = writing;
    if (!put_path(&loop, block, &used))
        return -1;
    int counter = 15;
    while (counter >= 0 && (used & 1U << counter))
        counter--;
    if (counter < 0)
        return -1;
    close_loop(&loop, (unsigned)counter);
    const uint8_t *exit = writing;
    put_exit(frame);
    put_stubs(&loop, exit);
    return counter;
}

/* ---- registers ---- */

struct roles {
    uint32_t bases, indices; /* bit per register */
    uint8_t scales[16];      /* largest that it is multiplied by in an address */
};

static struct roles roles_of(const struct block *block)
{
    struct roles roles = {0};
    for (uint32_t i = 0; i < block->count; i++) {
        struct ft_instruction instruction;
        if (ft_instruction_decode(block->bytes[i], block->code[i].length, block->code[i].pc,
                                  &instruction, NULL) != FT_OK)
            continue;
        for (unsigned a = 0; a < instruction.access_count; a++) {
            const struct ft_access *access = &instruction.accesses[a];
            const bool has_base = access->base < 16, has_index = access->index < 16;
            if (has_base)
                roles.bases |= 1U << access->base;
            else if (has_index && access->scale == 1)
                roles.bases |= 1U << access->index;
            if (has_base && roles.scales[access->base] == 0)
                roles.scales[access->base] = 1;
            if (has_index && access->scale > roles.scales[access->index])
                roles.scales[access->index] = access->scale;
            if (has_index && (has_base || access->scale > 1))
                roles.indices |= 1U << access->index;
        }
    }
    return roles;
}

static void set_registers(struct frame *frame, const struct roles *roles, int counter,
                          unsigned variant)
{
    for (unsigned r = 0; r < 16; r++) {
        const bool is_base = r == FT_RSP || (roles->bases & 1U << r);
        frame->registers[r] =
            is_base ? LOW_ADDRESS + 0x100000 * (r + 1) + 320 * r + 0x800 + (variant & 1 ? 8 : 0)
                    : (roles->indices & 1U << r ? 0 : 40);
    }
    frame->registers[counter] = 0;
}

/* ---- running ---- */

__attribute__((noinline)) static void call_code(void)
{
    void (*code)(void) =
        (void (*)(void))(uintptr_t)(region + ((sizeof(struct frame) + 4095) & ~(size_t)4095));
    static const double ones[2] = {1.1, 1.1};
#define SET(number) "vmovups %1, %%xmm" #number "\n"
    __asm__ volatile("vzeroall\n" SET(0) SET(1) SET(2) SET(3) SET(4) SET(5) SET(6) SET(7) SET(8)
                         SET(9) SET(10) SET(11) SET(12) SET(13) SET(14) SET(15) "call *%0\n"
                                                                                "vzeroupper\n"
                     :
                     : "r"(code), "m"(ones)
                     : "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#undef SET
}

static uint64_t ticks_of(struct frame *frame, int counter, uint64_t iterations)
{
    unsigned unused;
    frame->registers[counter] = iterations;
    frame->left = 0;
    _mm_lfence();
    const uint64_t start = __rdtsc();
    for (int i = 0; i < CALLS; i++)
        call_code();
    const uint64_t end = __rdtscp(&unused);
    return end - start;
}

/* Ticks of CANARY cycles. */
static double canary(void)
{
    unsigned unused;
    _mm_lfence();
    const uint64_t start = __rdtsc();
    ft_canary_chain(CANARY);
    return (double)(__rdtscp(&unused) - start);
}

static double canary_ticks(void)
{
    double best = INFINITY;
    for (int i = 0; i < 40; i++) {
        const double ticks = canary();
        best = ticks < best ? ticks : best;
    }
    return best;
}

/* Whether no other thread takes slots of this core: independent adds are as fast as ever. */
static bool is_alone(void)
{
    static double best = INFINITY;
    unsigned unused;
    uint64_t times = 25, a = 0, b = 0, c = 0, d = 0;
    _mm_lfence();
    const uint64_t start = __rdtsc();
    __asm__ volatile("1:\n"
                     ".rept 4\n"
                     "add $1, %1\n"
                     "add $1, %2\n"
                     "add $1, %3\n"
                     "add $1, %4\n"
                     "nop\n"
                     ".endr\n"
                     "dec %0\n"
                     "jnz 1b\n"
                     : "+r"(times), "+r"(a), "+r"(b), "+r"(c), "+r"(d)
                     :
                     : "cc");
    const double ticks = (double)(__rdtscp(&unused) - start);
    best = fmin(best, ticks);
    return ticks <= ALONE * best;
}

/* What one iteration moves pointers by, in bytes. */
static uint64_t bytes_per_iteration(const struct frame *frame, const struct roles *roles,
                                    int counter)
{
    uint64_t bytes = 1;
    for (unsigned r = 0; r < 16; r++)
        if ((int)r != counter && ((roles->bases | roles->indices) & 1U << r)) {
            const int64_t delta = (int64_t)(frame->ends[r] - frame->registers[r]);
            bytes += (uint64_t)llabs(delta) * roles->scales[r];
        }
    return bytes;
}

static bool take_samples(const struct block *block, struct frame *frame, const struct roles *roles,
                         int counter, double *ret_cycles)
{
    const uint32_t instructions = block->count;
    ticks_of(frame, counter, 2);
    if (frame->left)
        return false;
    const uint64_t moves = bytes_per_iteration(frame, roles, counter);
    uint64_t few = 16 + 4000 / instructions, many;
    if (moves * few * 4 > FOOTPRINT)
        few = FOOTPRINT / (4 * moves + 1);
    few = few < 8 ? 8 : few;
    many = 4 * few;
    if (moves * many > FOOTPRINT || many - few < ITERATIONS_MIN)
        return false;
    double best[2] = {INFINITY, INFINITY};
    const double before = canary_ticks();
    int whole = 0;
    for (int i = 0; i < TRIES && (whole < SAMPLES || i < SAMPLES); i++) {
        const bool quiet_before = is_alone();
        const double a = (double)ticks_of(frame, counter, few);
        const double b = (double)ticks_of(frame, counter, many);
        if (frame->left || mapped_count > PAGES_OF_L1)
            return false;
        if (quiet_before && is_alone()) {
            best[0] = fmin(best[0], a);
            best[1] = fmin(best[1], b);
            whole++;
        } else if (i % 64 == 63) {
            usleep(500);
        }
    }
    if (whole == 0) {
        *ret_cycles = INFINITY; /* never alone in this round */
        return true;
    }
    /* The loop around the adds and the clock's reading take some 25 cycles. */
    const double tick = fmin(before, canary_ticks()) / (CANARY + 25);
    *ret_cycles = (best[1] - best[0]) / (double)(CALLS * (many - few)) / tick;
    return true;
}

/* 0: measured; 1: a branch was taken against the path; -1: it faults. */
static int try_block(struct block *block, struct generated *generated, unsigned variant,
                     double *ret_cycles)
{
    struct frame *frame = (struct frame *)region;
    const struct roles roles = roles_of(block);
    memset(frame, 0, sizeof *frame);
    content = (enum content)(variant >> 1);
    const int counter = generate(block, generated);
    if (counter < 0)
        return -2;
    set_registers(frame, &roles, counter, variant);
    fill(frame->rip_data, sizeof frame->rip_data);
    if (sigsetjmp(fault_jump, 1))
        return -1;
    if (take_samples(block, frame, &roles, counter, ret_cycles))
        return 0;
    if (frame->left == 0)
        return -1;
    block->dropped[frame->left - 1] = true;
    return 1;
}

bool measure_block(struct block *block, struct generated *ret_generated, double *ret_cycles)
{
    if (!region)
        prepare();
    _mm_setcsr(_mm_getcsr() | 0x8040); /* denormals are zero */
    for (unsigned variant = block->variant; variant < VARIANTS; variant++) {
        int outcome;
        do {
            outcome = try_block(block, ret_generated, variant, ret_cycles);
            unmap_pages();
        } while (outcome == 1);
        block->variant = variant;
        if (outcome == 0)
            return true;
        if (outcome == -2)
            return false;
    }
    return false;
}
