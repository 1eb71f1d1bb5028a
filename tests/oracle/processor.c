/*
 * Instructions are generated opcode by opcode through the maps of the three encodings, with one
 * operand each way; Zydis tells which bytes are instructions. A table of those seen leaves out
 * repetitions.
 */
#include "tests/oracle/processor.h"

#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/support/random.h"

/* Loads all registers but RSP and runs the code page, which jumps to run_back. */
void run_instruction(const struct ft_processor_state *state, const void *code, int has_avx512);
void run_back(void);
uint64_t run_result[16]; /* registers behind the instruction */
__asm__(".text\n"
        ".globl run_instruction, run_back\n"
        "run_instruction:\n"
        "    push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
        "    push %rsi\n" /* the code's address */
        "    test %edx, %edx\n"
        "    jz 1f\n"
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
        "    mov %rax, run_result(%rip); mov %rcx, 8+run_result(%rip)\n"
        "    mov %rdx, 16+run_result(%rip); mov %rbx, 24+run_result(%rip)\n"
        "    mov %rbp, 40+run_result(%rip); mov %rsi, 48+run_result(%rip)\n"
        "    mov %rdi, 56+run_result(%rip); mov %r8, 64+run_result(%rip)\n"
        "    mov %r9, 72+run_result(%rip); mov %r10, 80+run_result(%rip)\n"
        "    mov %r11, 88+run_result(%rip); mov %r12, 96+run_result(%rip)\n"
        "    mov %r13, 104+run_result(%rip); mov %r14, 112+run_result(%rip)\n"
        "    mov %r15, 120+run_result(%rip)\n"
        "    cld\n"
        "    fninit\n"
        "    movl $0x1f80, (%rsp)\n"
        "    ldmxcsr (%rsp)\n"
        "    vzeroupper\n"
        "    pop %rsi; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "    ret\n");

static uint8_t *code_page;
static bool has_avx512;

/* What the handler saw. */
static volatile sig_atomic_t fault_signal, fault_code;

static void note_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *user = context;
    fault_signal = signal;
    fault_code = info->si_code;
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

bool ft_processor_open(void)
{
    if (!__builtin_cpu_supports("avx2"))
        return false;
    has_avx512 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    code_page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    catch_faults();
    return code_page != MAP_FAILED;
}

void ft_processor_randomise(struct ft_processor_state *state)
{
    static uint64_t random = 1;
    for (unsigned i = 0; i < 16; i++)
        state->registers[i] = random_next(&random) & 63;
    state->registers[FT_RCX] = 1; /* one iteration of rep */
    for (unsigned i = 0; i < 8; i++)
        state->masks[i] = random_next(&random) & random_next(&random);
    for (unsigned i = 0; i < 32; i++)
        for (unsigned lane = 0; lane < 8; lane++) {
            /* small lane indices of 4 or 8 bytes */
            uint64_t value = random_next(&random) & 255;
            memcpy(state->vectors[i] + 8 * lane, &value, 8);
        }
    for (unsigned i = 0; i < 32; i++) /* signs select in register 3, the second operand */
        state->vectors[3][i] ^= (uint8_t)(random_next(&random) & 0x80);
}

void ft_processor_run(const uint8_t *code, size_t length, const struct ft_processor_state *state,
                      struct ft_processor_result *ret_result)
{
    const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp [rip] */
    uint64_t target = (uint64_t)(uintptr_t)run_back;

    memcpy(code_page, code, length);
    memcpy(code_page + length, jump, sizeof jump);
    memcpy(code_page + length + sizeof jump, &target, sizeof target);
    fault_signal = fault_code = 0;
    run_instruction(state, code_page, has_avx512);
    ret_result->signal = fault_signal;
    ret_result->code = fault_code;
    memcpy(ret_result->registers, run_result, sizeof run_result);
}

/* Instructions that change more than registers and memory are left out. */
static bool can_run(const struct ft_form *form)
{
    const uint32_t left_alone =
        UINT32_C(1) << FT_RSP | UINT32_C(1) << FT_FS_BASE | UINT32_C(1) << FT_GS_BASE;
    const struct ft_instruction *instruction = &form->instruction;

    if (instruction->flow != FT_FLOW_NEXT || instruction->unsupported ||
        ((instruction->registers_read | instruction->registers_written) & left_alone))
        return false;
    switch (form->decoded.meta.category) {
    case ZYDIS_CATEGORY_CET:
    case ZYDIS_CATEGORY_PKU:
    case ZYDIS_CATEGORY_RDWRFSGS:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_WAITPKG:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
        return false;
    default:
        break;
    }
    return has_avx512 || (form->decoded.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX &&
                          form->decoded.meta.category != ZYDIS_CATEGORY_KMASK);
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

struct visit {
    ft_form_visitor *visit;
    void *context;
};

/* Visits the first instruction of the code and gives its length. */
static size_t visit_code(const struct visit *visit, const uint8_t *code, size_t length)
{
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    struct ft_form form = {.code = code};

    if (ft_instruction_decode_full(code, length, 0, &form.instruction, &form.decoded, operands,
                                   NULL) != FT_OK)
        return 1;
    if (can_run(&form) && !was_seen(code, form.instruction.length))
        visit->visit(visit->context, &form);
    return form.instruction.length;
}

/* Ends the code, once with an operand in memory and once with register 2, then an immediate. */
static void visit_with_operands(const struct visit *visit, const uint8_t *opcode, size_t length,
                                uint8_t digit)
{
    uint8_t code[32];

    memcpy(code, opcode, length);
    memset(code + length, 3, 12);
    code[length] = (uint8_t)(digit << 3 | 4);
    code[length + 1] = 0x90;
    visit_code(visit, code, length + 10);
    code[length] = (uint8_t)(0xc0 | digit << 3 | 2);
    code[length + 1] = 3;
    visit_code(visit, code, length + 9);
}

static void visit_legacy_form(const struct visit *visit, unsigned form)
{
    const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
    const uint8_t maps[][2] = {{0, 0}, {0x0f, 0}, {0x0f, 0x38}, {0x0f, 0x3a}};
    uint8_t code[8];
    size_t length = 0;

    if (form & 3)
        code[length++] = prefixes[form & 3];
    if (form >> 2 & 1)
        code[length++] = 0x48;
    for (unsigned i = 0; i < 2; i++)
        if (maps[form >> 3 & 3][i])
            code[length++] = maps[form >> 3 & 3][i];
    code[length++] = (uint8_t)(form >> 8);
    visit_with_operands(visit, code, length, form >> 5 & 7);
}

/* p, w, l, map (1 to 3), a second operand or none, the digit and the opcode. */
static void visit_vex_form(const struct visit *visit, unsigned form)
{
    uint8_t map = form >> 4 & 3, digit = form >> 7 & 7, opcode = (uint8_t)(form >> 10);
    uint8_t second = form >> 6 & 1 ? 0x60 : 0x78; /* number 3, or none */
    uint8_t code[4] = {0xc4, 0xe0 | map,
                       (uint8_t)((form >> 2 & 1) << 7 | second | (form >> 3 & 1) << 2 | (form & 3)),
                       opcode};
    visit_with_operands(visit, code, sizeof code, digit);
}

/* p, w, z, broadcast, a second operand or none, length, map, opcode, mask k1 or none. */
static void visit_evex_form(const struct visit *visit, unsigned form)
{
    uint8_t map = form >> 8 & 7, opcode = (uint8_t)(form >> 11);
    uint8_t second = form >> 5 & 1 ? 0x60 : 0x78;
    bool is_group = opcode >= 0x71 && opcode <= 0x73;

    for (uint8_t digit = is_group ? 0 : 1; digit < (is_group ? 8 : 2); digit++) {
        uint8_t code[5] = {0x62, 0xf0 | map,
                           (uint8_t)((form >> 2 & 1) << 7 | second | 4 | (form & 3)),
                           (uint8_t)((form >> 3 & 1) << 7 | (form >> 6 & 3) << 5 |
                                     (form >> 4 & 1) << 4 | 8 | (form >> 19 & 1)),
                           opcode};
        visit_with_operands(visit, code, sizeof code, digit);
    }
}

static int visit_library(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    if (!strstr(info->dlpi_name, "libc.so"))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        const uint8_t *code = (const uint8_t *)(info->dlpi_addr + segment->p_vaddr);
        for (size_t at = 0; at < segment->p_filesz;)
            at += visit_code(context, code + at, segment->p_filesz - at);
    }
    return 1;
}

void ft_visit_all_forms(ft_form_visitor *visitor, void *context)
{
    struct visit visit = {visitor, context};

    dl_iterate_phdr(visit_library, &visit);
    for (unsigned form = 0; form < 1 << 16; form++)
        visit_legacy_form(&visit, form);
    for (unsigned form = 0; form < 1 << 18; form++)
        visit_vex_form(&visit, form);
    for (unsigned form = 0; form < 1 << 20 && has_avx512; form++)
        visit_evex_form(&visit, form);
}

void ft_print_form(const struct ft_form *form, const char *message)
{
    printf("# %s", ZydisMnemonicGetString(form->decoded.mnemonic));
    for (unsigned i = 0; i < form->instruction.length; i++)
        printf(" %02x", form->code[i]);
    printf(": %s\n", message);
}
