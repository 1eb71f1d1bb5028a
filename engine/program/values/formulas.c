/*
 * Routine by routine: decode the code, find its frame, definitions and the expressions of its
 * values. Then the expression of each address is resolved twice: with induction variables replaced
 * by their start values, which is the first location; and as its step in each loop around.
 */
#include "engine/program/values/formulas.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/values/expr_bases.h"
#include "engine/program/values/routine_values.h"
#include "formats/base/array.h"

/* Most replacements of induction variables by start values that are induction variables too. */
#define STARTS_MAX    64
#define DIVISIONS_MAX 8

struct finder {
    const struct ft_flow_graph *graph;
    const struct ft_routines *routines;
    const struct ft_program_loops *loops;
    struct ft_definition_order order;
    struct ft_routine_values values;
    struct ft_formulas formulas;
    uint32_t *symbol_of; /* per expression symbol of the routine; 0: not known yet */
    size_t symbol_of_count, symbol_of_capacity;
    struct ft_expr_bases bases; /* of the routine */
    uint32_t routine;
    bool out_of_memory;
};

/* ---- expressions of symbols to expressions of symbols ---- */

/* Replaces induction variables by their start values, and quotients by fractions of their
 * dividends, where these are known: all induction variables, or those that are invariant in their
 * own loop. */
static void resolve(struct finder *finder, bool all, unsigned depth, struct ft_linear_expr *expr,
                    uint8_t *flags)
{
    unsigned steps = 0;
    for (uint32_t i = 0; i < expr->count && steps < STARTS_MAX;) {
        uint32_t index = expr->terms[i].symbol;
        struct ft_expr_symbol symbol = finder->values.exprs.symbols[index];
        struct ft_linear_expr instead, without = *expr;
        int64_t divisor = 1;
        uint8_t more = 0;
        bool found = false;
        if (symbol.kind == FT_EXPR_INDUCTION) {
            struct ft_loop_step step = {0};
            if (!all)
                step = ft_stride_of_symbol(&finder->values.exprs, index, symbol.loop);
            found = (all || ft_loop_step_is_zero(&step)) &&
                    ft_induction_start(&finder->values.exprs, &symbol, &instead, &more);
        } else if (symbol.kind == FT_EXPR_QUOTIENT) {
            struct ft_linear_expr quotient = {0};
            instead = ft_unpack_expr(&finder->values.exprs, &symbol.expr);
            more = symbol.expr.flags;
            if (depth < DIVISIONS_MAX)
                resolve(finder, all, depth + 1, &instead, &more);
            divisor = symbol.divisor;
            found = ft_linear_expr_add(&quotient, &instead, 1, divisor);
            if (!found || !ft_linear_expr_is_integral(&quotient))
                more |= FT_FORMULA_ROUNDED;
        }
        struct ft_term term = expr->terms[i];
        ft_linear_expr_remove(&without, index);
        int64_t denominator;
        if (!found || __builtin_mul_overflow(term.denominator, divisor, &denominator) ||
            !ft_linear_expr_add(&without, &instead, term.numerator, denominator)) {
            i++;
            continue;
        }
        *expr = without;
        *flags |= more;
        steps++;
        i = 0;
    }
}

static uint64_t offset_of(const struct finder *finder, uint32_t block, uint32_t instruction)
{
    const struct ft_routine_code *code = &finder->values.code;
    const struct ft_flow_block *b = &finder->graph->blocks[ft_code_graph_block(code, block)];
    return instruction == FT_NO_VALUE
               ? b->offset
               : b->offset + (ft_code_instruction(code, instruction)->pc - b->pc);
}

static struct ft_packed_expr take_expr(struct finder *finder, const struct ft_linear_expr *expr,
                                       uint8_t flags);

static struct ft_formula_symbol describe(struct finder *finder, const struct ft_expr_symbol *symbol)
{
    uint32_t block = symbol->block, instruction = symbol->instruction;
    if (symbol->kind == FT_EXPR_EXIT_VALUE) { /* the definition inside the loop */
        block = finder->values.def_use.values[symbol->value].block;
        instruction = finder->values.def_use.values[symbol->value].instruction;
    }
    struct ft_formula_symbol described = {
        .kind =
            symbol->value == FT_NO_VALUE ? FT_FORMULA_SYMBOL_ADDRESS : FT_FORMULA_SYMBOL_REGISTER,
        .place = FT_NO_PLACE,
        .offset = offset_of(finder, block, instruction),
        .loop = symbol->loop,
        .routine = finder->routine,
        .instruction = instruction == FT_NO_VALUE
                           ? FT_NO_BLOCK
                           : finder->values.code.graph_instruction[instruction],
    };
    if (symbol->value == FT_NO_VALUE)
        return described;
    uint32_t place = finder->values.def_use.values[symbol->value].place;
    bool in_register = place < FT_PLACE_REGISTERS;
    if (in_register)
        described.place = (uint8_t)place;
    else
        described.stack_offset =
            finder->values.frame.slots[place - FT_PLACE_REGISTERS].address.offset;
    if (symbol->kind == FT_EXPR_LOADED) {
        struct ft_linear_expr address = ft_unpack_expr(&finder->values.exprs, &symbol->expr);
        uint8_t flags = symbol->expr.flags;
        resolve(finder, true, 0, &address, &flags);
        described.kind = FT_FORMULA_SYMBOL_LOADED;
        described.size = symbol->size_bytes;
        described.address = take_expr(finder, &address, flags);
    } else if (symbol->kind == FT_EXPR_ENTRY &&
               described.offset == finder->routines->items[finder->routine].start) {
        described.kind = in_register ? FT_FORMULA_SYMBOL_ENTRY : FT_FORMULA_SYMBOL_ARGUMENT;
    }
    return described;
}

/* Makes room for a symbol; exit values add new ones on the way. */
static bool reach_atom(struct finder *finder, uint32_t index)
{
    if (!FT_RESERVE(finder->symbol_of, finder->symbol_of_capacity, (size_t)index + 1))
        return false;
    for (; finder->symbol_of_count <= index; finder->symbol_of_count++)
        finder->symbol_of[finder->symbol_of_count] = 0;
    return true;
}

static uint32_t symbol_of(struct finder *finder, uint32_t index)
{
    struct ft_formulas *formulas = &finder->formulas;
    struct ft_expr_symbol symbol = finder->values.exprs.symbols[index];
    if (index == FT_ONE)
        return FT_ONE;
    if (index < finder->symbol_of_count && finder->symbol_of[index])
        return finder->symbol_of[index];
    struct ft_formula_symbol described = describe(finder, &symbol);
    if (!reach_atom(finder, index) ||
        !FT_RESERVE(formulas->symbols, formulas->symbol_capacity, formulas->symbol_count + 1)) {
        finder->out_of_memory = true;
        return FT_ONE;
    }
    formulas->symbols[formulas->symbol_count] = described;
    finder->symbol_of[index] = (uint32_t)formulas->symbol_count;
    return (uint32_t)formulas->symbol_count++;
}

static struct ft_packed_expr take_expr(struct finder *finder, const struct ft_linear_expr *expr,
                                       uint8_t flags)
{
    struct ft_formulas *formulas = &finder->formulas;
    struct ft_linear_expr named = {0};
    for (uint32_t i = 0; i < expr->count; i++) {
        struct ft_linear_expr term =
            ft_linear_expr_symbol(symbol_of(finder, expr->terms[i].symbol));
        ft_linear_expr_add(&named, &term, expr->terms[i].numerator, expr->terms[i].denominator);
    }
    if (!FT_RESERVE(formulas->terms, formulas->term_capacity,
                    formulas->term_count + named.count + 1)) {
        finder->out_of_memory = true;
        return (struct ft_packed_expr){0};
    }
    struct ft_packed_expr packed = {(uint32_t)formulas->term_count, (uint8_t)named.count, flags};
    memcpy(formulas->terms + formulas->term_count, named.terms, named.count * sizeof *named.terms);
    formulas->term_count += named.count;
    return packed;
}

/* ---- accesses ---- */

static bool is_on_stack(const struct finder *finder, const struct ft_linear_expr *expr)
{
    for (uint32_t i = 0; i < expr->count; i++) {
        const struct ft_expr_symbol *symbol = &finder->values.exprs.symbols[expr->terms[i].symbol];
        if (expr->terms[i].symbol != FT_ONE && symbol->value != FT_NO_VALUE &&
            finder->values.def_use.values[symbol->value].place == FT_RSP)
            return true;
    }
    return false;
}

/* Where the stack pointer is known, a slot that no pointer may reach is the routine's own; above
 * the return address lies what the caller stored. */
static uint8_t storage_of(const struct finder *finder, const struct ft_stack_state *state,
                          const struct ft_access *access, const struct ft_linear_expr *expr)
{
    bool exact = false;
    struct ft_stack_slot slot = {ft_stack_access(state, access, &exact), access->size_bytes};
    if (!slot.address.base)
        return is_on_stack(finder, expr) ? FT_STORAGE_STACK : FT_STORAGE_DATA;
    bool is_aligned = slot.address.base > finder->values.code.block_count;
    bool is_own = is_aligned || slot.address.offset < (int64_t)sizeof(uint64_t);
    return exact && is_own && !ft_stack_is_reached(&finder->values.frame, &slot) ? FT_STORAGE_SPILL
                                                                                 : FT_STORAGE_STACK;
}

static bool add_strides(struct finder *finder, const struct ft_linear_expr *address, uint8_t flags,
                        uint32_t loop)
{
    struct ft_formulas *formulas = &finder->formulas;
    for (; loop != FT_NO_LOOP; loop = finder->loops->items[loop].parent) {
        struct ft_loop_step step = ft_stride_of_expr(&finder->values.exprs, address, flags, loop);
        struct ft_stride_formula formula = {.loop = loop, .flags = step.flags};
        if (!step.flags) {
            struct ft_linear_expr stride = ft_unpack_expr(&finder->values.exprs, &step.expr);
            uint8_t stride_flags = step.expr.flags;
            resolve(finder, false, 0, &stride, &stride_flags);
            formula.expr = take_expr(finder, &stride, stride_flags);
        }
        if (!FT_RESERVE(formulas->strides, formulas->stride_capacity, formulas->stride_count + 1))
            return false;
        formulas->strides[formulas->stride_count++] = formula;
    }
    return true;
}

static bool add_access(struct finder *finder, uint32_t instruction, unsigned index,
                       const struct ft_stack_state *state)
{
    struct ft_formulas *formulas = &finder->formulas;
    uint32_t block = finder->values.code.block_of[instruction];
    uint32_t loop = ft_code_loop(&finder->values.code, block);
    struct ft_packed_expr packed =
        finder->values.exprs.addresses[finder->values.exprs.first_access[instruction] + index];
    struct ft_linear_expr address = ft_unpack_expr(&finder->values.exprs, &packed), first = address;
    uint8_t flags = packed.flags;
    struct ft_access_formula access = {
        .first_stride = (uint32_t)formulas->stride_count,
        .level_count = (uint16_t)(loop == FT_NO_LOOP ? 0 : finder->order.depth[loop]),
        .storage = storage_of(
            finder, state, &ft_code_instruction(&finder->values.code, instruction)->accesses[index],
            &address),
    };
    if (!ft_expr_base(&finder->bases, &address, &access.base))
        return false;
    resolve(finder, true, 0, &first, &flags);
    access.first = take_expr(finder, &first, flags);
    if (!add_strides(finder, &address, packed.flags, loop) ||
        !FT_RESERVE(formulas->accesses, formulas->access_capacity, formulas->access_count + 1))
        return false;
    formulas->accesses[formulas->access_count++] = access;
    return !finder->out_of_memory && !finder->values.exprs.out_of_memory;
}

static bool name_accesses(struct finder *finder)
{
    const struct ft_routine_code *code = &finder->values.code;
    struct ft_stack_state state = {0};
    bool complete = true;
    finder->symbol_of_count = 0;
    ft_expr_bases_begin(&finder->bases, finder->formulas.base_count);
    for (uint32_t i = 0; complete && i < code->instruction_count; i++) {
        const struct ft_instruction *instruction = ft_code_instruction(code, i);
        finder->formulas.first_access[code->graph_instruction[i]] =
            (uint32_t)finder->formulas.access_count;
        if (code->first_instruction[code->block_of[i]] == i)
            state = finder->values.frame.at_start[code->block_of[i]];
        for (unsigned a = 0; complete && a < instruction->access_count; a++)
            complete = add_access(finder, i, a, &state);
        ft_stack_step(code, i, &state);
    }
    finder->formulas.base_count += finder->bases.count;
    return complete;
}

static int find_in_routine(struct finder *finder, uint32_t index, struct ft_diag *diag)
{
    const struct ft_routine *routine = &finder->routines->items[index];
    finder->routine = index;
    FT_TRY(ft_routine_values_make(&finder->values, finder->graph, routine, finder->loops,
                                  &finder->order, diag));
    if (!name_accesses(finder))
        return ft_fail_memory(diag, "the formulas of a routine");
    return FT_OK;
}

int ft_formulas_find(const struct ft_flow_graph *graph, const struct ft_routines *routines,
                     const struct ft_program_loops *loops, struct ft_formulas *ret_formulas,
                     struct ft_diag *diag)
{
    struct finder finder = {.graph = graph, .routines = routines, .loops = loops};
    int status = ft_definition_order_make(graph, routines, loops, &finder.order, diag);
    finder.formulas.first_access =
        calloc(graph->instruction_count + 1, sizeof *finder.formulas.first_access);
    if (status == 0 && (!finder.formulas.first_access ||
                        !FT_RESERVE(finder.formulas.symbols, finder.formulas.symbol_capacity, 1)))
        status = ft_fail_memory(diag, "the formulas of a program");
    if (status == 0) {
        finder.formulas.symbols[0] = (struct ft_formula_symbol){.loop = FT_NO_LOOP};
        finder.formulas.symbol_count = 1;
    }
    for (uint32_t r = 0; status == 0 && r < routines->count; r++)
        status = find_in_routine(&finder, r, diag);
    ft_definition_order_fini(&finder.order);
    ft_routine_values_fini(&finder.values);
    ft_expr_bases_fini(&finder.bases);
    free(finder.symbol_of);
    if (status == 0)
        *ret_formulas = finder.formulas;
    else
        ft_formulas_fini(&finder.formulas);
    return status;
}

void ft_formulas_fini(struct ft_formulas *formulas)
{
    free(formulas->symbols);
    free(formulas->terms);
    free(formulas->accesses);
    free(formulas->first_access);
    free(formulas->strides);
    *formulas = (struct ft_formulas){0};
}

uint32_t ft_formulas_access_at(const struct ft_formulas *formulas,
                               const struct ft_flow_graph *graph, uint64_t pc,
                               unsigned access_index)
{
    uint32_t instruction = ft_flow_graph_instruction_at(graph, pc, access_index + 1);
    return instruction == FT_NO_BLOCK ? FT_NO_ACCESS
                                      : formulas->first_access[instruction] + access_index;
}

struct ft_linear_expr ft_formula_expr(const struct ft_formulas *formulas,
                                      const struct ft_packed_expr *packed)
{
    struct ft_linear_expr expr = {.count = packed->count};
    if (packed->count)
        memcpy(expr.terms, formulas->terms + packed->first, packed->count * sizeof *expr.terms);
    return expr;
}

bool ft_formula_is_affine(const struct ft_formulas *formulas,
                          const struct ft_access_formula *access)
{
    for (unsigned i = 0; i < access->level_count; i++)
        if (formulas->strides[access->first_stride + i].flags)
            return false;
    return true;
}
