/*
 * Starts from the expression of an address, seen from a loop: induction variables of inner loops
 * are replaced by their start values. Then goes from the loop outwards, for as long as the
 * expression's step is an expression: records the step, and replaces the loop's induction variables
 * by their start values. What remains is compared symbol by symbol: equal symbols are equal values.
 * A family is the remainder without its constant, with all steps.
 */
#include "engine/program/dependences/loop_accesses.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/values/strides.h"
#include "formats/base/array.h"

/* ---- numbers for keys ---- */

static uint64_t hash_words(const uint64_t *words, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = ft_hash_add(hash, words[i]);
    return hash;
}

/* The number of the key that begins at word `start`: a word for its length, and what was added
 * since. Equal keys have one number. */
static bool number_of_key(struct ft_loop_accesses *accesses, size_t start, uint32_t *ret_number)
{
    size_t count = accesses->word_count - start - 1;
    accesses->words[start] = count;
    uint64_t hash = hash_words(accesses->words + start + 1, count);
    for (size_t probe = hash; ft_hash_next(&accesses->numbers, hash, &probe, ret_number);) {
        const uint64_t *known = accesses->words + accesses->keys[*ret_number];
        if (memcmp(known, accesses->words + start, (1 + count) * sizeof *known) == 0) {
            accesses->word_count = start;
            return true;
        }
    }
    if (!FT_RESERVE(accesses->keys, accesses->key_capacity, (size_t)accesses->key_count + 1) ||
        !ft_hash_table_add(&accesses->numbers, hash, accesses->key_count))
        return false;
    accesses->keys[accesses->key_count] = start;
    *ret_number = accesses->key_count++;
    return true;
}

static bool add_word(struct ft_loop_accesses *accesses, uint64_t word)
{
    if (!FT_RESERVE(accesses->words, accesses->word_capacity, accesses->word_count + 1))
        return false;
    accesses->words[accesses->word_count++] = word;
    return true;
}

static bool add_expr(struct ft_loop_accesses *accesses, const struct ft_linear_expr *expr)
{
    bool complete = add_word(accesses, expr->count);
    for (uint32_t i = 0; complete && i < expr->count; i++)
        complete = add_word(accesses, expr->terms[i].symbol) &&
                   add_word(accesses, (uint64_t)expr->terms[i].numerator) &&
                   add_word(accesses, (uint64_t)expr->terms[i].denominator);
    return complete;
}

/* ---- addresses ---- */

static struct ft_access_step step_of(struct ft_value_exprs *exprs, const struct ft_loop_step *of)
{
    struct ft_access_step step = {.kind = FT_ACCESS_STEP_UNKNOWN};
    if (of->flags)
        return step;
    struct ft_linear_expr expr = ft_unpack_expr(exprs, &of->expr);
    step.expr = of->expr;
    step.kind = FT_ACCESS_STEP_EXPR;
    if (expr.count == 0 || ft_linear_expr_is_constant(&expr, &step.bytes))
        step.kind = FT_ACCESS_STEP_CONSTANT;
    return step;
}

/* The steps in the loops inside; false where one is not known. */
static bool find_inner_steps(const struct ft_dependence_loop *made,
                             const struct ft_linear_expr *address, uint8_t flags,
                             struct ft_loop_access *access)
{
    struct ft_value_exprs *exprs = &made->values->exprs;
    const struct ft_program_loops *loops = made->values->code.loops;
    for (uint32_t l = access->innermost; l != made->loop; l = loops->items[l].parent) {
        struct ft_loop_step step = ft_stride_of_expr(exprs, address, flags, l);
        if (step.flags || access->inner_count == FT_INNER_LEVELS_MAX)
            return false;
        access->inner[access->inner_count++] = step_of(exprs, &step);
    }
    return true;
}

/* Whether an expression has something that changes in a loop inside. */
static bool changes_inside(const struct ft_dependence_loop *made, const struct ft_linear_expr *expr)
{
    const struct ft_value_exprs *exprs = &made->values->exprs;
    for (uint32_t i = 0; i < expr->count; i++) {
        uint32_t loop = exprs->symbols[expr->terms[i].symbol].loop;
        if (expr->terms[i].symbol != FT_ONE && loop != FT_NO_LOOP && loop != made->loop &&
            ft_loop_holds(exprs->code->loops, made->loop, loop))
            return true;
    }
    return false;
}

/* Replaces inductions from the loop outwards, and adds their steps to the key of the list. */
static bool start_loops(struct ft_loop_accesses *accesses, const struct ft_dependence_loop *made,
                        struct ft_linear_expr *expr, uint8_t flags, struct ft_access_step *ret_step)
{
    struct ft_value_exprs *exprs = &made->values->exprs;
    const struct ft_program_loops *loops = made->values->code.loops;
    bool complete = true;
    for (uint32_t l = made->loop; complete && l != FT_NO_LOOP; l = loops->items[l].parent) {
        struct ft_loop_step step = ft_stride_of_expr(exprs, expr, flags, l);
        struct ft_linear_expr started = *expr, stride = {0};
        if (l == made->loop)
            *ret_step = step_of(exprs, &step);
        if (step.flags)
            break;
        stride = ft_unpack_expr(exprs, &step.expr);
        complete = add_word(accesses, l) && add_expr(accesses, &stride);
        if (!ft_replace_inductions(exprs, l, &started, &flags))
            break;
        *expr = started;
    }
    return complete;
}

/* An expression without its constant. */
static int64_t take_constant(struct ft_linear_expr *expr)
{
    struct ft_term constant = ft_linear_expr_term(expr, FT_ONE);
    if (constant.denominator != 1)
        return 0;
    ft_linear_expr_remove(expr, FT_ONE);
    return constant.numerator;
}

static bool find_address(struct ft_loop_accesses *accesses, const struct ft_dependence_loop *made,
                         struct ft_loop_access *access)
{
    struct ft_value_exprs *exprs = &made->values->exprs;
    struct ft_packed_expr packed =
        exprs->addresses[exprs->first_access[access->instruction] + access->index];
    struct ft_linear_expr address = ft_unpack_expr(exprs, &packed), expr = address;
    uint8_t flags = packed.flags;
    struct ft_access_step step = {.kind = FT_ACCESS_STEP_UNKNOWN};
    ft_start_inner_inductions(exprs, made->loop, &expr, &flags);
    if (!find_inner_steps(made, &address, flags, access) || changes_inside(made, &expr))
        return true;
    size_t start = accesses->word_count;
    if (!add_word(accesses, 0) || !start_loops(accesses, made, &expr, flags, &step))
        return false;
    access->step = step;
    if (!number_of_key(accesses, start, &access->step_list))
        return false;
    access->constant = take_constant(&expr);
    access->expr = ft_pack_expr(exprs, &expr, flags);
    start = accesses->word_count;
    return add_word(accesses, 0) && add_word(accesses, access->step_list) &&
           add_expr(accesses, &expr) && number_of_key(accesses, start, &access->family) &&
           !exprs->out_of_memory;
}

/* ---- accesses ---- */

static uint8_t region_of(const struct ft_dependence_loop *made, const struct ft_access *access,
                         const struct ft_stack_state *state)
{
    bool exact = false;
    struct ft_stack_address address = ft_stack_access(state, access, &exact);
    struct ft_stack_slot slot = {address, access->size_bytes};
    if (!address.base)
        return FT_REGION_ANY;
    return exact && !ft_stack_is_reached(&made->values->frame, &slot) ? FT_REGION_PRIVATE
                                                                      : FT_REGION_STACK;
}

static bool add_access(struct ft_loop_accesses *accesses, const struct ft_dependence_loop *made,
                       uint32_t i, unsigned index, const struct ft_stack_state *state)
{
    const struct ft_routine_code *code = &made->values->code;
    const struct ft_instruction *instruction = ft_code_instruction(code, i);
    const struct ft_access *access = &instruction->accesses[index];
    bool masked = access->mode == FT_ACCESS_MASKED || access->mode == FT_ACCESS_PACKED;
    if (!FT_RESERVE(accesses->items, accesses->capacity, accesses->count + 1))
        return false;
    struct ft_loop_access *added = &accesses->items[accesses->count++];
    *added = (struct ft_loop_access){
        .instruction = i,
        .index = (uint8_t)index,
        .reads = access->kind == FT_LOAD,
        .writes = access->kind != FT_LOAD,
        .region = region_of(made, access, state),
        .size_bytes = masked ? access->size_bytes * access->elements : access->size_bytes,
        .innermost = ft_code_loop(code, code->block_of[i]),
        .family = FT_NO_FAMILY,
        .step_list = FT_NO_FAMILY,
        .step.kind = FT_ACCESS_STEP_UNKNOWN,
    };
    /* How far a string instruction comes is not known. */
    if (access->mode == FT_ACCESS_STRING && instruction->rep)
        return true;
    return find_address(accesses, made, added);
}

static bool runs_others(const struct ft_routine_code *code, uint32_t i)
{
    uint8_t flow = ft_code_instruction(code, i)->flow;
    return ft_code_is_call(code, i) || flow == FT_FLOW_SYSCALL || flow == FT_FLOW_UNKNOWN;
}

/* What others touch. */
static bool add_any(struct ft_loop_accesses *accesses, const struct ft_dependence_loop *made,
                    uint32_t i)
{
    const struct ft_routine_code *code = &made->values->code;
    if (!FT_RESERVE(accesses->items, accesses->capacity, accesses->count + 1))
        return false;
    accesses->items[accesses->count++] = (struct ft_loop_access){
        .instruction = i,
        .index = FT_ANY_ACCESS,
        .reads = true,
        .writes = true,
        .innermost = ft_code_loop(code, code->block_of[i]),
        .family = FT_NO_FAMILY,
        .step_list = FT_NO_FAMILY,
        .step.kind = FT_ACCESS_STEP_UNKNOWN,
    };
    return true;
}

static bool add_block(struct ft_loop_accesses *accesses, const struct ft_dependence_loop *made,
                      uint32_t block)
{
    const struct ft_routine_code *code = &made->values->code;
    struct ft_stack_state state = made->values->frame.at_start[block];
    bool complete = true;
    for (uint32_t i = code->first_instruction[block];
         complete && i < code->first_instruction[block + 1]; i++) {
        const struct ft_instruction *instruction = ft_code_instruction(code, i);
        for (unsigned a = 0; complete && a < instruction->access_count; a++)
            if (instruction->accesses[a].kind != FT_PREFETCH)
                complete = add_access(accesses, made, i, a, &state);
        if (complete && runs_others(code, i))
            complete = add_any(accesses, made, i);
        ft_stack_step(code, i, &state);
    }
    return complete;
}

bool ft_loop_accesses_make(struct ft_loop_accesses *accesses, const struct ft_dependence_loop *made)
{
    bool complete = true;
    accesses->count = accesses->word_count = 0;
    accesses->key_count = 0;
    ft_hash_table_clear(&accesses->numbers);
    for (uint32_t b = 0; complete && b < made->block_count; b++)
        complete = add_block(accesses, made, made->blocks[b]);
    return complete;
}

void ft_loop_accesses_fini(struct ft_loop_accesses *accesses)
{
    free(accesses->items);
    free(accesses->words);
    free(accesses->keys);
    ft_hash_table_fini(&accesses->numbers);
    *accesses = (struct ft_loop_accesses){0};
}
