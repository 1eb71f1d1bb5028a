/*
 * Decoded registers against the processor itself: an instruction must leave every general register
 * alone that it is not said to write, and what it writes must not depend on registers that it is
 * not said to read. Every instruction of libc and every form with an operand in memory or a
 * register is run with random values, then again with one register changed.
 */
#include <string.h>
#include <sys/mman.h>

#include "tests/oracle/processor.h"
#include "tests/support/tap.h"

#define PLACE_BYTES 65536

struct checks {
    uint8_t *place;
    uint64_t instructions, wrong;
};

/* What differs from run to run, or was never meant to be computed from registers. */
static bool is_repeatable(const struct ft_form *form)
{
    switch (form->decoded.mnemonic) {
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_RDPID:
    case ZYDIS_MNEMONIC_RDRAND:
    case ZYDIS_MNEMONIC_RDSEED:
    case ZYDIS_MNEMONIC_RDTSC:
    case ZYDIS_MNEMONIC_RDTSCP:
        return false;
    default:
        return true;
    }
}

/* Random registers; those that addresses start from point into the place. */
static void set_registers(const struct ft_form *form, const struct checks *checks,
                          struct ft_processor_state *state)
{
    ft_processor_randomise(state);
    for (unsigned i = 0; i < form->instruction.access_count; i++) {
        const struct ft_access *access = &form->instruction.accesses[i];
        if (access->base != FT_NO_REGISTER)
            state->registers[access->base] = (uint64_t)(uintptr_t)checks->place + PLACE_BYTES / 2 -
                                             (uint64_t)access->displacement;
    }
}

/* The place holds the same at the start of each run. */
static void run(const struct ft_form *form, const struct checks *checks,
                const struct ft_processor_state *state, struct ft_processor_result *ret_result)
{
    memset(checks->place + PLACE_BYTES / 2 - 1024, 0x11, 4096);
    ft_processor_run(form->code, form->instruction.length, state, ret_result);
}

static bool writes_only_what_it_says(const struct ft_form *form,
                                     const struct ft_processor_state *before,
                                     const struct ft_processor_result *after)
{
    for (unsigned i = 0; i < 16; i++)
        if (i != FT_RSP && !(form->instruction.registers_written >> i & 1) &&
            before->registers[i] != after->registers[i])
            return false;
    return true;
}

/* Changes one register that is not read, and compares all others. */
static bool ignores_what_it_says(const struct ft_form *form, const struct checks *checks,
                                 const struct ft_processor_state *state,
                                 const struct ft_processor_result *expected)
{
    for (unsigned i = 0; i < 16; i++) {
        struct ft_processor_state changed = *state;
        struct ft_processor_result result;
        if (i == FT_RSP || form->instruction.registers_read >> i & 1)
            continue;
        changed.registers[i] = ~changed.registers[i];
        run(form, checks, &changed, &result);
        if (result.signal)
            return false;
        for (unsigned j = 0; j < 16; j++)
            if (j != FT_RSP && result.registers[j] != expected->registers[j] &&
                (j != i || form->instruction.registers_written >> i & 1))
                return false;
    }
    return true;
}

static void check_form(void *context, const struct ft_form *form)
{
    struct checks *checks = context;
    struct ft_processor_state state;
    struct ft_processor_result result;

    for (unsigned i = 0; i < form->instruction.access_count; i++)
        if (form->instruction.accesses[i].address_is_32_bit ||
            form->instruction.accesses[i].base == FT_NO_REGISTER)
            return;
    set_registers(form, checks, &state);
    run(form, checks, &state, &result);
    if (result.signal)
        return;
    checks->instructions++;
    if (!writes_only_what_it_says(form, &state, &result) && checks->wrong++ < 20)
        ft_print_form(form, "writes another register");
    if (is_repeatable(form) && !ignores_what_it_says(form, checks, &state, &result) &&
        checks->wrong++ < 20)
        ft_print_form(form, "depends on another register");
}

int main(void)
{
    struct checks checks = {.place = mmap(NULL, PLACE_BYTES, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};

    if (!ft_processor_open()) {
        printf("1..0 # SKIP needs a processor with AVX2\n");
        return 0;
    }
    if (!tap_ok(checks.place != MAP_FAILED, "memory is mapped"))
        return tap_plan_done();
    ft_visit_all_forms(check_form, &checks);
    printf("# %lu different instructions\n", (unsigned long)checks.instructions);
    tap_ok(checks.instructions > 20000, "many instructions could be run");
    tap_ok(checks.wrong == 0, "the processor reads and writes the registers decoded");
    return tap_plan_done();
}
