/*
 * check_formulas [-p ROUTINE] [-r REGULAR]... TRACE [SHARE]: every formula of a captured program
 * against every access that the trace recorded.
 *
 * The instructions of the trace are followed through routines and loops, with how often each loop
 * went round. Each access of an affine formula is then an equation,
 *     address = first location + sum of iteration * stride,
 * whose unknowns (registers at the top of the routine and so on) have one value in each activation
 * of the routine. The equations are solved as they come, modulo a prime: all of them must agree.
 * Where an outer level is not affine, the levels inside it are checked against the access before in
 * the same iteration of that level. A level that is said to be irregular must have different
 * strides in some activation of its loop, in the program's own code, wherever it went round often
 * enough to tell; REGULAR names routines in which the data happen to be regular.
 *
 * SHARE: at least so many percent of all accesses have affine formulas. -p prints the formulas of a
 * routine instead.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/structure/formula_text.h"
#include "engine/structure/structure.h"
#include "engine/structure/trace_executions.h"
#include "tests/tap.h"

#define LEVELS_MAX    12
#define PRIME         ((UINT64_C(1) << 61) - 1)
#define TERMS_MAX     64
#define VARIABLES_MAX 4096
#define STRIDES_MIN   4 /* so many tell whether they are equal */
#define REPORTED_MAX  20

__extension__ typedef unsigned __int128 wide;

/* ---- arithmetic modulo a prime ---- */

static uint64_t times(uint64_t a, uint64_t b)
{
    return (uint64_t)((wide)a * b % PRIME);
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    return (a + b) % PRIME;
}

static uint64_t from_signed(int64_t value)
{
    return value < 0 ? PRIME - (-(uint64_t)value) % PRIME : (uint64_t)value % PRIME;
}

static uint64_t inverse(uint64_t a)
{
    uint64_t result = 1;
    for (uint64_t exponent = PRIME - 2; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = times(result, a);
        a = times(a, a);
    }
    return result;
}

/* ---- equations: sum of factor * variable = constant ---- */

struct equation {
    unsigned count;
    struct {
        uint32_t variable;
        uint64_t factor;
    } terms[TERMS_MAX];
    uint64_t constant;
};

struct variable {
    uint32_t unknown;
    uint64_t scope;
    struct equation *solved; /* variable = constant - rest of the terms, of earlier variables */
};

struct solver {
    struct variable *variables;
    uint32_t count;
};

static uint32_t variable_of(struct solver *solver, uint32_t unknown, uint64_t scope)
{
    for (uint32_t v = solver->count; v-- > 0;)
        if (solver->variables[v].unknown == unknown && solver->variables[v].scope == scope)
            return v;
    if (!solver->variables)
        solver->variables = calloc(VARIABLES_MAX, sizeof *solver->variables);
    if (!solver->variables)
        exit(99);
    if (solver->count == VARIABLES_MAX) { /* begins again with what comes */
        for (uint32_t v = 0; v < solver->count; v++)
            free(solver->variables[v].solved);
        memset(solver->variables, 0, VARIABLES_MAX * sizeof *solver->variables);
        solver->count = 0;
    }
    solver->variables[solver->count] = (struct variable){unknown, scope, NULL};
    return solver->count++;
}

static void add_term(struct equation *equation, uint32_t variable, uint64_t factor)
{
    for (unsigned i = 0; i < equation->count; i++)
        if (equation->terms[i].variable == variable) {
            equation->terms[i].factor = plus(equation->terms[i].factor, factor);
            if (equation->terms[i].factor == 0)
                equation->terms[i] = equation->terms[--equation->count];
            return;
        }
    if (factor == 0)
        return;
    if (equation->count == TERMS_MAX)
        exit(98);
    equation->terms[equation->count].variable = variable;
    equation->terms[equation->count++].factor = factor;
}

/* Puts in what is known of the variables. */
static void substitute(const struct solver *solver, struct equation *equation)
{
    for (unsigned i = 0; i < equation->count;) {
        const struct equation *solved = solver->variables[equation->terms[i].variable].solved;
        if (!solved) {
            i++;
            continue;
        }
        uint64_t factor = equation->terms[i].factor;
        equation->terms[i] = equation->terms[--equation->count];
        equation->constant = plus(equation->constant, PRIME - times(factor, solved->constant));
        for (unsigned t = 0; t < solved->count; t++)
            add_term(equation, solved->terms[t].variable,
                     PRIME - times(factor, solved->terms[t].factor));
        i = 0;
    }
}

enum verdict { LEARNED, AGREES, CONTRADICTS };

static enum verdict take_equation(struct solver *solver, struct equation *equation)
{
    substitute(solver, equation);
    if (equation->count == 0)
        return equation->constant == 0 ? AGREES : CONTRADICTS;
    unsigned last = 0;
    for (unsigned i = 1; i < equation->count; i++)
        if (equation->terms[i].variable > equation->terms[last].variable)
            last = i;
    uint32_t variable = equation->terms[last].variable;
    uint64_t scale = inverse(equation->terms[last].factor);
    equation->terms[last] = equation->terms[--equation->count];
    for (unsigned i = 0; i < equation->count; i++)
        equation->terms[i].factor = times(equation->terms[i].factor, scale);
    equation->constant = times(equation->constant, scale);
    struct equation *kept = malloc(sizeof *kept);
    if (!kept)
        exit(99);
    *kept = *equation;
    solver->variables[variable].solved = kept;
    return LEARNED;
}

/* ---- where the program is ---- */

struct active_loop {
    uint32_t loop;
    uint64_t iteration, activation;
};

/* The last access of a formula in this activation of its routine. */
struct last_access {
    bool seen;
    uint64_t address;
    struct active_loop at[LEVELS_MAX]; /* outermost first */
    /* The first move in the activation of each level's loop, in so many turns; 0: none yet. */
    uint64_t distance[LEVELS_MAX], turns[LEVELS_MAX];
};

struct activation {
    uint32_t routine;
    uint64_t return_pc;
    unsigned depth;
    struct active_loop loops[LEVELS_MAX];
    struct last_access *last; /* per access of the routine */
    struct solver solver;
};

/* What the trace shows of a level. */
struct evidence {
    uint64_t strides; /* compared with the one before in the same activation of the loop */
    uint64_t changes; /* of them were different */
};

struct walk {
    struct ft_trace *trace;
    struct ft_structure structure;
    struct ft_formulas formulas;
    const struct ft_reference *references;
    uint32_t *instruction_of;            /* per reference */
    uint32_t *first_access, *access_end; /* per routine */
    struct activation *stack;
    size_t depth, capacity;
    const struct ft_instruction *previous;
    uint32_t previous_index;
    uint64_t activations;      /* of loops */
    struct evidence *evidence; /* per stride formula */
    uint64_t accesses, affine, agreed, learned, contradictions, too_deep;
    unsigned reported;
};

static uint32_t routine_of(const struct walk *walk, uint32_t instruction)
{
    return walk->structure.routines.of_block[walk->structure.graph.block_of[instruction]];
}

static void end_activation(struct activation *activation)
{
    free(activation->last);
    for (uint32_t v = 0; v < activation->solver.count; v++)
        free(activation->solver.variables[v].solved);
    free(activation->solver.variables);
}

static void begin_activation(struct walk *walk, uint32_t routine, uint64_t return_pc)
{
    if (walk->depth == walk->capacity) {
        walk->capacity = 2 * walk->capacity + 16;
        walk->stack = realloc(walk->stack, walk->capacity * sizeof *walk->stack);
        if (!walk->stack)
            exit(99);
    }
    uint32_t count = walk->access_end[routine] - walk->first_access[routine];
    struct activation *activation = &walk->stack[walk->depth++];
    *activation = (struct activation){.routine = routine, .return_pc = return_pc};
    activation->last = calloc(count + 1, sizeof *activation->last);
    if (!activation->last)
        exit(99);
}

/* A return goes on where a call that is active is to; else nothing is known. */
static void come_back(struct walk *walk, uint64_t pc)
{
    size_t depth = walk->depth;
    while (depth > 0 && walk->stack[depth - 1].return_pc != pc)
        depth--;
    size_t keep = depth == 0 ? 0 : depth - 1;
    while (walk->depth > keep)
        end_activation(&walk->stack[--walk->depth]);
}

static void enter_block(struct walk *walk, struct activation *activation, uint32_t block)
{
    const struct ft_program_loops *loops = &walk->structure.loops;
    uint32_t around[64];
    unsigned count = 0;
    for (uint32_t l = loops->of_block[block]; l != FT_NO_LOOP && count < 64;
         l = loops->items[l].parent)
        around[count++] = l;
    unsigned common = 0;
    while (common < activation->depth && common < count &&
           activation->loops[common].loop == around[count - 1 - common])
        common++;
    activation->depth = common;
    for (unsigned d = 0; d < common; d++)
        if (loops->items[activation->loops[d].loop].header == block)
            activation->loops[d].iteration++;
    for (; activation->depth < count && activation->depth < LEVELS_MAX; activation->depth++)
        activation->loops[activation->depth] =
            (struct active_loop){around[count - 1 - activation->depth], 0, ++walk->activations};
}

static void execute(struct walk *walk, uint32_t index)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    const struct ft_instruction *instruction = graph->instructions[index];
    const struct ft_instruction *previous = walk->previous;
    uint32_t routine = routine_of(walk, index);
    bool called =
        previous && (previous->flow == FT_FLOW_CALL || previous->flow == FT_FLOW_CALL_INDIRECT);
    if (called) {
        begin_activation(walk, routine, previous->pc + previous->length);
    } else if (previous && previous->flow == FT_FLOW_RETURN) {
        come_back(walk, instruction->pc);
    }
    if (walk->depth == 0)
        begin_activation(walk, routine, 0);
    struct activation *activation = &walk->stack[walk->depth - 1];
    if (activation->routine != routine) { /* a tail call */
        uint64_t return_pc = activation->return_pc;
        end_activation(activation);
        walk->depth--;
        begin_activation(walk, routine, return_pc);
        activation = &walk->stack[walk->depth - 1];
    }
    uint32_t block = graph->block_of[index];
    if (graph->blocks[block].first_instruction == index)
        enter_block(walk, activation, block);
    walk->previous = instruction;
    walk->previous_index = index;
}

/* ---- accesses ---- */

/* equation += count * sum; unknowns that are renewed in a loop have a value for each `scope`. */
static bool add_sum(struct walk *walk, struct activation *activation, struct equation *equation,
                    const struct ft_packed_sum *packed, uint64_t count, uint64_t scope)
{
    struct ft_sum sum = ft_formula_sum(&walk->formulas, packed);
    if (packed->flags & FT_FORMULA_ROUNDED)
        return false;
    for (uint32_t i = 0; i < sum.count; i++) {
        const struct ft_term *term = &sum.terms[i];
        uint64_t factor = times(
            count, times(from_signed(term->numerator), inverse(from_signed(term->denominator))));
        if (term->unknown == FT_ONE) {
            equation->constant = plus(equation->constant, PRIME - factor);
            continue;
        }
        bool renewed = walk->formulas.unknowns[term->unknown].loop != FT_NO_LOOP;
        add_term(equation, variable_of(&activation->solver, term->unknown, renewed ? scope : 0),
                 factor);
    }
    return true;
}

static void report(struct walk *walk, const struct ft_access_formula *formula, uint32_t instruction,
                   const char *what)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    if (walk->reported++ >= REPORTED_MAX)
        return;
    char *text = ft_access_formula_text(&walk->formulas, formula);
    const struct ft_flow_block *block = &graph->blocks[graph->block_of[instruction]];
    printf("# %s: 0x%" PRIx64 " in %s: %s\n", what,
           block->offset + (graph->instructions[instruction]->pc - block->pc),
           walk->structure.routines.items[routine_of(walk, instruction)].symbol, text);
    free(text);
}

static bool same_activation(const struct active_loop *a, const struct active_loop *b)
{
    return a->loop == b->loop && a->activation == b->activation;
}

/* The stride of each level that this access shows: from the one before in the same activation of
 * the level's loop, when loops inside are in their first iteration both times. */
static void take_evidence(struct walk *walk, const struct ft_access_formula *formula,
                          const struct activation *activation, struct last_access *last,
                          uint64_t address)
{
    for (unsigned d = formula->level_count; d-- > 0;) {
        const struct active_loop *now = &activation->loops[d];
        struct evidence *evidence =
            &walk->evidence[formula->first_stride + formula->level_count - 1 - d];
        if (last->seen && same_activation(now, &last->at[d])) {
            uint64_t turns = now->iteration - last->at[d].iteration;
            uint64_t distance = address - last->address;
            if (last->turns[d]) {
                evidence->strides++;
                evidence->changes += distance * last->turns[d] != last->distance[d] * turns;
            } else {
                last->distance[d] = distance;
                last->turns[d] = turns;
            }
        }
        if (!last->seen || !same_activation(now, &last->at[d]))
            last->turns[d] = 0;
        if (now->iteration != 0)
            break; /* an outer level is seen where this one begins */
    }
}

static void take_access(struct walk *walk, uint32_t instruction, unsigned index, uint64_t address)
{
    const struct ft_access_formula *formula = ft_formula_of(&walk->formulas, instruction, index);
    bool affine = ft_formula_is_affine(&walk->formulas, formula);
    walk->accesses++;
    walk->affine += affine;
    if (walk->structure.graph.instructions[instruction]->accesses[index].mode != FT_ACCESS_PLAIN ||
        walk->depth == 0)
        return;
    struct activation *activation = &walk->stack[walk->depth - 1];
    if (activation->depth != formula->level_count) {
        walk->too_deep++;
        return;
    }
    struct last_access *last = &activation->last[(uint32_t)(formula - walk->formulas.accesses) -
                                                 walk->first_access[activation->routine]];
    /* Of the levels, innermost first, those before the first flag. */
    unsigned good = 0;
    while (good < formula->level_count &&
           !walk->formulas.strides[formula->first_stride + good].flags)
        good++;
    struct equation equation = {.constant = address % PRIME};
    bool complete = true;
    unsigned outer = formula->level_count - good; /* levels before these are not affine */
    if (affine) {
        complete = add_sum(walk, activation, &equation, &formula->first, 1, 0);
    } else if (last->seen && outer > 0 &&
               same_activation(&activation->loops[outer - 1], &last->at[outer - 1]) &&
               activation->loops[outer - 1].iteration == last->at[outer - 1].iteration) {
        equation.constant = from_signed((int64_t)(address - last->address));
    } else {
        complete = false;
    }
    for (unsigned g = 0; complete && g < good; g++) {
        unsigned d = formula->level_count - 1 - g;
        const struct ft_stride_formula *stride = &walk->formulas.strides[formula->first_stride + g];
        uint64_t count = activation->loops[d].iteration % PRIME;
        if (!affine && same_activation(&activation->loops[d], &last->at[d]))
            count = from_signed((int64_t)(activation->loops[d].iteration - last->at[d].iteration));
        else if (!affine && last->at[d].iteration != 0)
            complete = false; /* its part of the access before had another stride, perhaps */
        if (count)
            complete = complete && add_sum(walk, activation, &equation, &stride->sum, count,
                                           activation->loops[d].activation);
    }
    if (complete) {
        enum verdict verdict = take_equation(&activation->solver, &equation);
        walk->agreed += verdict == AGREES;
        walk->learned += verdict == LEARNED;
        walk->contradictions += verdict == CONTRADICTS;
        if (verdict == CONTRADICTS)
            report(walk, formula, instruction, "not so");
    }
    take_evidence(walk, formula, activation, last, address);
    last->seen = true;
    last->address = address;
    memcpy(last->at, activation->loops, formula->level_count * sizeof *last->at);
}

/* ---- the trace ---- */

static void take_batch(struct walk *walk, const struct ft_run_batch *batch)
{
    for (size_t r = 0; r < batch->run_count; r++) {
        const struct ft_run *run = &batch->runs[r];
        for (uint64_t i = 0; i < run->iteration_count; i++)
            for (size_t e = run->first; e < run->first + run->reference_count; e++) {
                uint32_t reference = batch->references[e];
                uint32_t instruction = walk->instruction_of[reference];
                if (walk->references[reference].kind == FT_FETCH)
                    execute(walk, instruction);
                else
                    take_access(walk, instruction, walk->references[reference].access_index,
                                batch->addresses[e] + i * (uint64_t)batch->strides[e]);
            }
    }
}

static void find_ranges(struct walk *walk)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    size_t routines = walk->structure.routines.count + 1;
    walk->first_access = malloc(routines * sizeof *walk->first_access);
    walk->access_end = calloc(routines, sizeof *walk->access_end);
    walk->evidence = calloc(walk->formulas.stride_count + 1, sizeof *walk->evidence);
    if (!walk->first_access || !walk->access_end || !walk->evidence)
        exit(99);
    memset(walk->first_access, 0xff, routines * sizeof *walk->first_access);
    for (uint32_t i = 0; i < graph->instruction_count; i++) {
        uint32_t routine = routine_of(walk, i), first = walk->formulas.first_access[i];
        uint32_t end = first + graph->instructions[i]->access_count;
        if (first < walk->first_access[routine])
            walk->first_access[routine] = first;
        if (end > walk->access_end[routine])
            walk->access_end[routine] = end;
    }
}

static int follow(struct walk *walk, struct ft_diag *diag)
{
    struct ft_run_source *source;
    struct ft_run_batch batch;
    int status =
        ft_trace_runs_of(walk->trace, 0, FT_RUN_ACCESSES | FT_RUN_FETCHES, NULL, &source, diag);
    if (status != 0)
        return status;
    walk->references = source->references;
    walk->instruction_of = calloc(source->reference_count + 1, sizeof *walk->instruction_of);
    if (!walk->instruction_of)
        exit(99);
    for (uint32_t r = 0; r < source->reference_count; r++) {
        const struct ft_reference *reference = &source->references[r];
        walk->instruction_of[r] = ft_flow_graph_instruction_at(
            &walk->structure.graph, reference->pc,
            reference->kind == FT_FETCH ? 0 : reference->access_index + 1U);
    }
    while ((status = source->next(source, &batch, diag)) == 0 && batch.run_count)
        take_batch(walk, &batch);
    source->destroy(source);
    while (walk->depth)
        end_activation(&walk->stack[--walk->depth]);
    return status;
}

static int open_trace(const char *path, struct walk *walk, struct ft_diag *diag)
{
    struct ft_trace_options options = {0};
    struct ft_execution_counts counts = {0};
    int status = ft_trace_open(path, &options, &walk->trace, diag);
    if (status == 0)
        status = ft_trace_executions(walk->trace, NULL, &counts, diag);
    if (status == 0)
        status = ft_structure_of_trace(walk->trace, &counts, NULL, 0, NULL, &walk->structure, diag);
    if (status == 0)
        status = ft_formulas_find(&walk->structure.graph, &walk->structure.routines,
                                  &walk->structure.loops, &walk->formulas, diag);
    ft_execution_counts_fini(&counts);
    return status;
}

/* ---- results ---- */

static bool is_own(const struct walk *walk, uint32_t instruction)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    uint32_t module = graph->blocks[graph->block_of[instruction]].module;
    return module != FT_NO_MODULE && strcmp(ft_trace_module(walk->trace, module)->path,
                                            ft_trace_metadata(walk->trace)->program) == 0;
}

static bool is_named(const char *symbol, char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], symbol) == 0)
            return true;
    return false;
}

/* Levels of the program's own code that are said to be irregular. */
static void check_irregular(struct walk *walk, char **regular, size_t regular_count)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    uint64_t shown = 0, wrong = 0, unseen = 0, unknown = 0, affine = 0;
    walk->reported = 0;
    for (uint32_t i = 0; i < graph->instruction_count; i++) {
        const char *symbol = walk->structure.routines.items[routine_of(walk, i)].symbol;
        for (unsigned a = 0; is_own(walk, i) && a < graph->instructions[i]->access_count; a++) {
            const struct ft_access_formula *formula = ft_formula_of(&walk->formulas, i, a);
            for (unsigned l = 0; l < formula->level_count; l++) {
                uint8_t flags = walk->formulas.strides[formula->first_stride + l].flags;
                const struct evidence *evidence = &walk->evidence[formula->first_stride + l];
                affine += !flags;
                unknown += (flags & FT_STRIDE_UNKNOWN) != 0;
                if (!flags || flags & FT_STRIDE_UNKNOWN)
                    continue;
                shown += evidence->changes > 0;
                unseen += evidence->strides < STRIDES_MIN && !evidence->changes;
                if (evidence->strides < STRIDES_MIN || evidence->changes ||
                    is_named(symbol, regular, regular_count))
                    continue;
                wrong++;
                report(walk, formula, i, "said to be irregular");
            }
        }
    }
    tap_ok(wrong == 0,
           "own code: %" PRIu64 " strides affine, %" PRIu64 " irregular and shown to be, %" PRIu64
           " not seen often enough, %" PRIu64 " unknown; %" PRIu64 " wrongly irregular",
           affine, shown, unseen, unknown, wrong);
}

static int print_routine(const struct walk *walk, const char *name)
{
    const struct ft_flow_graph *graph = &walk->structure.graph;
    for (uint32_t i = 0; i < graph->instruction_count; i++) {
        const char *symbol = walk->structure.routines.items[routine_of(walk, i)].symbol;
        const struct ft_flow_block *block = &graph->blocks[graph->block_of[i]];
        for (unsigned a = 0; strcmp(symbol, name) == 0 && a < graph->instructions[i]->access_count;
             a++) {
            char *text =
                ft_access_formula_text(&walk->formulas, ft_formula_of(&walk->formulas, i, a));
            printf("%" PRIx64 ": %s\n", block->offset + (graph->instructions[i]->pc - block->pc),
                   text);
            free(text);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *printed = NULL;
    char *regular[16];
    size_t regular_count = 0;
    int next = 1;
    for (; next + 1 < argc && argv[next][0] == '-'; next += 2)
        if (argv[next][1] == 'p')
            printed = argv[next + 1];
        else if (regular_count < 16)
            regular[regular_count++] = argv[next + 1];
    if (next >= argc) {
        fprintf(stderr, "usage: %s [-p ROUTINE] [-r ROUTINE]... TRACE [SHARE]\n", argv[0]);
        return 2;
    }
    struct walk walk = {0};
    struct ft_diag diag = {0};
    int status = open_trace(argv[next], &walk, &diag);
    if (status == 0 && printed)
        return print_routine(&walk, printed);
    if (status == 0) {
        find_ranges(&walk);
        status = follow(&walk, &diag);
    }
    if (tap_ok(status == 0, "formulas of %s %s", argv[next], diag.message)) {
        double share = walk.accesses ? 100.0 * (double)walk.affine / (double)walk.accesses : 0.0;
        tap_ok(walk.accesses == ft_trace_metadata(walk.trace)->accesses, "%" PRIu64 " accesses",
               walk.accesses);
        tap_ok(walk.contradictions == 0 && walk.agreed > 0,
               "%" PRIu64 " addresses are as their formulas say, from %" PRIu64 " others; %" PRIu64
               " are not",
               walk.agreed, walk.learned, walk.contradictions);
        check_irregular(&walk, regular, regular_count);
        double asked = next + 1 < argc ? strtod(argv[next + 1], NULL) : 0;
        tap_ok(share >= asked, "%.1f %% of the accesses have affine formulas, %.0f asked", share,
               asked);
    }
    ft_formulas_fini(&walk.formulas);
    ft_structure_fini(&walk.structure);
    ft_trace_close(walk.trace);
    free(walk.stack);
    free(walk.instruction_of);
    free(walk.first_access);
    free(walk.access_end);
    free(walk.evidence);
    return tap_plan_done();
}
