/*
 * Random units, planned, run, logged as their plan says, and expanded again: by the reference,
 * ft_unit_step(), by the compiled program, and in part; also as what remains of them where a branch
 * inside was taken, and those that branch back to their start as loops with side exits. All must
 * give the accesses of the run, in order, its counts, and the state behind it; so must programs
 * with the fetches of instructions, and with these alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/expand/simple.h"
#include "formats/expand/unit_reading.h"
#include "formats/x86/known_registers.h"
#include "formats/x86/log_plan.h"
#include "formats/x86/path_plan.h"
#include "tests/oracle/random_machine.h"
#include "tests/oracle/random_unit.h"
#include "tests/support/access_list.h"
#include "tests/support/tap.h"

static int visit_stepped(void *context, const struct ft_expanded_access *access)
{
    access_list_add(context,
                    (struct access){access->pc, access->address, access->size_bytes, access->kind});
    return 0;
}

/* One random case: its code, its run, and the record that the run logs. */
struct trial {
    uint64_t seed;
    uint64_t random;
    struct random_instruction instructions[RANDOM_UNIT_MAX];
    uint8_t code[16 * RANDOM_UNIT_MAX];
    size_t code_bytes;
    struct ft_unit unit;
    uint64_t iterations;
    struct ft_log_state before, after;
    struct access_list truth;
    struct access_list fetches, merged; /* of the same run: fetches, and all in order */
    uint64_t pc;                        /* of the instruction that runs */
    uint64_t *values;
    size_t value_count, value_capacity;
    uint64_t entry_values[FT_REGISTER_COUNT]; /* registers at entry, behind the whole iterations, */
    uint64_t head_values[FT_REGISTER_COUNT];
    uint64_t exit_values[FT_REGISTER_COUNT]; /* and at the exit */
    const char *wrong;                       /* what the run found to be wrong with the plan */
};

static void visit_true(void *context, const struct random_access *access)
{
    struct trial *trial = context;
    struct access seen = {trial->pc, access->address, access->size_bytes, access->kind};
    access_list_add(&trial->truth, seen);
    access_list_add(&trial->merged, seen);
}

static void fetch(struct trial *trial, const struct ft_instruction *instruction)
{
    struct access seen = {instruction->pc, instruction->pc, instruction->length, FT_FETCH};
    trial->pc = instruction->pc;
    access_list_add(&trial->fetches, seen);
    access_list_add(&trial->merged, seen);
}

static const struct access_list *truth_of(const struct trial *trial, unsigned content)
{
    return content == FT_RUN_ACCESSES  ? &trial->truth
           : content == FT_RUN_FETCHES ? &trial->fetches
                                       : &trial->merged;
}

static void log_value(struct trial *trial, uint64_t value)
{
    if (!FT_RESERVE(trial->values, trial->value_capacity, trial->value_count + 1))
        abort();
    trial->values[trial->value_count++] = value;
}

static void log_slot(struct trial *trial, const struct machine *machine, const struct ft_slot *slot)
{
    switch (slot->kind) {
    case FT_SLOT_REGISTER:
        if (slot->size_bytes == 4 && machine->registers[slot->source] > UINT32_MAX)
            trial->wrong = "a slot of 4 bytes for a value that needs 8";
        log_value(trial, machine->registers[slot->source]);
        break;
    case FT_SLOT_MASK:
        log_value(trial, machine->masks[slot->source]);
        break;
    case FT_SLOT_FLAGS:
        log_value(trial, machine->popped_flags);
        break;
    default:
        for (unsigned j = 0; j < slot->size_bytes / 8U; j++)
            log_value(trial, machine->vectors[slot->source][j]);
    }
}

static struct ft_log_state state_of(const struct machine *machine)
{
    return (struct ft_log_state){.rsp = machine->registers[FT_RSP],
                                 .fs_base = machine->registers[FT_FS_BASE],
                                 .direction_down = machine->direction_down};
}

/* Runs the first `limit` instructions of the body once; they log slots before `slot_limit`. */
static void run_body(struct trial *trial, struct machine *machine, unsigned limit,
                     unsigned slot_limit)
{
    const struct ft_unit *unit = &trial->unit;
    unsigned slot = ft_unit_is_loop(unit) ? unit->entry_slot_count : 0;
    for (unsigned i = 0; i <= limit; i++) {
        if (i < limit)
            machine_prepare(machine, &trial->instructions[i], &trial->random);
        for (; slot < slot_limit && unit->slots[slot].instruction == i; slot++)
            log_slot(trial, machine, &unit->slots[slot]);
        if (i == limit)
            break;
        fetch(trial, &unit->instructions[i]);
        machine_step(machine, &trial->instructions[i], &trial->random, visit_true, trial);
    }
}

static void run(struct trial *trial, unsigned limit)
{
    struct machine machine;
    random_machine(&trial->random, &machine);
    trial->before = state_of(&machine);
    memcpy(trial->entry_values, machine.registers, sizeof trial->entry_values);
    const struct ft_unit *unit = &trial->unit;
    if (ft_unit_is_loop(unit))
        for (unsigned s = 0; s < unit->entry_slot_count; s++)
            log_slot(trial, &machine, &unit->slots[s]);
    for (uint64_t i = 0; i < trial->iterations; i++)
        run_body(trial, &machine, limit, unit->slot_count);
    memcpy(trial->head_values, machine.registers, sizeof trial->head_values);
    if (unit->last_iteration_instructions && limit == unit->instruction_count)
        run_body(trial, &machine, unit->last_iteration_instructions,
                 unit->entry_slot_count + unit->last_iteration_slots);
    trial->after = state_of(&machine);
    memcpy(trial->exit_values, machine.registers, sizeof trial->exit_values);
}

static bool same_state(const struct ft_log_state *left, const struct ft_log_state *right)
{
    return left->rsp == right->rsp && left->fs_base == right->fs_base &&
           left->direction_down == right->direction_down;
}

static const char *check_stepped(const struct trial *trial, const struct ft_record *record,
                                 bool is_partial)
{
    struct access_list stepped = {0};
    struct ft_log_state state = trial->before;
    struct ft_diag diag;
    const char *wrong = NULL;
    if (ft_unit_step(&trial->unit, record, &state, visit_stepped, &stepped, &diag)) {
        printf("# %s\n", diag.message);
        wrong = "the reference fails";
    } else if (!access_list_equals(&stepped, &trial->truth)) {
        wrong = "the reference gives other accesses";
    } else if (!is_partial && !same_state(&state, &trial->after)) {
        wrong = "the reference gives another state";
    }
    access_list_fini(&stepped);
    return wrong;
}

/* Enough for accesses and fetches. */
#define ENTRIES_MAX (FT_UNIT_INSTRUCTIONS_MAX * (2 * FT_ACCESSES_MAX + 1))

/* The accesses of a batch of runs, one by one. */
static void flatten(const struct ft_unit *unit, unsigned content,
                    const struct ft_run_buffer *buffer, struct access_list *accesses)
{
    struct access by_reference[ENTRIES_MAX];
    unsigned count = 0;
    for (unsigned i = 0; i < unit->instruction_count; i++) {
        const struct ft_instruction *instruction = &unit->instructions[i];
        if (content & FT_RUN_FETCHES)
            by_reference[count++] =
                (struct access){instruction->pc, 0, instruction->length, FT_FETCH};
        for (unsigned a = 0; (content & FT_RUN_ACCESSES) && a < instruction->access_count; a++) {
            const struct ft_access *access = &instruction->accesses[a];
            const unsigned references = ft_unit_access_references(unit, instruction, access);
            for (unsigned whole = 0; whole < references; whole++)
                by_reference[count++] = (struct access){
                    instruction->pc, 0, whole ? FT_STRING_GRANULE_BYTES : access->size_bytes,
                    access->kind};
        }
    }
    for (size_t r = 0; r < buffer->run_count; r++) {
        const struct ft_run *at = &buffer->runs[r];
        for (uint64_t i = 0; i < at->iteration_count; i++)
            for (size_t e = at->first; e < at->first + at->reference_count; e++) {
                struct access access = by_reference[buffer->references[e]];
                access.address = buffer->addresses[e];
                if (i)
                    access.address += i * (uint64_t)buffer->strides[e];
                access_list_add(accesses, access);
            }
    }
}

static uint64_t drop_prefetches(struct access_list *accesses)
{
    size_t kept = 0;
    for (size_t i = 0; i < accesses->count; i++)
        if (accesses->items[i].kind != FT_PREFETCH)
            accesses->items[kept++] = accesses->items[i];
    uint64_t dropped = accesses->count - kept;
    accesses->count = kept;
    return dropped;
}

static const char *check_expanded(const struct trial *trial, const struct ft_unit_program *program,
                                  unsigned content, const struct ft_record *record, bool is_partial,
                                  uint64_t *ret_strided)
{
    uint32_t references[ENTRIES_MAX];
    struct access_list expanded = {0};
    struct ft_run_buffer buffer = {.entry_limit = UINT64_MAX};
    struct ft_log_state state = trial->before;
    struct ft_diag diag;
    const char *wrong = NULL;
    for (unsigned i = 0; i < sizeof references / sizeof *references; i++)
        references[i] = i;
    do {
        ft_run_buffer_clear(&buffer);
        if (ft_unit_program_expand(program, record, references, &state, &buffer, &diag)) {
            printf("# %s\n", diag.message);
            wrong = "the program fails";
        }
        flatten(&trial->unit, content, &buffer, &expanded);
        for (size_t r = 0; r < buffer.run_count; r++)
            *ret_strided += buffer.runs[r].iteration_count > 1;
    } while (!wrong && buffer.iterations_done);
    if (!wrong && !access_list_equals(&expanded, truth_of(trial, content)))
        wrong = "the program gives other accesses";
    if (!wrong && !is_partial && !same_state(&state, &trial->after))
        wrong = "the program gives another state";
    ft_run_buffer_fini(&buffer);
    access_list_fini(&expanded);
    return wrong;
}

/* The same of units that expand many records a call; and a record of another length is left. */
static const char *check_simple(const struct trial *trial, const struct ft_unit_program *program,
                                unsigned content, struct ft_record record, uint64_t *ret_simple)
{
    uint32_t references[ENTRIES_MAX];
    struct ft_simple_program *simple;
    struct access_list expanded = {0};
    struct ft_run_buffer buffer = {0};
    struct ft_log_state state = trial->before;
    const char *wrong = NULL;
    size_t done;
    for (unsigned i = 0; i < sizeof references / sizeof *references; i++)
        references[i] = i;
    if (ft_simple_program_create(program, references, &simple, NULL))
        return "there is no simple program";
    if (!simple)
        return NULL;
    ++*ret_simple;
    const struct ft_simple_program *programs[] = {NULL, simple, simple};
    struct ft_record records[] = {record, record};
    records[1].value_count++;
    if (ft_simple_programs_expand(programs, records, 2, &state, &buffer, &done, NULL) || done != 1)
        wrong = "the simple program does not take one record";
    flatten(&trial->unit, content, &buffer, &expanded);
    if (!wrong && !access_list_equals(&expanded, truth_of(trial, content)))
        wrong = "the simple program gives other accesses";
    if (!wrong && !same_state(&state, &trial->after))
        wrong = "the simple program gives another state";
    free(simple);
    ft_run_buffer_fini(&buffer);
    access_list_fini(&expanded);
    return wrong;
}

static const char *check_counted(const struct trial *trial, const struct ft_unit_program *program,
                                 const struct ft_record *record, uint64_t prefetches,
                                 uint64_t instructions, bool is_partial)
{
    struct ft_log_totals totals = {0};
    struct ft_log_state state = trial->before;
    ft_unit_program_count(program, record, &state, &totals);
    if (totals.accesses != trial->truth.count || totals.prefetches != prefetches ||
        totals.instructions != instructions)
        return "the program counts wrong";
    return is_partial || same_state(&state, &trial->after) ? NULL : "counting gives another state";
}

/* What is told without a program. */
static const char *check_fixed(const struct trial *trial, uint64_t prefetches,
                               uint64_t instructions, uint64_t *ret_fixed)
{
    struct ft_log_totals each;
    struct ft_log_state state = trial->before;
    uint64_t rsp;
    if (!ft_unit_fixed(&trial->unit, &each, &rsp))
        return NULL;
    ++*ret_fixed;
    state.rsp += rsp;
    if (each.accesses != trial->truth.count || each.prefetches != prefetches ||
        each.instructions != instructions)
        return "what the unit counts without a program is wrong";
    return same_state(&state, &trial->after) ? NULL : "without a program the state is another one";
}

static const char *check_iteration_count(const struct trial *trial)
{
    const struct ft_unit *unit = &trial->unit;
    unsigned number = unit->induction_register;
    uint64_t change = trial->head_values[number] - trial->entry_values[number], delta;
    if (unit->count_source != FT_COUNT_INDUCTION)
        return NULL;
    if (change != trial->iterations * (uint64_t)unit->induction_stride)
        return "the induction register does not count";
    if (!ft_registers_delta(unit, number, unit->last_iteration_instructions, &delta) ||
        trial->exit_values[number] - trial->head_values[number] != delta)
        return "the induction register is not known where the loop is left";
    return NULL;
}

struct tally {
    uint64_t trials, loops, loop_paths, early, prefixes, strided, simple, fixed, accesses, fetches,
        wrong;
};

static const char *check_expansions(const struct trial *trial,
                                    const struct ft_unit_program *program, unsigned content,
                                    const struct ft_record *record, struct tally *tally)
{
    bool is_partial = record->escape == FT_ESCAPE_PARTIAL;
    const char *wrong =
        check_expanded(trial, program, content, record, is_partial, &tally->strided);
    if (!wrong && !is_partial)
        wrong = check_simple(trial, program, content, *record, &tally->simple);
    return wrong;
}

/* Expansions with fetches: what is tallied of expansions is that of accesses alone. */
static const char *check_content(const struct trial *trial, unsigned content,
                                 const struct ft_record *record, struct tally *tally)
{
    struct tally own = {0};
    struct ft_unit_program *program;
    if (ft_unit_program_create_for(&trial->unit, content, &program, NULL))
        return "the unit does not compile with fetches";
    const char *wrong = check_expansions(trial, program, content, record, &own);
    ft_unit_program_destroy(program);
    tally->fetches += wrong ? 0 : truth_of(trial, content)->count;
    return wrong;
}

/* Runs the unit (its first `limit` instructions) and checks all expansions of it. */
static const char *check_run(struct trial *trial, unsigned limit, struct tally *tally)
{
    bool is_partial = limit < trial->unit.instruction_count;
    trial->truth.count = trial->fetches.count = trial->merged.count = trial->value_count = 0;
    trial->wrong = NULL;
    if (is_partial) {
        log_value(trial, trial->unit.id);
        log_value(trial, limit);
    }
    run(trial, limit);
    struct ft_record record = {.unit = is_partial ? 0 : trial->unit.id,
                               .escape = is_partial ? FT_ESCAPE_PARTIAL : 0,
                               .iteration_count = trial->iterations,
                               .values = trial->values,
                               .value_count = trial->value_count};
    struct ft_unit_program *program;
    const char *wrong = trial->wrong;
    if (!wrong)
        wrong = check_stepped(trial, &record, is_partial);
    if (!wrong && ft_unit_program_create(&trial->unit, &program, NULL))
        wrong = "the unit does not compile";
    if (wrong)
        return wrong;
    uint64_t prefetches = drop_prefetches(&trial->truth);
    drop_prefetches(&trial->merged);
    wrong = check_expansions(trial, program, FT_RUN_ACCESSES, &record, tally);
    if (!wrong)
        wrong = check_content(trial, FT_RUN_FETCHES, &record, tally);
    if (!wrong)
        wrong = check_content(trial, FT_RUN_ACCESSES | FT_RUN_FETCHES, &record, tally);
    if (!wrong)
        wrong = check_counted(trial, program, &record, prefetches,
                              trial->iterations * limit +
                                  (is_partial ? 0 : trial->unit.last_iteration_instructions),
                              is_partial);
    if (!wrong && !is_partial)
        wrong = check_iteration_count(trial);
    if (!wrong && !is_partial)
        wrong = check_fixed(trial, prefetches, trial->unit.instruction_count, &tally->fixed);
    ft_unit_program_destroy(program);
    return wrong;
}

static void show(const struct trial *trial)
{
    printf("# seed %llu, %s, %llu iterations:", (unsigned long long)trial->seed,
           ft_unit_is_loop(&trial->unit) ? "loop" : "plain", (unsigned long long)trial->iterations);
    for (unsigned i = 0; i < trial->unit.code_bytes; i++)
        printf(" %02x", trial->unit.code[i]);
    printf("\n# slots (%u at entry):", trial->unit.entry_slot_count);
    for (unsigned s = 0; s < trial->unit.slot_count; s++)
        printf(" %u.%u.%u@%u", trial->unit.slots[s].kind, trial->unit.slots[s].source,
               trial->unit.slots[s].size_bytes, trial->unit.slots[s].instruction);
    putchar('\n');
}

/* What the unit is where one of its side exits was taken. */
static const char *check_prefix(struct trial *trial, struct tally *tally)
{
    struct ft_unit whole = trial->unit;
    const char *wrong = NULL;
    for (unsigned i = 0; !wrong && i + 1U < whole.instruction_count; i++) {
        if (whole.instructions[i].flow != FT_FLOW_BRANCH)
            continue;
        trial->unit = ft_unit_prefix(&whole, i + 1, ft_unit_slots_before(&whole, i + 1));
        trial->unit.id = 2;
        wrong = check_run(trial, i + 1, tally);
        tally->prefixes++;
        if (wrong)
            show(trial);
    }
    trial->unit = whole;
    return wrong;
}

/* What is written of the unit reads the same. */
static const char *check_definition(const struct ft_unit *unit)
{
    struct ft_bytes bytes = {0}, again = {0};
    struct ft_unit read;
    struct ft_diag diag;
    ft_unit_write(unit, &bytes);
    struct ft_cursor cursor = {.data = bytes.data, .length = bytes.length};
    const char *wrong = NULL;
    if (ft_unit_read(&cursor, &read, &diag)) {
        printf("# %s\n", diag.message);
        wrong = "its definition cannot be read";
    } else {
        ft_unit_write(&read, &again);
        if (again.length != bytes.length || memcmp(again.data, bytes.data, bytes.length) != 0)
            wrong = "its definition reads as another";
        ft_unit_fini(&read);
    }
    ft_bytes_fini(&bytes);
    ft_bytes_fini(&again);
    return wrong;
}

/* The unit, which branches back to its start, as a loop with side exits; and left by each of them.
 */
static const char *check_loop_path(struct trial *trial, struct tally *tally)
{
    const struct ft_unit plain = trial->unit, *const row[] = {&plain};
    const struct ft_instruction *last = &plain.instructions[plain.instruction_count - 1];
    const char *wrong = NULL;
    struct ft_unit loop;
    if (last->flow != FT_FLOW_BRANCH || last->target != plain.pc ||
        ft_loop_path_plan(row, 1, &loop, NULL))
        return NULL;
    loop.id = 1;
    for (unsigned turn = 1; !wrong && turn <= loop.instruction_count; turn++) {
        bool is_whole = turn == loop.instruction_count;
        if (loop.instructions[turn - 1].flow != FT_FLOW_BRANCH)
            continue;
        trial->unit = loop;
        if (!is_whole)
            trial->unit = ft_unit_prefix(&loop, turn, ft_unit_slots_before(&loop, turn));
        trial->unit.id = is_whole ? 1 : 2;
        trial->iterations =
            random_below(&trial->random, 64) ? random_below(&trial->random, 12) : 10000;
        wrong = check_run(trial, loop.instruction_count, tally);
        if (!wrong)
            wrong = check_definition(&trial->unit);
        tally->accesses += trial->truth.count;
        *(is_whole ? &tally->loop_paths : &tally->early) += 1;
        if (wrong)
            show(trial);
        if (!is_whole)
            ft_unit_fini(&trial->unit);
    }
    ft_unit_fini(&loop);
    trial->unit = plain;
    return wrong;
}

static void try_seed(uint64_t seed, struct tally *tally)
{
    struct trial trial = {.seed = seed, .random = seed, .iterations = 1};
    uint64_t *random = &trial.random;
    struct ft_plan_limits limits = {.instructions_max = FT_UNIT_INSTRUCTIONS_MAX};
    struct ft_diag diag;
    bool is_loop = random_below(random, 2);
    unsigned count = 2 + random_below(random, RANDOM_UNIT_MAX - 2);
    if (is_loop && random_below(random, 2))
        count = 2 + random_below(random, 4);
    trial.code_bytes = random_unit(random, is_loop, count, trial.instructions, trial.code);
    tally->trials++;
    if (ft_unit_plan(trial.code, trial.code_bytes, 0x400000, &limits, &trial.unit, &diag)) {
        printf("# seed %llu: %s\n", (unsigned long long)seed, diag.message);
        tally->wrong++;
        return;
    }
    trial.unit.id = 1;
    if (trial.unit.kind == FT_UNIT_LOOP) {
        tally->loops++;
        trial.iterations = random_below(random, 64) ? random_below(random, 12) : 10000;
    }
    const char *wrong = check_run(&trial, trial.unit.instruction_count, tally);
    tally->accesses += trial.truth.count;
    if (!wrong) {
        trial.iterations = 1;
        wrong = check_run(&trial, random_below(random, trial.unit.instruction_count), tally);
    }
    if (!wrong && trial.unit.kind != FT_UNIT_LOOP)
        wrong = check_prefix(&trial, tally);
    if (!wrong)
        wrong = check_loop_path(&trial, tally);
    if (wrong && tally->wrong++ < 5) {
        printf("# %s\n", wrong);
        show(&trial);
    }
    ft_unit_fini(&trial.unit);
    access_list_fini(&trial.truth);
    access_list_fini(&trial.fetches);
    access_list_fini(&trial.merged);
    free(trial.values);
}

int main(void)
{
    struct tally tally = {0};
    const uint64_t seeds = tap_repetitions(300000, 3000, 400);
    if (!machine_start()) {
        printf("1..0 # SKIP no executable memory below 2 GiB\n");
        return 0;
    }
    for (uint64_t seed = 1; seed <= seeds; seed++)
        try_seed(seed, &tally);
    tap_ok(tally.wrong == 0, "%llu random units, %llu of them loops, %llu accesses",
           (unsigned long long)tally.trials, (unsigned long long)tally.loops,
           (unsigned long long)tally.accesses);
    tap_ok(tally.fetches > 10 * tally.trials, "with fetches in order: %llu fetches and accesses",
           (unsigned long long)tally.fetches);
    tap_ok(tally.loops > tally.trials / 8 && tally.strided > tally.loops / 4,
           "loops are planned and make runs with strides: %llu runs",
           (unsigned long long)tally.strided);
    tap_ok(tally.simple > tally.trials / 4, "plain units have simple programs: %llu",
           (unsigned long long)tally.simple);
    tap_ok(tally.fixed > tally.trials / 8, "what units count is told without a program: %llu",
           (unsigned long long)tally.fixed);
    tap_ok(tally.prefixes > tally.trials / 8, "units have side exits: %llu",
           (unsigned long long)tally.prefixes);
    tap_ok(tally.loop_paths > tally.trials / 16 && tally.early > tally.trials / 16,
           "loops have side exits: %llu loops left at their end, %llu inside",
           (unsigned long long)tally.loop_paths, (unsigned long long)tally.early);
    return tap_plan_done();
}
