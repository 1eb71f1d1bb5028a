/*
 * Plans of small units against answers worked out by hand, and plans of all code of the libraries
 * that this process has loaded: every unit can be planned, and its definition survives writing and
 * reading, which checks that each address is known.
 *
 * A slot is spelled "rdi8@0": register, bytes, instruction it stands before; v1.64 is a vector,
 * k2 a mask. A loop is "loop rax+1: entry slots | slots of each iteration", where "rax+1" is the
 * induction register and its stride, or "count" or "values".
 */
#include "formats/x86/log_plan.h"

#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/expand/expand.h"
#include "formats/expand/unit_reading.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

/* clang-format off: code, assembly, answer */
static const struct {
    const char *bytes;
    const char *assembly;
    const char *expected;
} cases[] = {
    {"48 8b 07 48 8b 57 08 c3", "mov rax,[rdi]; mov rdx,[rdi+8]; ret", "rdi8@0"},
    {"48 8d 58 08 48 8b 0b 48 8b 10 c3", "lea rbx,[rax+8]; mov rcx,[rbx]; mov rdx,[rax]; ret",
     "rax8@0"},
    {"48 8b 44 24 08 48 8b 08 48 8b 48 08 c3",
     "mov rax,[rsp+8]; mov rcx,[rax]; mov rcx,[rax+8]; ret", "rax8@1"},
    {"8b 04 24 48 8b 0c c7 ff e1", "mov eax,[rsp]; mov rcx,[rdi+rax*8]; jmp rcx", "rdi8@0 rax4@1"},
    {"0f b6 c2 8a 0c 07 c3", "movzx eax,dl; mov cl,[rdi+rax]; ret", "rdi8@0 rax4@1"},
    {"48 01 d8 48 8b 08 48 89 0c 18 c3", "add rax,rbx; mov rcx,[rax]; mov [rax+rbx],rcx; ret",
     "rbx8@0 rax8@1"},
    {"64 48 8b 0c 25 28 00 00 00 48 89 4c 24 08 c3", "mov rcx,fs:[0x28]; mov [rsp+8],rcx; ret", ""},
    {"65 48 8b 0c 25 08 00 00 00 65 48 89 4c 24 08 c3", "mov rcx,gs:[8]; mov gs:[rsp+8],rcx; ret",
     "gs8@0"},
    {"f3 48 0f ae d8 65 48 8b 08 c3", "wrgsbase rax; mov rcx,gs:[rax]; ret", "rax8@0"},
    {"c9 c3", "leave; ret", "rbp8@0"},
    {"5c 50 c3", "pop rsp; push rax; ret", "rsp8@1"},
    {"48 89 d4 ff e1", "mov rsp,rdx; jmp rcx", "rdx8@0"},
    {"48 83 e4 f0 50 ff d0", "and rsp,-16; push rax; call rax", ""},
    {"f3 a4 c3", "rep movsb; ret", "rcx8@0 rsi8@0 rdi8@0"},
    {"48 8d 7c 24 f8 48 8d 74 24 08 b9 04 00 00 00 f3 48 a5 48 8b 07 c3",
     "lea rdi,[rsp-8]; lea rsi,[rsp+8]; mov ecx,4; rep movsq; mov rax,[rdi]; ret", ""},
    {"f3 a6 c3", "repe cmpsb; ret", "rcx8@0 rsi8@0 rdi8@0 rcx8@1"},
    {"b9 08 00 00 00 31 c0 f2 ae 8a 07 c3",
     "mov ecx,8; xor eax,eax; repne scasb; mov al,[rdi]; ret", "rdi8@0 rcx8@3 rdi8@3"},
    {"fd ac fc c3", "std; lodsb; cld; ret", "rsi8@0"},
    {"9c 9d c3", "pushfq; popfq; ret", "flags8@1"},
    {"48 94 c3", "xchg rax,rsp; ret", "rax8@0"},
    {"48 6b c1 18 48 8b 14 03 c3", "imul rax,rcx,24; mov rdx,[rbx+rax]; ret", "rcx8@0 rbx8@0"},
    {"48 0f ab 07 c3", "bts [rdi],rax; ret", "rax8@0 rdi8@0"},
    {"c5 f4 46 c9 62 f2 7d 49 92 04 88 c3",
     "kxnorw k1,k1,k1; vgatherdps zmm0{k1},[rax+zmm1*4]; ret", "rax8@0 v1.64@1"},
    {"c5 e5 76 db c4 e2 e5 92 04 c8 c3",
     "vpcmpeqd ymm3,ymm3,ymm3; vgatherdpd ymm0,[rax+xmm1*8],ymm3; ret", "rax8@0 v1.16@1"},
    {"c4 e2 e5 92 04 c8 c3", "vgatherdpd ymm0,[rax+xmm1*8],ymm3; ret", "rax8@0 v3.32@0 v1.16@0"},
    {"62 f1 7c 4a 10 00 62 f1 7c 4a 11 03 c3",
     "vmovups zmm0{k2},[rax]; vmovups [rbx]{k2},zmm0; ret", "rax8@0 k2.8@0 rbx8@0"},
    {"f2 0f 10 04 c6 f2 0f 11 04 c7 48 83 c0 01 48 39 d0 75 ed",
     "movsd xmm0,[rsi+rax*8]; movsd [rdi+rax*8],xmm0; add rax,1; cmp rax,rdx; jne 1b",
     "loop rax+1: rax8@0 rsi8@0 rdi8@0 |"},
    {"48 8b 02 48 01 f2 83 e9 01 75 f5", "mov rax,[rdx]; add rdx,rsi; sub ecx,1; jne 1b",
     "loop count: rdx8@0 rsi8@0 |"},
    {"89 c0 48 8b 1c c7 83 c0 01 39 f0 7c f3",
     "mov eax,eax; mov rbx,[rdi+rax*8]; add eax,1; cmp eax,esi; jl 1b",
     "loop count: rax8@0 rdi8@0 |"},
    {"48 8b 00 48 85 c0 75 f8", "mov rax,[rax]; test rax,rax; jne 1b", "loop values: | rax8@0"},
    {"8b 07 48 83 c7 04 f2 0f 58 04 c6 48 39 d7 75 f0",
     "mov eax,[rdi]; add rdi,4; addsd xmm0,[rsi+rax*8]; cmp rdi,rdx; jne 1b",
     "loop values: rsi8@0 rdi8@0 | rax4@1"},
    {"f3 90 8a 07 84 c0 74 f8", "pause; mov al,[rdi]; test al,al; je 1b", "loop count: rdi8@0 |"},
    {"f3 90 4c 8b 1f 4d 85 db 74 f6", "pause; mov r11,[rdi]; test r11,r11; je 1b", "rdi8@0"},
    {"aa ff ca 75 fb", "stosb; dec edx; jne 1b", "rdi8@0"},
    {"48 8b 07 e2 fb", "mov rax,[rdi]; loop 1b", "rdi8@0"},
    {"50 48 ff c9 75 fa", "push rax; dec rcx; jne 1b", "loop rcx-1: rcx8@0 |"},
    {"31 c0 48 8b 14 c6 48 01 17 48 83 c0 01 48 39 c8 75 f0",
     "xor eax,eax; 1: mov rdx,[rsi+rax*8]; add [rdi],rdx; add rax,1; cmp rax,rcx; jne 1b",
     ""}, /* ends before the loop */
    {"48 8b 07 48 85 c0 74 10 48 8b 4f 08 48 8b 10 c3",
     "mov rax,[rdi]; test rax,rax; je 1f; mov rcx,[rdi+8]; mov rdx,[rax]; ret", "rdi8@0 rax8@1"},
    {"48 8b 07 74 10 48 8b 0e 75 10 8b 09 c3",
     "mov rax,[rdi]; je 1f; mov rcx,[rsi]; jne 1f; mov ecx,[rcx]; ret", "rdi8@0 rsi8@0 rcx8@3"},
    {"48 8b 07 74 f0 48 8b 0e c3", "mov rax,[rdi]; je back; ...", "rdi8@0"},
    {"48 8b 07 e3 10 48 8b 0e c3", "mov rax,[rdi]; jrcxz 1f; ...", "rdi8@0"},
    {"48 8b 07 74 10 4c 8b 1e c3", "mov rax,[rdi]; je 1f; mov r11,[rsi]; ...", "rdi8@0"},
    {"4c 8b 1f 74 10 48 8b 0e c3", "mov r11,[rdi]; je 1f; ...", "rdi8@0"},
    {"48 03 20 74 10 48 8b 0e c3", "add rsp,[rax]; je 1f; mov rcx,[rsi]; ret",
     "rax8@0 rsi8@0 rsp8@1"},
    {"74 10 31 c0 48 8b 14 c6 48 01 17 48 83 c0 01 48 39 c8 75 f0",
     "je 1f; xor eax,eax; 1: mov rdx,[rsi+rax*8]; ...; jne 1b", ""}, /* ends before the loop */
    {"31 c0 48 8b 14 c6 74 10 48 83 c0 01 48 39 c8 75 f1",
     "xor eax,eax; 1: mov rdx,[rsi+rax*8]; je 2f; add rax,1; cmp rax,rcx; jne 1b", "rsi8@0"},
};
/* clang-format on */

static const char *const register_names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                             "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                             "r12", "r13", "r14", "r15", "fs",  "gs"};

struct text {
    char data[512];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text->length += (size_t)vsnprintf(text->data + text->length, sizeof text->data - text->length,
                                      format, list);
    va_end(list);
}

static void append_slot(struct text *text, const struct ft_slot *slot)
{
    append(text, text->length ? " " : "");
    switch (slot->kind) {
    case FT_SLOT_REGISTER:
        append(text, "%s%u", register_names[slot->source], slot->size_bytes);
        break;
    case FT_SLOT_FLAGS:
        append(text, "flags%u", slot->size_bytes);
        break;
    default:
        append(text, "%c%u.%u", slot->kind == FT_SLOT_MASK ? 'k' : 'v', slot->source,
               slot->size_bytes);
    }
    append(text, "@%u", slot->instruction);
}

static void spell(const struct ft_unit *unit, struct text *text)
{
    if (unit->kind == FT_UNIT_LOOP) {
        if (unit->count_source == FT_COUNT_INDUCTION)
            append(text, "loop %s%+lld:", register_names[unit->induction_register],
                   (long long)unit->induction_stride);
        else
            append(text, unit->count_source == FT_COUNT_COUNTER ? "loop count:" : "loop values:");
    }
    for (unsigned s = 0; s < unit->slot_count; s++) {
        if (unit->kind == FT_UNIT_LOOP && s == unit->entry_slot_count)
            append(text, " |");
        append_slot(text, &unit->slots[s]);
    }
    if (unit->kind == FT_UNIT_LOOP && unit->entry_slot_count == unit->slot_count)
        append(text, " |");
}

static const struct ft_plan_limits no_limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX};

static size_t parse_bytes(const char *text, uint8_t *bytes)
{
    size_t length = 0;
    for (char *end; *text; text = end)
        bytes[length++] = (uint8_t)strtoul(text, &end, 16);
    return length;
}

static void check_case(size_t index)
{
    uint8_t code[64];
    size_t length = parse_bytes(cases[index].bytes, code);
    struct ft_unit unit;
    struct ft_diag diag = {0};
    struct text text = {0};
    if (!tap_ok(!ft_unit_plan(code, length, 0x1000, &no_limits, &unit, &diag), "%s: planned %s",
                cases[index].assembly, diag.message))
        return;
    spell(&unit, &text);
    if (!tap_ok(!strcmp(text.data, cases[index].expected), "%s", cases[index].assembly))
        printf("# expected %s\n# got      %s\n", cases[index].expected, text.data);
    ft_unit_fini(&unit);
}

static void check_refusals(void)
{
    static const struct {
        const char *bytes, *what;
    } refused[] = {{"65 a4", "string instruction in the GS segment"},
                   {"67 f3 a4", "string instruction with 32-bit addresses"},
                   {"cd 80", "int 0x80"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        uint8_t code[16];
        size_t length = parse_bytes(refused[i].bytes, code);
        struct ft_unit unit;
        struct ft_diag diag = {0};
        int status = ft_unit_plan(code, length, 0x1000, &no_limits, &unit, &diag);
        tap_ok(status == FT_ERROR_UNSUPPORTED && strstr(diag.message, "0x1000"), "%s: refused: %s",
               refused[i].what, diag.message);
    }
    static const uint8_t before[] = {0x90, 0x65, 0xa4};
    struct ft_unit unit;
    int status = ft_unit_plan(before, sizeof before, 0, &no_limits, &unit, NULL);
    if (tap_ok(!status, "a unit ends before an instruction that cannot be traced")) {
        tap_ok(unit.instruction_count == 1, "with one instruction");
        ft_unit_fini(&unit);
    }
    static const uint8_t cut_short[] = {0x90, 0x48, 0x8b};
    status = ft_unit_plan(cut_short, sizeof cut_short, 0, &no_limits, &unit, NULL);
    if (tap_ok(!status && unit.instruction_count == 1, "a unit ends where code ends"))
        ft_unit_fini(&unit);
    status = ft_unit_plan(cut_short + 1, 2, 0, &no_limits, &unit, NULL);
    tap_ok(status == FT_ERROR_DATA, "no unit from half an instruction");
}

/* ---- Damaged definitions ---- */

static uint64_t random_state = 1;

/* A definition with wrong bytes is refused, or is one that can be compiled and expanded. */
static bool survive_damage(const struct ft_bytes *definition)
{
    struct ft_bytes bytes = {0};
    struct ft_unit unit;
    struct ft_unit_program *program;
    ft_put(&bytes, definition->data, definition->length);
    for (unsigned wrong = 1 + random_next(&random_state) % 2; wrong; wrong--)
        bytes.data[random_next(&random_state) % bytes.length] = (uint8_t)random_next(&random_state);
    struct ft_cursor cursor = {.data = bytes.data,
                               .length = bytes.length - random_next(&random_state) % 2};
    int status = ft_unit_read(&cursor, &unit, NULL);
    if (!status) {
        uint64_t iterations = unit.kind == FT_UNIT_LOOP ? 3 : 1;
        size_t count = (size_t)ft_unit_value_count(&unit, iterations);
        uint64_t *values = calloc(count + 1, sizeof *values);
        uint32_t references[FT_UNIT_INSTRUCTIONS_MAX * FT_ACCESSES_MAX] = {0};
        struct ft_record record = {
            .unit = unit.id, .iteration_count = iterations, .values = values, .value_count = count};
        struct ft_log_state state = {0};
        struct ft_run_buffer buffer = {.entry_limit = UINT64_MAX};
        status = ft_unit_program_create(&unit, &program, NULL);
        if (!status) {
            status = ft_unit_program_expand(program, &record, references, &state, &buffer, NULL);
            ft_unit_program_destroy(program);
        }
        ft_run_buffer_fini(&buffer);
        free(values);
        ft_unit_fini(&unit);
    }
    ft_bytes_fini(&bytes);
    return status == FT_OK || status == FT_ERROR_DATA || status == FT_ERROR_UNSUPPORTED;
}

static void check_damage(void)
{
    size_t survived = 0, tried = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t code[64];
        struct ft_unit unit;
        struct ft_bytes definition = {0};
        size_t length = parse_bytes(cases[i].bytes, code);
        if (ft_unit_plan(code, length, 0x1000, &no_limits, &unit, NULL))
            continue;
        unit.id = 1;
        ft_unit_write(&unit, &definition);
        for (unsigned j = 0; j < 200; j++, tried++)
            survived += survive_damage(&definition);
        ft_bytes_fini(&definition);
        ft_unit_fini(&unit);
    }
    tap_ok(tried > 1000 && survived == tried, "%zu of %zu damaged definitions are dealt with",
           survived, tried);
}

/* ---- All code of this process ---- */

struct census {
    uint64_t units, instructions, slots, slot_bytes, plain, loops[4];
    uint64_t refused, unreadable, different;
    uint64_t budget_bytes;
};

static void survive_reading(const struct ft_unit *planned, struct census *census)
{
    struct ft_bytes bytes = {0}, again = {0};
    struct ft_unit numbered = *planned, read;
    struct ft_diag diag;
    numbered.id = 7;
    ft_unit_write(&numbered, &bytes);
    struct ft_cursor cursor = {.data = bytes.data, .length = bytes.length};
    if (ft_unit_read(&cursor, &read, &diag)) {
        if (!census->unreadable++)
            printf("# unit at 0x%llx: %s\n", (unsigned long long)planned->pc, diag.message);
    } else {
        ft_unit_write(&read, &again);
        census->different += bytes.length != again.length ||
                             memcmp(bytes.data, again.data, bytes.length) != 0 ||
                             cursor.position != bytes.length;
        ft_unit_fini(&read);
    }
    ft_bytes_fini(&bytes);
    ft_bytes_fini(&again);
}

static void count_unit(const struct ft_unit *unit, struct census *census)
{
    census->units++;
    census->instructions += unit->instruction_count;
    census->slots += unit->slot_count;
    for (unsigned s = 0; s < unit->slot_count; s++)
        census->slot_bytes += unit->slots[s].size_bytes;
    if (unit->kind == FT_UNIT_LOOP)
        census->loops[unit->count_source]++;
    else
        census->plain++;
}

static void sweep(const uint8_t *code, size_t length, struct census *census)
{
    for (size_t position = 0; position < length;) {
        struct ft_unit unit;
        if (ft_unit_plan(code + position, length - position, (uintptr_t)code + position, &no_limits,
                         &unit, NULL)) {
            census->refused++;
            position++;
            continue;
        }
        count_unit(&unit, census);
        survive_reading(&unit, census);
        position += unit.code_bytes;
        ft_unit_fini(&unit);
    }
}

static int sweep_object(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct census *census = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
            continue;
        size_t length =
            header->p_filesz < census->budget_bytes ? header->p_filesz : census->budget_bytes;
        census->budget_bytes -= length;
        sweep((const uint8_t *)(info->dlpi_addr + header->p_vaddr), length, census);
    }
    return 0;
}

static void check_census(uint64_t budget_bytes)
{
    struct census census = {.budget_bytes = budget_bytes};
    dl_iterate_phdr(sweep_object, &census);
    printf("# %llu units of %.1f instructions, %.2f slots, %.1f bytes; loops: %llu by induction, "
           "%llu by counter, %llu by values; %llu bytes refused\n",
           (unsigned long long)census.units, (double)census.instructions / (double)census.units,
           (double)census.slots / (double)census.units,
           (double)census.slot_bytes / (double)census.units,
           (unsigned long long)census.loops[FT_COUNT_INDUCTION],
           (unsigned long long)census.loops[FT_COUNT_COUNTER],
           (unsigned long long)census.loops[FT_COUNT_VALUES], (unsigned long long)census.refused);
    tap_ok(census.units > 10000 && census.refused < census.units / 100, "code can be planned");
    tap_ok(census.unreadable == 0, "every unit can be read again: %llu of %llu cannot",
           (unsigned long long)census.unreadable, (unsigned long long)census.units);
    tap_ok(census.different == 0, "and is the same");
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(i);
    check_refusals();
    check_damage();
    check_census(argc > 1 ? strtoull(argv[1], NULL, 0) : 3 << 20);
    return tap_plan_done();
}
