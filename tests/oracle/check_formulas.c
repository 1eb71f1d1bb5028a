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
 * SHARE: at least so many percent of the program's own accesses have affine formulas; what start-up
 * does depends on the processor. -p prints the formulas of a routine instead.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/program/values/formula_text.h"
#include "tests/support/routine_walk.h"
#include "tests/support/tap.h"

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

/* The last access of a formula in this activation of its routine. */
struct last_access {
    bool seen;
    uint64_t address;
    struct active_loop at[WALK_LEVELS_MAX]; /* outermost first */
    /* The first move in the activation of each level's loop, in so many iterations; 0: none yet. */
    uint64_t distance[WALK_LEVELS_MAX], iterations[WALK_LEVELS_MAX];
};

struct knowledge {            /* of an activation */
    struct last_access *last; /* per access of the routine */
    struct solver solver;
};

/* What the trace shows of a level. */
struct evidence {
    uint64_t strides; /* compared with the one before in the same activation of the loop */
    uint64_t changes; /* of them were different */
};

struct check {
    struct routine_walk walk;  /* first: the listener casts */
    struct evidence *evidence; /* per stride formula */
    uint64_t accesses, own, affine, agreed, learned, contradictions, too_deep;
    unsigned reported;
};

static void begin_activation(struct routine_walk *walk, struct activation *activation)
{
    uint32_t routine = activation->routine;
    uint32_t count = walk->access_end[routine] - walk->first_access[routine];
    struct knowledge *knowledge = calloc(1, sizeof *knowledge);
    if (!knowledge || !(knowledge->last = calloc(count + 1, sizeof *knowledge->last)))
        exit(99);
    activation->data = knowledge;
}

static void end_activation(struct routine_walk *walk, struct activation *activation)
{
    struct knowledge *knowledge = activation->data;
    (void)walk;
    free(knowledge->last);
    for (uint32_t v = 0; v < knowledge->solver.count; v++)
        free(knowledge->solver.variables[v].solved);
    free(knowledge->solver.variables);
    free(knowledge);
}

/* ---- accesses ---- */

/* equation += count * sum; unknowns that are renewed in a loop have a value for each `scope`. */
static bool add_sum(struct check *check, struct knowledge *knowledge, struct equation *equation,
                    const struct ft_packed_expr *packed, uint64_t count, uint64_t scope)
{
    struct ft_linear_expr sum = ft_formula_expr(&check->walk.formulas, packed);
    if (packed->flags & FT_FORMULA_ROUNDED)
        return false;
    for (uint32_t i = 0; i < sum.count; i++) {
        const struct ft_term *term = &sum.terms[i];
        uint64_t factor = times(
            count, times(from_signed(term->numerator), inverse(from_signed(term->denominator))));
        if (term->symbol == FT_ONE) {
            equation->constant = plus(equation->constant, PRIME - factor);
            continue;
        }
        bool renewed = check->walk.formulas.symbols[term->symbol].loop != FT_NO_LOOP;
        add_term(equation, variable_of(&knowledge->solver, term->symbol, renewed ? scope : 0),
                 factor);
    }
    return true;
}

static void report(struct check *check, const struct ft_access_formula *formula,
                   uint32_t instruction, const char *what)
{
    if (check->reported++ >= REPORTED_MAX)
        return;
    char *text = ft_access_formula_text(&check->walk.formulas, formula);
    uint32_t routine = routine_walk_routine(&check->walk, instruction);
    printf("# %s: 0x%" PRIx64 " in %s: %s\n", what, routine_walk_offset(&check->walk, instruction),
           check->walk.structure.routines.items[routine].symbol, text);
    free(text);
}

/* The stride of each level that this access shows: from the one before in the same activation of
 * the level's loop, when loops inside are in their first iteration both times. */
static void take_evidence(struct check *check, const struct ft_access_formula *formula,
                          const struct activation *activation, struct last_access *last,
                          uint64_t address)
{
    for (unsigned d = formula->level_count; d-- > 0;) {
        const struct active_loop *now = &activation->loops[d];
        struct evidence *evidence =
            &check->evidence[formula->first_stride + formula->level_count - 1 - d];
        if (last->seen && routine_walk_same_loop(now, &last->at[d])) {
            uint64_t iterations = now->iteration - last->at[d].iteration;
            uint64_t distance = address - last->address;
            if (last->iterations[d]) {
                evidence->strides++;
                evidence->changes +=
                    distance * last->iterations[d] != last->distance[d] * iterations;
            } else {
                last->distance[d] = distance;
                last->iterations[d] = iterations;
            }
        }
        if (!last->seen || !routine_walk_same_loop(now, &last->at[d]))
            last->iterations[d] = 0;
        if (now->iteration != 0)
            break; /* an outer level is seen where this one begins */
    }
}

static void take_access(struct routine_walk *walk, struct activation *activation,
                        uint32_t instruction, unsigned index, uint64_t address)
{
    struct check *check = (struct check *)walk;
    const struct ft_access_formula *formula = ft_formula_of(&walk->formulas, instruction, index);
    bool affine = ft_formula_is_affine(&walk->formulas, formula);
    check->accesses++;
    if (routine_walk_is_own(walk, instruction)) {
        check->own++;
        check->affine += affine;
    }
    if (walk->structure.graph.instructions[instruction]->accesses[index].mode != FT_ACCESS_PLAIN ||
        !activation)
        return;
    if (activation->depth != formula->level_count) {
        check->too_deep++;
        return;
    }
    struct knowledge *knowledge = activation->data;
    struct last_access *last = &knowledge->last[(uint32_t)(formula - walk->formulas.accesses) -
                                                walk->first_access[activation->routine]];
    /* Of the levels, innermost first, those before the first flag. */
    unsigned good = 0;
    while (good < formula->level_count &&
           !check->walk.formulas.strides[formula->first_stride + good].flags)
        good++;
    struct equation equation = {.constant = address % PRIME};
    bool complete = true;
    unsigned outer = formula->level_count - good; /* levels before these are not affine */
    if (affine) {
        complete = add_sum(check, knowledge, &equation, &formula->first, 1, 0);
    } else if (last->seen && outer > 0 &&
               routine_walk_same_loop(&activation->loops[outer - 1], &last->at[outer - 1]) &&
               activation->loops[outer - 1].iteration == last->at[outer - 1].iteration) {
        equation.constant = from_signed((int64_t)(address - last->address));
    } else {
        complete = false;
    }
    for (unsigned g = 0; complete && g < good; g++) {
        unsigned d = formula->level_count - 1 - g;
        const struct ft_stride_formula *stride =
            &check->walk.formulas.strides[formula->first_stride + g];
        uint64_t count = activation->loops[d].iteration % PRIME;
        if (!affine && routine_walk_same_loop(&activation->loops[d], &last->at[d]))
            count = from_signed((int64_t)(activation->loops[d].iteration - last->at[d].iteration));
        else if (!affine && last->at[d].iteration != 0)
            complete = false; /* its part of the access before had another stride, perhaps */
        if (count)
            complete = complete && add_sum(check, knowledge, &equation, &stride->expr, count,
                                           activation->loops[d].activation);
    }
    if (complete) {
        enum verdict verdict = take_equation(&knowledge->solver, &equation);
        check->agreed += verdict == AGREES;
        check->learned += verdict == LEARNED;
        check->contradictions += verdict == CONTRADICTS;
        if (verdict == CONTRADICTS)
            report(check, formula, instruction, "not so");
    }
    take_evidence(check, formula, activation, last, address);
    last->seen = true;
    last->address = address;
    memcpy(last->at, activation->loops, formula->level_count * sizeof *last->at);
}

/* ---- results ---- */

static bool is_named(const char *symbol, char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], symbol) == 0)
            return true;
    return false;
}

/* Levels of the program's own code that are said to be irregular. */
static void check_irregular(struct check *check, char **regular, size_t regular_count)
{
    const struct ft_flow_graph *graph = &check->walk.structure.graph;
    uint64_t shown = 0, wrong = 0, unseen = 0, unknown = 0, affine = 0;
    check->reported = 0;
    for (uint32_t i = 0; i < graph->instruction_count; i++) {
        const char *symbol =
            check->walk.structure.routines.items[routine_walk_routine(&check->walk, i)].symbol;
        for (unsigned a = 0;
             routine_walk_is_own(&check->walk, i) && a < graph->instructions[i]->access_count;
             a++) {
            const struct ft_access_formula *formula = ft_formula_of(&check->walk.formulas, i, a);
            for (unsigned l = 0; l < formula->level_count; l++) {
                uint8_t flags = check->walk.formulas.strides[formula->first_stride + l].flags;
                const struct evidence *evidence = &check->evidence[formula->first_stride + l];
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
                report(check, formula, i, "said to be irregular");
            }
        }
    }
    tap_ok(wrong == 0,
           "own code: %" PRIu64 " strides affine, %" PRIu64 " irregular and shown to be, %" PRIu64
           " not seen often enough, %" PRIu64 " unknown; %" PRIu64 " wrongly irregular",
           affine, shown, unseen, unknown, wrong);
}

static int print_routine(const struct check *check, const char *name)
{
    const struct ft_flow_graph *graph = &check->walk.structure.graph;
    for (uint32_t i = 0; i < graph->instruction_count; i++) {
        const char *symbol =
            check->walk.structure.routines.items[routine_walk_routine(&check->walk, i)].symbol;
        const struct ft_flow_block *block = &graph->blocks[graph->block_of[i]];
        for (unsigned a = 0; strcmp(symbol, name) == 0 && a < graph->instructions[i]->access_count;
             a++) {
            char *text = ft_access_formula_text(&check->walk.formulas,
                                                ft_formula_of(&check->walk.formulas, i, a));
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
    static const struct walk_listener listener = {begin_activation, end_activation, take_access};
    struct check check = {.walk = {.listener = &listener}};
    struct ft_diag diag = {0};
    int status = routine_walk_open(argv[next], &check.walk, &diag);
    if (status == 0 && printed)
        return print_routine(&check, printed);
    if (status == 0) {
        check.evidence = calloc(check.walk.formulas.stride_count + 1, sizeof *check.evidence);
        if (!check.evidence)
            exit(99);
        status = routine_walk_follow(&check.walk, &diag);
    }
    if (tap_ok(status == 0, "formulas of %s %s", argv[next], diag.message)) {
        double share = check.own ? 100.0 * (double)check.affine / (double)check.own : 0.0;
        tap_ok(check.accesses == ft_trace_metadata(check.walk.trace)->accesses,
               "%" PRIu64 " accesses", check.accesses);
        tap_ok(check.contradictions == 0 && check.agreed > 0,
               "%" PRIu64 " addresses are as their formulas say, from %" PRIu64 " others; %" PRIu64
               " are not",
               check.agreed, check.learned, check.contradictions);
        check_irregular(&check, regular, regular_count);
        double asked = next + 1 < argc ? strtod(argv[next + 1], NULL) : 0;
        tap_ok(share >= asked,
               "%.1f %% of the program's own accesses have affine formulas, %.0f asked", share,
               asked);
    }
    routine_walk_close(&check.walk);
    free(check.evidence);
    return tap_plan_done();
}
