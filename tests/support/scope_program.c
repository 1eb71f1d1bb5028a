/*
 * First the program as tables: its instructions with the loops they are in and how control flows
 * between them. Then its runs, each part with what the carriers must be told at each instruction:
 * loops of one block and of several, recursion, jumps out of routines, a signal, rows of an outer
 * loop. Last, the programs that are put together from these parts.
 */
#include "tests/support/scope_program.h"

#include "formats/x86/instruction.h"

#define DATA_COUNT  8U
#define NOT_IN_LOOP FT_NO_LOOP

enum instruction { /* those behind calls follow them */
                   MAIN,
                   OUTER,
                   CALL_F,
                   BACK,
                   SELF,
                   MIDDLE,
                   FIRST,
                   SECOND,
                   LATCH,
                   END,
                   F,
                   F_LOOP,
                   F_AGAIN,
                   F_BACK,
                   F_CALL_H,
                   F_BACK_H,
                   F_TAIL,
                   F_END,
                   G,
                   G_END,
                   G_OUT,
                   H,
                   H_CALL_F,
                   H_BACK,
                   H_END,
                   HANDLER,
                   HANDLER_END,
                   INSTRUCTIONS
};
enum scope {
    PROGRAM,
    IN_MAIN,
    IN_OUTER,
    IN_SELF,
    IN_PAIR,
    IN_F,
    IN_F_LOOP,
    IN_G,
    IN_HANDLER,
    IN_H
};

#define AT(instruction) (0x1000 + 4 * (uint64_t)(instruction))
#define STEP(what, routine_, loop_, flow_, target_, routine_start, head)                           \
    [what] = {AT(what), AT(what) + 4, AT(target_),   routine_, loop_,                              \
              flow_,    true,         routine_start, head}

static struct ft_scope_step steps[INSTRUCTIONS] = {
    STEP(MAIN, 0, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(OUTER, 0, 0, FT_FLOW_NEXT, MAIN, false, true),
    STEP(CALL_F, 0, 0, FT_FLOW_CALL, F, false, false),
    STEP(BACK, 0, 0, FT_FLOW_JUMP, MIDDLE, false, false),
    STEP(SELF, 0, 1, FT_FLOW_BRANCH, SELF, false, true),
    STEP(MIDDLE, 0, 0, FT_FLOW_NEXT, MAIN, false, false),
    STEP(FIRST, 0, 2, FT_FLOW_NEXT, MAIN, false, true),
    STEP(SECOND, 0, 2, FT_FLOW_BRANCH, FIRST, false, false),
    STEP(LATCH, 0, 0, FT_FLOW_BRANCH, OUTER, false, false),
    STEP(END, 0, NOT_IN_LOOP, FT_FLOW_RETURN, MAIN, false, false),
    STEP(F, 1, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(F_LOOP, 1, 3, FT_FLOW_BRANCH, F_LOOP, false, true),
    STEP(F_AGAIN, 1, NOT_IN_LOOP, FT_FLOW_CALL, F, false, false),
    STEP(F_BACK, 1, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, false, false),
    STEP(F_CALL_H, 1, NOT_IN_LOOP, FT_FLOW_CALL, H, false, false),
    STEP(F_BACK_H, 1, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, false, false),
    STEP(F_TAIL, 1, NOT_IN_LOOP, FT_FLOW_JUMP, G, false, false),
    STEP(F_END, 1, NOT_IN_LOOP, FT_FLOW_RETURN, MAIN, false, false),
    STEP(G, 2, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(G_END, 2, NOT_IN_LOOP, FT_FLOW_RETURN, MAIN, false, false),
    STEP(G_OUT, 2, NOT_IN_LOOP, FT_FLOW_JUMP_INDIRECT, MAIN, false, false),
    STEP(H, 4, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(H_CALL_F, 4, NOT_IN_LOOP, FT_FLOW_CALL, F, false, false),
    STEP(H_BACK, 4, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, false, false),
    STEP(H_END, 4, NOT_IN_LOOP, FT_FLOW_RETURN, MAIN, false, false),
    STEP(HANDLER, 3, NOT_IN_LOOP, FT_FLOW_NEXT, MAIN, true, false),
    STEP(HANDLER_END, 3, NOT_IN_LOOP, FT_FLOW_SYSCALL, MAIN, false, false),
};
static struct ft_step_loop loops[] = {
    {FT_NO_LOOP, IN_OUTER}, {0, IN_SELF}, {0, IN_PAIR}, {FT_NO_LOOP, IN_F_LOOP}};
static uint32_t routine_scopes[] = {IN_MAIN, IN_F, IN_G, IN_HANDLER, IN_H};
const struct ft_scope_steps scope_program = {
    DATA_COUNT, steps, INSTRUCTIONS, loops, sizeof loops / sizeof *loops, routine_scopes};

/* ---- its runs ---- */

struct machine {
    struct synthetic_runs *runs;
    struct reference_carriers *carriers;
    uint64_t seed;
};

static void fetch(struct machine *machine, enum instruction instruction)
{
    synthetic_access(machine->runs, DATA_COUNT + instruction, AT(instruction));
}

static uint64_t below(struct machine *machine, uint64_t bound)
{
    return random_below(&machine->seed, bound);
}

static uint64_t any_address(struct machine *machine)
{
    return 0x100000 + 8 * below(machine, below(machine, 3) ? 60 : 3000);
}

static void access_at(struct machine *machine, uint32_t reference, uint64_t address)
{
    synthetic_access(machine->runs, reference, address);
    reference_carriers_see(machine->carriers, reference, address);
}

static void access_any(struct machine *machine, uint32_t reference)
{
    access_at(machine, reference, any_address(machine));
}

/* A body of instructions and accesses that is run several times. */
struct item {
    bool is_fetch;
    uint32_t number; /* instruction or reference */
    uint64_t address;
    int64_t stride;
};

struct body {
    struct item items[12];
    size_t count;
};

static void add_fetch(struct body *body, enum instruction instruction)
{
    body->items[body->count++] = (struct item){true, instruction, AT(instruction), 0};
}

static void add_access(struct machine *machine, struct body *body, uint32_t reference)
{
    static const int64_t strides[] = {0, 0, 0, 8, -8, 16, 64};
    body->items[body->count++] =
        (struct item){false, reference, any_address(machine), strides[below(machine, 7)]};
}

/* follow: what an instruction means in iteration i. */
static void run_body(struct machine *machine, const struct body *body, uint64_t iterations,
                     void (*follow)(struct reference_carriers *carriers,
                                    enum instruction instruction, uint64_t iteration))
{
    synthetic_run(machine->runs, iterations);
    for (size_t j = 0; j < body->count; j++)
        synthetic_entry(machine->runs,
                        body->items[j].number + (body->items[j].is_fetch ? DATA_COUNT : 0),
                        body->items[j].address, body->items[j].stride);
    for (uint64_t i = 0; i < iterations; i++)
        for (size_t j = 0; j < body->count; j++) {
            const struct item *item = &body->items[j];
            if (item->is_fetch)
                follow(machine->carriers, (enum instruction)item->number, i);
            else
                reference_carriers_see(machine->carriers, item->number,
                                       item->address + i * (uint64_t)item->stride);
        }
}

static void follow_inner(struct reference_carriers *carriers, enum instruction instruction,
                         uint64_t iteration)
{
    if (instruction == SECOND)
        return;
    if (iteration == 0)
        reference_carriers_enter(carriers, instruction == SELF     ? IN_SELF
                                           : instruction == F_LOOP ? IN_F_LOOP
                                                                   : IN_PAIR);
    else
        reference_carriers_iterate(carriers);
}

/* The loop of two blocks as a path that begins with the second one: an iteration of the run is the
 * end of one iteration of the loop and the beginning of the next. */
static void follow_shifted(struct reference_carriers *carriers, enum instruction instruction,
                           uint64_t iteration)
{
    (void)iteration;
    if (instruction == FIRST)
        reference_carriers_iterate(carriers);
}

static void shifted_loop(struct machine *machine)
{
    static const uint64_t shift_bytes[] = {0, 8, 16};
    struct body body = {0};
    uint64_t address = any_address(machine);
    int64_t stride = below(machine, 4) ? 8 : -8;
    uint64_t iterations = 1 + below(machine, 500);
    uint64_t behind = shift_bytes[below(machine, 3)];
    fetch(machine, FIRST);
    reference_carriers_enter(machine->carriers, IN_PAIR);
    access_at(machine, 1, address);
    add_fetch(&body, SECOND);
    body.items[body.count++] = (struct item){false, 2, address - behind, stride};
    add_fetch(&body, FIRST);
    body.items[body.count++] = (struct item){false, 1, address + (uint64_t)stride, stride};
    run_body(machine, &body, iterations, follow_shifted);
    fetch(machine, SECOND);
    access_at(machine, 2, address + iterations * (uint64_t)stride - behind);
    reference_carriers_leave(machine->carriers);
}

static void inner_loop(struct machine *machine, enum instruction head)
{
    if (head == FIRST && below(machine, 3) == 0) {
        shifted_loop(machine);
        return;
    }
    struct body body = {0};
    add_fetch(&body, head);
    for (uint64_t n = below(machine, 3); n > 0; n--)
        add_access(machine, &body, (uint32_t)below(machine, DATA_COUNT));
    if (head == FIRST) {
        add_fetch(&body, SECOND);
        add_access(machine, &body, 2);
    }
    run_body(machine, &body, 1 + below(machine, below(machine, 4) ? 6 : 300), follow_inner);
    reference_carriers_leave(machine->carriers);
}

/* Turns of the outer loop with the inner one of two blocks entered once in each. */
static void follow_outer(struct reference_carriers *carriers, enum instruction instruction,
                         uint64_t iteration)
{
    (void)iteration;
    if (instruction == FIRST)
        reference_carriers_enter(carriers, IN_PAIR);
    else if (instruction == LATCH)
        reference_carriers_leave(carriers);
    else if (instruction == OUTER)
        reference_carriers_iterate(carriers);
}

static void outer_turns(struct machine *machine)
{
    struct body body = {0};
    add_fetch(&body, OUTER);
    add_access(machine, &body, 0);
    add_fetch(&body, BACK);
    add_fetch(&body, MIDDLE);
    add_access(machine, &body, 1);
    add_fetch(&body, FIRST);
    add_access(machine, &body, 3);
    add_fetch(&body, SECOND);
    add_fetch(&body, LATCH);
    run_body(machine, &body, 1 + below(machine, 200), follow_outer);
}

static void follow_recursion(struct reference_carriers *carriers, enum instruction instruction,
                             uint64_t iteration)
{
    (void)iteration;
    if (instruction == F)
        reference_carriers_enter(carriers, IN_F);
    else if (instruction == H)
        reference_carriers_enter(carriers, IN_H);
    else if (instruction == F_END || instruction == H_END)
        reference_carriers_leave(carriers);
}

/* Deeper and deeper, and back again; the first call was made already. */
static void recursion(struct machine *machine)
{
    uint64_t depth = 1 + below(machine, 40);
    struct body down = {0}, up = {0};
    add_fetch(&down, F);
    add_access(machine, &down, 4);
    add_fetch(&down, F_AGAIN);
    run_body(machine, &down, depth, follow_recursion);
    fetch(machine, F);
    reference_carriers_enter(machine->carriers, IN_F);
    access_any(machine, 5);
    fetch(machine, F_END);
    reference_carriers_leave(machine->carriers);
    add_fetch(&up, F_BACK);
    add_access(machine, &up, 6);
    add_fetch(&up, F_END);
    run_body(machine, &up, depth, follow_recursion);
}

/* F and H call each other. */
static void mutual_recursion(struct machine *machine)
{
    uint64_t depth = 1 + below(machine, 12);
    struct body down = {0}, up = {0};
    add_fetch(&down, F);
    add_access(machine, &down, 4);
    add_fetch(&down, F_CALL_H);
    add_fetch(&down, H);
    add_access(machine, &down, 5);
    add_fetch(&down, H_CALL_F);
    run_body(machine, &down, depth, follow_recursion);
    fetch(machine, F);
    reference_carriers_enter(machine->carriers, IN_F);
    fetch(machine, F_END);
    reference_carriers_leave(machine->carriers);
    add_fetch(&up, H_BACK);
    add_access(machine, &up, 6);
    add_fetch(&up, H_END);
    add_fetch(&up, F_BACK_H);
    add_access(machine, &up, 7);
    add_fetch(&up, F_END);
    run_body(machine, &up, depth, follow_recursion);
}

static void simple_f(struct machine *machine, bool ends_in_g)
{
    fetch(machine, F);
    reference_carriers_enter(machine->carriers, IN_F);
    access_any(machine, 4);
    inner_loop(machine, F_LOOP);
    fetch(machine, F_BACK);
    access_any(machine, 5);
    if (ends_in_g) { /* a tail call */
        fetch(machine, F_TAIL);
        reference_carriers_leave(machine->carriers);
        fetch(machine, G);
        reference_carriers_enter(machine->carriers, IN_G);
        access_any(machine, 6);
        fetch(machine, G_END);
    } else {
        fetch(machine, F_END);
    }
    reference_carriers_leave(machine->carriers);
}

/* F ends in G, which jumps out to the latch of the outer loop. */
static void jump_out(struct machine *machine)
{
    fetch(machine, F);
    reference_carriers_enter(machine->carriers, IN_F);
    access_any(machine, 4);
    fetch(machine, F_TAIL);
    reference_carriers_leave(machine->carriers);
    fetch(machine, G);
    reference_carriers_enter(machine->carriers, IN_G);
    access_any(machine, 6);
    fetch(machine, G_OUT);
    reference_carriers_leave(machine->carriers);
}

/* A signal between MIDDLE and what follows it. */
static void interrupt(struct machine *machine)
{
    fetch(machine, HANDLER);
    reference_carriers_enter(machine->carriers, IN_HANDLER);
    access_any(machine, 7);
    fetch(machine, HANDLER_END);
    reference_carriers_leave(machine->carriers);
}

static void outer_turn(struct machine *machine)
{
    fetch(machine, OUTER);
    access_any(machine, 0);
    switch (below(machine, 6)) {
    case 0:
        fetch(machine, CALL_F);
        jump_out(machine);
        fetch(machine, LATCH);
        return;
    case 1:
        fetch(machine, CALL_F);
        if (below(machine, 2))
            recursion(machine);
        else
            mutual_recursion(machine);
        fetch(machine, BACK);
        break;
    case 2:
    case 3:
        fetch(machine, CALL_F);
        simple_f(machine, below(machine, 2));
        fetch(machine, BACK);
        break;
    default:
        inner_loop(machine, SELF);
    }
    fetch(machine, MIDDLE);
    access_any(machine, 1);
    if (below(machine, 4) == 0)
        interrupt(machine);
    inner_loop(machine, FIRST);
    fetch(machine, LATCH);
    access_any(machine, 3);
}

/* ---- what comes again ---- */

/* Rows of one loop that move by less than a block, with an iteration of the outer loop each. */
static void row_turns(struct machine *machine)
{
    const uint64_t first = any_address(machine), column = any_address(machine);
    const uint64_t iterations = 20 + below(machine, 40), rows = 2 + below(machine, 12);
    const bool calls = below(machine, 2);
    for (uint64_t row = 0; row < rows; row++) {
        struct body body = {0};
        fetch(machine, OUTER);
        reference_carriers_iterate(machine->carriers);
        access_at(machine, 0, first + row);
        if (calls) {
            fetch(machine, CALL_F);
            fetch(machine, F);
            reference_carriers_enter(machine->carriers, IN_F);
            access_at(machine, 4, column);
            fetch(machine, F_END);
            reference_carriers_leave(machine->carriers);
            fetch(machine, BACK);
        }
        add_fetch(&body, SELF);
        body.items[body.count++] = (struct item){false, 1, column + row, 64};
        body.items[body.count++] = (struct item){false, 2, first, 8};
        run_body(machine, &body, iterations, follow_inner);
        reference_carriers_leave(machine->carriers);
        fetch(machine, MIDDLE);
        access_at(machine, 3, first + row);
        fetch(machine, LATCH);
    }
}

/* The same steps again and again, each time two calls deeper, and all the way back: single ones, or
 * rows around a loop. */
static void deeper_turns(struct machine *machine, bool rows)
{
    const uint64_t address = any_address(machine), depth = 28;
    struct body body = {0};
    add_fetch(&body, F_LOOP);
    body.items[body.count++] = (struct item){false, 7, address, 8};
    fetch(machine, OUTER);
    reference_carriers_iterate(machine->carriers);
    fetch(machine, CALL_F);
    for (uint64_t i = 0; i < depth; i++) {
        fetch(machine, F);
        reference_carriers_enter(machine->carriers, IN_F);
        access_at(machine, 4, address);
        if (rows) {
            run_body(machine, &body, 40, follow_inner);
            reference_carriers_leave(machine->carriers);
        }
        fetch(machine, F_CALL_H);
        fetch(machine, H);
        reference_carriers_enter(machine->carriers, IN_H);
        access_at(machine, 5, address + 64);
        fetch(machine, H_CALL_F);
    }
    fetch(machine, F);
    reference_carriers_enter(machine->carriers, IN_F);
    fetch(machine, F_END);
    reference_carriers_leave(machine->carriers);
    for (uint64_t i = 0; i < depth; i++) {
        fetch(machine, H_BACK);
        access_at(machine, 6, address);
        fetch(machine, H_END);
        reference_carriers_leave(machine->carriers);
        fetch(machine, F_BACK_H);
        access_at(machine, 7, address + 64);
        fetch(machine, F_END);
        reference_carriers_leave(machine->carriers);
    }
    fetch(machine, BACK);
    fetch(machine, LATCH);
}

/* Turns of the outer loop that are the same as those before. */
static void same_turns(struct machine *machine, int times)
{
    const uint64_t seed = machine->seed;
    for (int i = 0; i < times; i++) {
        machine->seed = seed;
        for (int turn = 0; turn < 3; turn++) {
            reference_carriers_iterate(machine->carriers);
            outer_turn(machine);
        }
        row_turns(machine);
    }
}

static void begin_program(struct machine *machine)
{
    for (uint32_t r = 0; r < DATA_COUNT; r++)
        synthetic_reference(machine->runs, 1);
    for (uint32_t i = 0; i < INSTRUCTIONS; i++)
        synthetic_reference(machine->runs, 4);
    reference_carriers_enter(machine->carriers, PROGRAM);
    reference_carriers_enter(machine->carriers, IN_MAIN);
    fetch(machine, MAIN);
    access_any(machine, 0);
    reference_carriers_enter(machine->carriers, IN_OUTER);
}

static void end_program(struct machine *machine)
{
    reference_carriers_leave(machine->carriers);
    fetch(machine, END);
    access_any(machine, 0);
}

void scope_program_run_deeper(struct synthetic_runs *runs, struct reference_carriers *carriers,
                              uint64_t seed)
{
    struct machine own = {runs, carriers, seed}, *machine = &own;
    begin_program(machine);
    fetch(machine, OUTER);
    for (int i = 0; i < 6; i++)
        deeper_turns(machine, i % 2);
    end_program(machine);
}

void scope_program_run(struct synthetic_runs *runs, struct reference_carriers *carriers,
                       uint64_t seed)
{
    struct machine own = {runs, carriers, seed}, *machine = &own;
    begin_program(machine);
    for (int i = 0; i < 60; i++) {
        if (i > 0)
            reference_carriers_iterate(machine->carriers);
        outer_turn(machine);
        if (i % 9 == 8)
            outer_turns(machine);
        if (i % 9 == 5)
            row_turns(machine);
        if (i % 20 == 7)
            same_turns(machine, 12);
        if (i % 20 == 9)
            deeper_turns(machine, i % 40 == 9);
    }
    same_turns(machine, SCOPE_PROGRAM_SAME_TURNS);
    end_program(machine);
}
