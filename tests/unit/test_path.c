/*
 * Paths through small units, joined by a taken branch, a call, a return, indirect branches and code
 * of another module: what the path and each of its beginnings expand to must be what the units
 * expand to one after another, with less logged. Values come from a walk over all instructions
 * with every register known; what an instruction computes from memory is made up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/expand/expand.h"
#include "formats/expand/unit_reading.h"
#include "formats/x86/known_registers.h"
#include "formats/x86/log_plan.h"
#include "formats/x86/path_plan.h"
#include "tests/support/random.h"
#include "tests/support/tap.h"

#define UNITS 6
#define STEPS 64

static const struct {
    uint64_t pc;
    uint32_t module;
    unsigned bytes;
    uint8_t code[32];
} pieces[UNITS] = {
    /* mov rax,[rdi]; test rax,rax; jne 0x402000 */
    {0x401000, 0, 12, {0x48, 0x8b, 0x07, 0x48, 0x85, 0xc0, 0x0f, 0x85, 0xf4, 0x0f, 0, 0}},
    /* mov rbx,[rax+8]; mov [rsp-8],r9; call 0x403000 */
    {0x402000,
     0,
     14,
     {0x48, 0x8b, 0x58, 0x08, 0x4c, 0x89, 0x4c, 0x24, 0xf8, 0xe8, 0xf2, 0x0f, 0, 0}},
    /* push rbx; mov rcx,[rbx+rax*8]; je 0x403010; nop; lea r10,[rbx+rcx]; pop rbx; ret */
    {0x403000,
     0,
     14,
     {0x53, 0x48, 0x8b, 0x0c, 0xc3, 0x74, 0x09, 0x90, 0x4c, 0x8d, 0x14, 0x0b, 0x5b, 0xc3}},
    /* lea rdx,[rbx+rcx]; mov [rdx],rax; mov r12,[r13+r10*2]; jmp rdx */
    {0x40200e,
     0,
     14,
     {0x48, 0x8d, 0x14, 0x0b, 0x48, 0x89, 0x02, 0x4f, 0x8b, 0x64, 0x55, 0x00, 0xff, 0xe2}},
    /* mov r11,[r12]; add r11,8; mov [r11],rcx; call [r11+16] */
    {0x7ffff7001000,
     1,
     15,
     {0x4d, 0x8b, 0x1c, 0x24, 0x49, 0x83, 0xc3, 0x08, 0x49, 0x89, 0x0b, 0x41, 0xff, 0x53, 0x10}},
    /* mov rsi,[rbx]; leave; ret 16 */
    {0x405000, 0, 7, {0x48, 0x8b, 0x33, 0xc9, 0xc2, 0x10, 0x00}},
};

static struct ft_unit units[UNITS];

static void plan_units(void)
{
    static const struct ft_plan_limits limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX};
    struct ft_diag diag;
    for (unsigned u = 0; u < UNITS; u++) {
        const uint8_t *code = pieces[u].code;
        if (ft_unit_plan(code, pieces[u].bytes, pieces[u].pc, &limits, &units[u], &diag))
            printf("# %s\n", diag.message);
        units[u].id = u + 1;
        units[u].module = pieces[u].module;
    }
}

/* ---- The walk ---- */

static uint64_t before[STEPS + 1][FT_REGISTER_COUNT]; /* registers before each instruction */

static void walk(const struct ft_unit *path)
{
    uint64_t random = 7;
    struct ft_effect effects[FT_PATH_INSTRUCTIONS_MAX];
    struct ft_registers registers;
    for (unsigned number = 0; number < FT_REGISTER_COUNT; number++)
        ft_registers_set(&registers, number, random_next(&random) >> 20);
    ft_unit_effects(path, effects, NULL);
    for (unsigned i = 0; i <= path->instruction_count; i++) {
        memcpy(before[i], registers.value, sizeof before[i]);
        if (i == path->instruction_count)
            break;
        ft_registers_step(&registers, &effects[i], false);
        for (unsigned number = 0; number < FT_REGISTER_COUNT; number++)
            if (!(registers.known >> number & 1))
                ft_registers_set(&registers, number,
                                 random_next(&random) >>
                                     (effects[i].upper_zero >> number & 1 ? 40 : 20));
    }
}

/* ---- What a record expands to ---- */

struct accesses {
    size_t count;
    struct ft_expanded_access list[4 * STEPS];
};

static int add_access(void *context, const struct ft_expanded_access *access)
{
    struct accesses *accesses = context;
    accesses->list[accesses->count++] = *access;
    return 0;
}

/* Appends the accesses of a unit whose first instruction is the path's `first`. */
static bool expand(const struct ft_unit *unit, unsigned first, struct ft_log_state *state,
                   struct accesses *accesses)
{
    uint64_t values[FT_UNIT_SLOTS_MAX];
    struct ft_diag diag;
    for (unsigned s = 0; s < unit->slot_count; s++)
        values[s] = before[first + unit->slots[s].instruction][unit->slots[s].source];
    struct ft_record record = {
        .unit = unit->id, .iteration_count = 1, .values = values, .value_count = unit->slot_count};
    struct ft_unit_program *program;
    struct ft_log_state compiled = *state;
    struct ft_run_buffer buffer = {0};
    static const uint32_t references[4 * STEPS];
    size_t start = accesses->count;
    bool same =
        ft_unit_step(unit, &record, state, add_access, accesses, &diag) == FT_OK &&
        ft_unit_program_create(unit, &program, &diag) == FT_OK &&
        ft_unit_program_expand(program, &record, references, &compiled, &buffer, &diag) == FT_OK &&
        compiled.rsp == state->rsp && buffer.entry_count == accesses->count - start;
    if (!same)
        printf("# %s\n", diag.message);
    for (size_t i = 0; same && i < buffer.entry_count; i++)
        same = buffer.addresses[i] == accesses->list[start + i].address;
    ft_unit_program_destroy(program);
    ft_run_buffer_fini(&buffer);
    return same && state->rsp == before[first + unit->instruction_count][FT_RSP];
}

static bool is_start_of(const struct accesses *some, const struct accesses *all)
{
    for (size_t i = 0; i < some->count; i++) {
        const struct ft_expanded_access *a = &some->list[i], *b = &all->list[i];
        if (a->pc != b->pc || a->address != b->address || a->size_bytes != b->size_bytes ||
            a->kind != b->kind)
            return false;
    }
    return some->count <= all->count;
}

/* ---- Tests ---- */

static bool survives_writing(const struct ft_unit *unit)
{
    struct ft_bytes bytes = {0}, again = {0};
    struct ft_unit read;
    struct ft_diag diag = {0};
    ft_unit_write(unit, &bytes);
    struct ft_cursor cursor = {.data = bytes.data, .length = bytes.length};
    bool is_read = ft_unit_read(&cursor, &read, &diag) == FT_OK;
    if (!is_read)
        printf("# %s\n", diag.message);
    if (is_read) {
        ft_unit_write(&read, &again);
        ft_unit_fini(&read);
    }
    bool same = is_read && cursor.position == bytes.length && again.length == bytes.length &&
                memcmp(again.data, bytes.data, bytes.length) == 0;
    ft_bytes_fini(&bytes);
    ft_bytes_fini(&again);
    return same;
}

static void test_beginnings(const struct ft_unit *path, const struct accesses *expected)
{
    bool all_same = true, all_survive = true;
    unsigned count = 0;
    for (unsigned i = 1; i < path->instruction_count; i++) {
        const struct ft_instruction *at = &path->instructions[i];
        bool predicted = ft_is_predicted(at);
        if (at[-1].flow == FT_FLOW_NEXT && !predicted)
            continue;
        struct ft_log_state state = {.rsp = before[0][FT_RSP], .fs_base = before[0][FT_FS_BASE]};
        struct accesses found = {0};
        unsigned slots = ft_unit_slots_before(path, predicted ? i + 1 : i);
        struct ft_unit beginning = ft_unit_prefix(path, i, slots);
        beginning.id = 100 + i;
        all_same =
            all_same && expand(&beginning, 0, &state, &found) && is_start_of(&found, expected);
        all_survive = all_survive && survives_writing(&beginning);
        count += beginning.beginning_of == path->id;
    }
    tap_ok(all_same, "beginnings expand to what the units did");
    tap_ok(all_survive && count >= 7, "%u beginnings survive writing and reading", count);
}

static void test_refusals(void)
{
    const struct ft_unit *list[2 * UNITS] = {&units[0], &units[2]};
    struct ft_unit path;
    tap_ok(ft_path_plan(list, 2, &path, NULL) == FT_ERROR_UNSUPPORTED,
           "what a branch does not lead to does not follow on it");
    static const struct ft_plan_limits limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX};
    static const uint8_t call[] = {0x0f, 0x05};
    static const uint8_t pop[] = {0x9d};
    struct ft_unit last[2];
    ft_unit_plan(call, sizeof call, 0x401000, &limits, &last[0], NULL);
    ft_unit_plan(pop, sizeof pop, 0x401000, &limits, &last[1], NULL);
    tap_ok(!ft_path_takes(&last[0]), "a path takes no system call");
    tap_ok(ft_path_takes(&last[1]) && !ft_path_goes_on_behind(&last[1]), "a path ends behind popf");
    ft_unit_fini(&last[0]);
    ft_unit_fini(&last[1]);
}

int main(void)
{
    const struct ft_unit *list[UNITS];
    struct ft_unit path;
    struct ft_diag diag = {0};
    plan_units();
    for (unsigned u = 0; u < UNITS; u++)
        list[u] = &units[u];
    if (ft_path_plan(list, UNITS, &path, &diag))
        printf("# %s\n", diag.message);
    path.id = 50;
    walk(&path);
    struct accesses expected = {0}, found = {0};
    struct ft_log_state state = {.rsp = before[0][FT_RSP], .fs_base = before[0][FT_FS_BASE]};
    struct ft_log_state path_state = state;
    unsigned first = 0, slots = 0;
    bool all_right = true;
    for (unsigned u = 0; u < UNITS; u++) {
        all_right = all_right && expand(&units[u], first, &state, &expected);
        first += units[u].instruction_count;
        slots += units[u].slot_count;
    }
    tap_ok(all_right && first == path.instruction_count, "the units expand by themselves");
    tap_ok(expand(&path, 0, &path_state, &found) && found.count == expected.count &&
               is_start_of(&found, &expected),
           "the path expands to the same %zu accesses", expected.count);
    tap_ok(path.slot_count < slots, "with %u values, not %u", path.slot_count, slots);
    tap_ok(path.kind == FT_UNIT_PATH && path.piece_count == 5 && ft_unit_module(&path, 0) == 0 &&
               ft_unit_module(&path, path.instruction_count - 4U) == 1 &&
               ft_unit_module(&path, path.instruction_count - 1U) == 0,
           "it has six pieces, one of them of another module");
    tap_ok(survives_writing(&path), "its definition survives writing and reading");
    test_beginnings(&path, &expected);
    test_refusals();
    ft_unit_fini(&path);
    for (unsigned u = 0; u < UNITS; u++)
        ft_unit_fini(&units[u]);
    return tap_plan_done();
}
