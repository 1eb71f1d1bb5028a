/*
 * Schedules of short loops whose cycles follow by hand from a core that is made here
 * (tests/support/core_by_hand.h), and from one with what core files of version 3 have besides.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/schedule/body_making.h"
#include "engine/schedule/path_schedules.h"
#include "engine/schedule/port_bound.h"
#include "engine/schedule/schedule.h"
#include "tests/support/body_code.h"
#include "tests/support/core_by_hand.h"
#include "tests/support/tap.h"

#define NEAR 0.06

struct expectation {
    const char *name;
    const char *code; /* instructions in hexadecimal, a space between; the last one is taken */
    double front_end, ports, recurrence, cycles;
    enum ft_schedule_limit limit;
};

#define DEC_JNZ " 49ffcf 75f0" /* dec r15; jnz: one operation */

static const struct expectation expectations[] = {
    /* The pair is one operation, the loop as fast as branches are taken. */
    {"a fused pair", "49ffcf 75f0", 1, 0.5, 1, 1, FT_LIMIT_FRONT_END},
    /* add rax, rax three times, one after the other. */
    {"a chain", "4801c0 4801c0 4801c0" DEC_JNZ, 1, 2, 3, 3, FT_LIMIT_RECURRENCE},
    /* add xmm0, xmm1: 4 cycles each. */
    {"a sum of numbers", "f20f58c1" DEC_JNZ, 1, 1, 4, 4, FT_LIMIT_RECURRENCE},
    /* addsd xmm0, [rax]: the load is no part of the chain. */
    {"a sum of loads", "f20f5800" DEC_JNZ, 1, 1, 4, 4, FT_LIMIT_RECURRENCE},
    /* imul rcx, rax; imul rdx, rax; imul rsi, rax into fresh registers: the port of one. */
    {"a port", "4889c1 480fafc8 4889c2 480fafd0 4889c6 480faff0" DEC_JNZ, 1.75, 3, 1, 3,
     FT_LIMIT_PORTS},
    /* mov rax, [rdi]; rcx, rdx, rsi likewise: 4 loads on 2 ports, 5 slots. */
    {"two ports", "488b07 488b0f 488b17 488b37" DEC_JNZ, 1.25, 2, 1, 2, FT_LIMIT_PORTS},
    /* mov rax, rcx eight times: nothing but slots, and 9 of them take two fetches. */
    {"slots", "4889c8 4889c8 4889c8 4889c8 4889c8 4889c8 4889c8 4889c8" DEC_JNZ, 2.25, 0.5, 1, 2.25,
     FT_LIMIT_FRONT_END},
    /* add qword [rdi], 1: what was stored comes back after 2 cycles, and 1 to add. */
    {"forwarding", "48830701" DEC_JNZ, 1, 1, 3, 3, FT_LIMIT_RECURRENCE},
    /* add qword [rdi], 1; add rdi, 8: each time elsewhere. */
    {"no forwarding", "48830701 4883c708" DEC_JNZ, 1, 1.5, 1, 1.5, FT_LIMIT_PORTS},
    /* mov rax, [rdi]; add rax, rcx; mov [rdi + 16], rax; add rdi, 8: every second iteration. */
    {"forwarding from two iterations before", "488b07 4801c8 48894710 4883c708" DEC_JNZ, 1.25, 1.5,
     1.5, 1.5, FT_LIMIT_PORTS},
    /* lock add qword [rdi], rax, and three sums that it hides; xchg rcx, [rdi]. */
    {"an atomic sum", "f0480107 4801c8 4801d0 4801f0" DEC_JNZ, 1.25, 2.5, 3, 20, FT_LIMIT_ATOMICS},
    {"an exchange with memory", "48870f" DEC_JNZ, 1, 1, 3, 20, FT_LIMIT_ATOMICS},
    /* mov rax, [rax]: 5 cycles each. */
    {"a chase", "488b00" DEC_JNZ, 1, 0.5, 5, 5, FT_LIMIT_RECURRENCE},
    /* xor eax, eax; add rax, rcx (three times): zero ends the chain, 2 ALUs do 4 additions. */
    {"a zero idiom", "31c0 4801c8 4801c8 4801c8" DEC_JNZ, 1.25, 2, 1, 2, FT_LIMIT_PORTS},
};

/* What CORE_BY_HAND_LATER takes. */
static const struct expectation later_expectations[] = {
    /* addsd xmm0, xmm1: 2 cycles to the next. */
    {"a sum of numbers, chained", "f20f58c1" DEC_JNZ, 1, 1, 2, 2, FT_LIMIT_RECURRENCE},
    {"a sum of loads, chained", "f20f5800" DEC_JNZ, 1, 1, 2, 2, FT_LIMIT_RECURRENCE},
    /* addsd xmm0, xmm1; mulsd xmm0, xmm2: the product waits for all of the sum. */
    {"a sum and a product", "f20f58c1 f20f59c2" DEC_JNZ, 1, 2, 7, 7, FT_LIMIT_RECURRENCE},
    /* mov rax, [rdi]; add rax, rcx; mov [rdi], rax: no more than the addition. */
    {"renamed memory", "488b07 4801c8 488907" DEC_JNZ, 1, 1, 1, 1, FT_LIMIT_FRONT_END},
    /* The same with an index, and add [rdi], rax: 2 cycles from store to load. */
    {"memory with an index", "488b04cf 4801d0 488904cf" DEC_JNZ, 1, 1, 3, 3, FT_LIMIT_RECURRENCE},
    {"a sum in memory of a register", "480107" DEC_JNZ, 1, 1, 3, 3, FT_LIMIT_RECURRENCE},
    /* movups xmm0, [rdi]; addsd xmm0, xmm1; movups [rdi], xmm0. */
    {"memory to vectors", "0f1007 f20f58c1 0f1107" DEC_JNZ, 1, 1, 6, 6, FT_LIMIT_RECURRENCE},
    /* mov [rdi], rax; mov [rsi], rax: two lines. */
    {"stores to two lines", "488907 488906" DEC_JNZ, 1, 2, 1, 2, FT_LIMIT_PORTS},
    /* mov [rdi], rax; mov [rdi + 64], rax. */
    {"stores to lines side by side", "488907 48894740" DEC_JNZ, 1, 2, 1, 2, FT_LIMIT_PORTS},
    /* mov [rdi], rax; mov [rdi + 8], rax; mov [rsi], rax; mov [rsi + 8], rax. */
    {"stores to two lines, in pairs", "488907 48894708 488906 48894608" DEC_JNZ, 1.25, 2, 1, 2,
     FT_LIMIT_PORTS},
    /* mov [rdi], rax; mov [rdi + 8], rax; mov [rdi + 16], rax: the third with the next one's first.
     */
    {"three stores to a line", "488907 48894708 48894710" DEC_JNZ, 1, 1.5, 1, 1.5, FT_LIMIT_PORTS},
    /* mov [rdi], rax; mov [rdi + 8], rax; mov [rdi + 16], rax; add rdi, 112. */
    {"three stores to a line, then another", "488907 48894708 48894710 4883c770" DEC_JNZ, 1.25, 2,
     1, 2, FT_LIMIT_PORTS},
};

/* What CORE_BY_HAND_FOURTH takes. */
static const struct expectation fourth_expectations[] = {
    {"memory with an index", "488b04cf 4801d0 488904cf" DEC_JNZ, 1, 1, 3, 3, FT_LIMIT_RECURRENCE},
    {"memory to vectors, later", "0f1007 f20f58c1 0f1107" DEC_JNZ, 1, 1, 11, 11,
     FT_LIMIT_RECURRENCE},
};

/* What CORE_BY_HAND_FIFTH takes. */
#define MOV        "4889ca "   /* mov rdx, rcx: 3 bytes */
#define MOV_LONGER "450f10c8 " /* movups xmm9, xmm8: 4 bytes */
static const struct expectation fifth_expectations[] = {
    {"two entries of a window", MOV MOV MOV "49ffcf 75f0", 1, 0.5, 1, 1, FT_LIMIT_FRONT_END},
    /* Four, and the pair at byte 12, which ends behind 16. */
    {"a branch over a window's end", MOV MOV MOV MOV "49ffcf 75f0", 4, 0.5, 1, 4,
     FT_LIMIT_FRONT_END},
    {"a branch in a window of its own", MOV_LONGER MOV_LONGER MOV_LONGER MOV_LONGER "49ffcf 75f0",
     2, 0.5, 1, 2, FT_LIMIT_FRONT_END},
};

/* What CORE_BY_HAND_SIXTH takes. */
static const struct expectation sixth_expectations[] = {
    {"two entries of a window, one a cycle", MOV MOV MOV "49ffcf 75f0", 2, 0.5, 1, 2,
     FT_LIMIT_FRONT_END},
    {"an entry", MOV "49ffcf 75f0", 1, 0.5, 1, 1, FT_LIMIT_FRONT_END},
    /* Four, and the pair at byte 12, which ends behind 16: the second entry comes with it. */
    {"a branch over a window's end", MOV MOV MOV MOV "49ffcf 75f0", 2, 0.5, 1, 2,
     FT_LIMIT_FRONT_END},
    /* mov rdi, [rdi + rdi * 8]; mov rdi, [rdi + 8]; mov rdi, [rdi + rdi]; mov rdi, [rdi + rdi + 8]
     */
    {"a chain by a scaled index", "488b3cff" DEC_JNZ, 1, 0.5, 6, 6, FT_LIMIT_RECURRENCE},
    {"by base and displacement", "488b7f08" DEC_JNZ, 1, 0.5, 5, 5, FT_LIMIT_RECURRENCE},
    {"by base and index", "488b3c3f" DEC_JNZ, 1, 0.5, 5, 5, FT_LIMIT_RECURRENCE},
    {"by base, index and displacement", "488b7c3f08" DEC_JNZ, 1, 0.5, 6, 6, FT_LIMIT_RECURRENCE},
};

/* Of a loop or straight-line code. */
static uint32_t read_code(const char *text, uint8_t bytes[64][16], struct ft_body_code code[64])
{
    const uint32_t count = body_code_of_text(text, 0x1000, bytes, code);
    code[count - 1].taken = true;
    return count;
}

static bool is_scheduled(const struct ft_core *core, const struct ft_body_path *path,
                         struct ft_schedule *ret_schedule)
{
    struct ft_body body;
    if (ft_body_make(core, path, &body, NULL) != FT_OK)
        return false;
    const bool done = ft_schedule_find(&body, path->repeats, ret_schedule, NULL) == FT_OK;
    ft_body_fini(&body);
    return done;
}

static bool is_near(double value, double expected)
{
    return fabs(value - expected) <= NEAR * expected;
}

static void check_loop(const struct ft_core *core, const struct expectation *expected)
{
    uint8_t bytes[64][16];
    struct ft_body_code code[64];
    struct ft_body body;
    struct ft_schedule schedule;
    struct ft_diag diag = {0};
    const uint32_t count = read_code(expected->code, bytes, code);
    if (ft_body_make(core, &(struct ft_body_path){code, count, true, NULL, 0}, &body, &diag) !=
        FT_OK) {
        tap_ok(false, "%s: %s", expected->name, diag.message);
        return;
    }
    const int status = ft_schedule_find(&body, true, &schedule, &diag);
    const double *bounds = schedule.bounds;
    tap_ok(status == FT_OK && is_near(bounds[FT_LIMIT_FRONT_END], expected->front_end) &&
               is_near(bounds[FT_LIMIT_PORTS], expected->ports) &&
               is_near(bounds[FT_LIMIT_RECURRENCE], expected->recurrence) &&
               is_near(schedule.cycles, expected->cycles) && schedule.limit == expected->limit &&
               schedule.unknown_count == 0,
           "%s: front end %.2f, ports %.2f, recurrence %.2f, %.2f cycles, limit %s", expected->name,
           bounds[FT_LIMIT_FRONT_END], bounds[FT_LIMIT_PORTS], bounds[FT_LIMIT_RECURRENCE],
           schedule.cycles, ft_schedule_limit_names[schedule.limit]);
    ft_body_fini(&body);
}

/* A form that the core lacks is counted, named, and takes its slot and its port. */
static void check_unknown(const struct ft_core *core)
{
    uint8_t bytes[64][16];
    struct ft_body_code code[64];
    struct ft_body body;
    const uint32_t count = read_code("f3480fb8c1 49ffcf 75f0", bytes, code); /* popcnt rax, rcx */
    uint64_t ports;
    if (ft_body_make(core, &(struct ft_body_path){code, count, true, NULL, 0}, &body, NULL) !=
        FT_OK) {
        tap_ok(false, "a form that the core lacks");
        return;
    }
    tap_ok(body.unknown_count == 1 && strcmp(body.unknown_form, "popcnt r64, r64") == 0 &&
               ft_port_bound(&body, &ports) == 1,
           "a form that the core lacks is counted, named and not free");
    ft_body_fini(&body);
}

/* mov rax, [rdx]; add rax, rcx; mov [rdx + 8 r8], rax; add rdx, r9; dec r15; jnz: r9 is a stride in
 * bytes and r8 in elements, or not; only what ran before tells. */
static void check_entry(const struct ft_core *core)
{
    static const char *const loop = "488b02 4801c8 4a8904c2 4c01ca" DEC_JNZ;
    static const struct {
        const char *name, *entry;
        double recurrence;
    } entries[] = {
        {"nothing is known", "", 1},
        /* lea r9, [r8 * 8] */
        {"a stride of so many elements", "4e8d0cc500000000", 3},
        /* neg r8; lea r9, [r8 * 8] */
        {"of so many before that", "49f7d8 4e8d0cc500000000", 3},
        /* lea r9, [r8 * 8]; add r9, 64 */
        {"of other ones", "4e8d0cc500000000 4983c140", 1},
        /* lea r9, [r8 * 8]; inc r8 */
        {"of so many before they change", "4e8d0cc500000000 49ffc0", 1},
        /* lea r9, [r8 * 8]; mov r8, [rsp] */
        {"of so many before they are loaded", "4e8d0cc500000000 4c8b0424", 1},
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        uint8_t bytes[64][16], entry_bytes[64][16];
        struct ft_body_code code[64], entry[64];
        const uint32_t count = read_code(loop, bytes, code);
        const uint32_t entry_count =
            *entries[i].entry ? read_code(entries[i].entry, entry_bytes, entry) : 0;
        const struct ft_body_path path = {code, count, true, entry, entry_count};
        struct ft_schedule schedule = {0};
        tap_ok(is_scheduled(core, &path, &schedule) &&
                   is_near(schedule.bounds[FT_LIMIT_RECURRENCE], entries[i].recurrence),
               "a column, before which %s: recurrence %.2f, expected %.2f", entries[i].name,
               schedule.bounds[FT_LIMIT_RECURRENCE], entries[i].recurrence);
    }
}

/* mov rax, [rsi]; add rax, rcx; mov [rdi], rax; add rsi, r9; add rdi, r9: two pointers, of which
 * one was the other a stride before. */
static void check_two_pointers(const struct ft_core *core)
{
    uint8_t bytes[64][16], entry_bytes[64][16];
    struct ft_body_code code[64], entry[64];
    struct ft_schedule schedule = {0};
    const uint32_t count = read_code("488b06 4801c8 488907 4c01ce 4c01cf" DEC_JNZ, bytes, code);
    /* lea rdi, [rsi + r9] */
    const uint32_t entry_count = read_code("4a8d3c0e", entry_bytes, entry);
    const struct ft_body_path path = {code, count, true, entry, entry_count};
    tap_ok(is_scheduled(core, &path, &schedule) &&
               is_near(schedule.bounds[FT_LIMIT_RECURRENCE], 3) &&
               schedule.recurrence_through_memory,
           "two pointers, a stride apart: recurrence %.2f, expected 3",
           schedule.bounds[FT_LIMIT_RECURRENCE]);
}

/* In a loop whose sums take longer than anything else: how long its branch waits behind its
 * dispatch, for the sums or not. */
static void check_waits(const struct ft_core *core)
{
    static const struct {
        const char *name, *code;
        bool waits;
    } loops[] = {
        /* addsd xmm0, xmm1; dec r15; jnz */
        {"a branch by a counter", "f20f58c1" DEC_JNZ, false},
        /* imul rax, rcx; cmp rax, rcx; jnz */
        {"a branch by the product", "480fafc1 4839c8 75f0", true},
    };
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        uint8_t bytes[64][16];
        struct ft_body_code code[64];
        struct ft_schedule schedule = {0};
        const uint32_t count = read_code(loops[i].code, bytes, code);
        const struct ft_body_path path = {code, count, true, NULL, 0};
        const bool done = is_scheduled(core, &path, &schedule);
        /* The window holds 64 operations, of 32 iterations of 3 cycles and more. */
        const double waits = schedule.branch_wait_cycles;
        tap_ok(done && (loops[i].waits ? waits > 80 && waits <= 100 : waits > 0 && waits <= 2),
               "%s waits %.1f cycles", loops[i].name, waits);
    }
}

/* How long a branch is not known behind its dispatch. */
static void check_resolving(const struct ft_core *core)
{
    static const struct {
        const char *name, *code;
        double cycles;
    } branches[] = {
        {"what is there is compared", "49ffcf 75f0", 1},
        /* mov rax, [rdi]; cmp rax, rcx; jnz: the pair is the second of 4 operations a cycle. */
        {"a load is compared", "488b07 4839c8 75f0", 5 + 1 - 0.25},
        {"a load of what was loaded", "488b07 488b00 4839c8 75f0", 5 + 5 + 1 - 0.5},
        /* mov rdx, rcx eight times between. */
        {"what was loaded long before",
         "488b07 4889ca 4889ca 4889ca 4889ca 4889ca 4889ca 4889ca 4889ca 4839c8 75f0", 6 - 2.25},
        /* mov rax, [rdi]; dec r15; jnz */
        {"a load that is not compared", "488b07 49ffcf 75f0", 1},
        /* add qword [rdi], 1; cmp qword [rdi], 0; jne: through memory. */
        {"what was stored is compared", "48830701 48833f00 75f0", 5 + 1 + 2 + 1 - 0.5},
    };
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        uint8_t bytes[64][16];
        struct ft_body_code code[64];
        struct ft_schedule schedule = {0};
        const uint32_t count = read_code(branches[i].code, bytes, code);
        const struct ft_body_path path = {code, count, false, NULL, 0};
        tap_ok(is_scheduled(core, &path, &schedule) &&
                   is_near(schedule.resolve_cycles, branches[i].cycles),
               "%s: known after %.2f cycles, expected %.2f", branches[i].name,
               schedule.resolve_cycles, branches[i].cycles);
    }
}

/* Without repetition: from dispatch to the last result. */
static void check_straight(const struct ft_core *core)
{
    uint8_t bytes[64][16];
    struct ft_body_code code[64];
    struct ft_schedule schedule = {0};
    const uint32_t count = read_code("488b07 4801c0 4801c0", bytes, code);
    const struct ft_body_path path = {code, count, false, NULL, 0};
    const bool done = is_scheduled(core, &path, &schedule);
    /* Dispatched in cycle 0, started in 1: a load of 5, two additions; seen to be done in the one
     * behind. */
    tap_ok(done && schedule.cycles >= 8 && schedule.cycles <= 9,
           "straight-line code takes %.0f cycles", schedule.cycles);
}

static bool is_same(const struct ft_schedule *a, const struct ft_schedule *b)
{
    for (int limit = 0; limit < FT_LIMIT_WINDOW; limit++)
        if (a->bounds[limit] != b->bounds[limit])
            return false;
    return a->cycles == b->cycles && a->limit == b->limit && a->ports == b->ports &&
           a->recurrence_place == b->recurrence_place &&
           a->recurrence_instruction == b->recurrence_instruction &&
           a->unknown_count == b->unknown_count;
}

/* Whether both functions say the same of the code, as a loop or not. */
static bool is_found_alike(struct ft_path_schedules *schedules, const struct ft_body_code *code,
                           uint32_t count, bool repeats)
{
    const struct ft_body_path path = {code, count, repeats, NULL, 0};
    struct ft_body body;
    struct ft_schedule direct, found;
    if (ft_body_make(ft_path_schedules_core(schedules), &path, &body, NULL) != FT_OK)
        return false;
    const bool done = ft_schedule_find(&body, repeats, &direct, NULL) == FT_OK &&
                      ft_path_schedule_find(schedules, &path, &found, NULL) == FT_OK;
    ft_body_fini(&body);
    return done && is_same(&direct, &found);
}

/* Paths that differ in little, each asked for twice among all others. */
static void check_paths(void)
{
    const size_t expectation_count = sizeof expectations / sizeof *expectations;
    struct ft_machine machine;
    struct ft_path_schedules *schedules;
    struct ft_diag diag = {0};
    size_t wrong = 0;
    if (ft_machine_load("caches=L1D:32K:64:8@4,memory@100", &machine, &diag) != FT_OK ||
        ft_path_schedules_create(&machine, &schedules, &diag) != FT_OK) {
        tap_ok(false, "a machine: %s", diag.message);
        return;
    }
    ft_machine_fini(&machine);
    for (size_t i = 0; i < 2 * expectation_count; i++) {
        uint8_t bytes[64][16];
        struct ft_body_code code[64];
        const uint32_t count = read_code(expectations[i % expectation_count].code, bytes, code);
        wrong += !is_found_alike(schedules, code, count, true);
        wrong += !is_found_alike(schedules, code, count, false);
        code[count - 1].taken = false;
        wrong += !is_found_alike(schedules, code, count, true);
        wrong += !is_found_alike(schedules, code, count - 1, true);
    }
    tap_ok(wrong == 0, "paths that were scheduled before are as at first: %zu are not", wrong);
    ft_path_schedules_destroy(schedules);
}

int main(void)
{
    struct ft_core core = {0}, later = {0}, fourth = {0}, fifth = {0}, sixth = {0};
    core_by_hand(CORE_BY_HAND_FIRST, &core);
    core_by_hand(CORE_BY_HAND_LATER, &later);
    core_by_hand(CORE_BY_HAND_FOURTH, &fourth);
    core_by_hand(CORE_BY_HAND_FIFTH, &fifth);
    core_by_hand(CORE_BY_HAND_SIXTH, &sixth);
    tap_ok(core.retire == 4 && core.load_buffer == 22 && core.store_buffer == 16 &&
               core.miss_buffers == 16 && core.page_walks == 2 && core.mispredict_cycles == 15,
           "of version 1: what is usual for what it lacks");
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
        check_loop(&core, &expectations[i]);
    for (size_t i = 0; i < sizeof later_expectations / sizeof *later_expectations; i++)
        check_loop(&later, &later_expectations[i]);
    for (size_t i = 0; i < sizeof fourth_expectations / sizeof *fourth_expectations; i++)
        check_loop(&fourth, &fourth_expectations[i]);
    for (size_t i = 0; i < sizeof fifth_expectations / sizeof *fifth_expectations; i++)
        check_loop(&fifth, &fifth_expectations[i]);
    for (size_t i = 0; i < sizeof sixth_expectations / sizeof *sixth_expectations; i++)
        check_loop(&sixth, &sixth_expectations[i]);
    check_unknown(&core);
    check_waits(&core);
    check_entry(&core);
    check_two_pointers(&core);
    check_straight(&core);
    check_resolving(&core);
    check_paths();
    ft_core_fini(&core);
    ft_core_fini(&later);
    ft_core_fini(&fourth);
    ft_core_fini(&fifth);
    ft_core_fini(&sixth);
    return tap_plan_done();
}
