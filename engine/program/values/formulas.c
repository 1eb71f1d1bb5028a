/*
 * One routine after another: its code decoded, its frame, its definitions, the sums of its values.
 * Then for each access the sum of its address is written down twice: with each induction replaced
 * by what it starts with, that is the first location; and its motion in each loop around.
 */
#include "engine/program/values/formulas.h"

#include <stdlib.h>
#include <string.h>

#include "engine/program/values/routine_values.h"
#include "engine/program/values/sum_bases.h"
#include "formats/base/array.h"

/* So deep may inductions start with each other. */
#define STARTS_MAX    64
#define DIVISIONS_MAX 8

struct finder {
    const struct ft_flow_graph *graph;
    const struct ft_routines *routines;
    const struct ft_program_loops *loops;
    struct ft_definition_order order;
    struct ft_routine_values values;
    struct ft_formulas formulas;
    uint32_t *unknown_of; /* per atom of the routine; 0: not there yet */
    size_t unknown_of_count, unknown_of_capacity;
    struct ft_sum_bases bases; /* of the routine */
    uint32_t routine;
    bool out_of_memory;
};

/* ---- sums of atoms to sums of unknowns ---- */

/* Replaces inductions by what they start with, and quotients by fractions of their dividends, as
 * far as that is known: all inductions, or those that stand still in their own loop. */
static void resolve(struct finder *finder, bool all, unsigned depth, struct ft_sum *sum,
                    uint8_t *flags)
{
    unsigned steps = 0;
    for (uint32_t i = 0; i < sum->count && steps < STARTS_MAX;) {
        uint32_t index = sum->terms[i].unknown;
        struct ft_atom atom = finder->values.sums.atoms[index];
        struct ft_sum instead, without = *sum;
        int64_t divisor = 1;
        uint8_t more = 0;
        bool found = false;
        if (atom.kind == FT_ATOM_INDUCTION) {
            struct ft_motion motion = {0};
            if (!all)
                motion = ft_stride_of_atom(&finder->values.sums, index, atom.loop);
            found = (all || ft_motion_is_none(&motion)) &&
                    ft_induction_start(&finder->values.sums, &atom, &instead, &more);
        } else if (atom.kind == FT_ATOM_QUOTIENT) {
            struct ft_sum quotient = {0};
            instead = ft_unpack_sum(&finder->values.sums, &atom.sum);
            more = atom.sum.flags;
            if (depth < DIVISIONS_MAX)
                resolve(finder, all, depth + 1, &instead, &more);
            divisor = atom.divisor;
            found = ft_sum_add(&quotient, &instead, 1, divisor);
            if (!found || !ft_sum_is_whole(&quotient))
                more |= FT_FORMULA_ROUNDED;
        }
        struct ft_term term = sum->terms[i];
        ft_sum_remove(&without, index);
        int64_t denominator;
        if (!found || __builtin_mul_overflow(term.denominator, divisor, &denominator) ||
            !ft_sum_add(&without, &instead, term.numerator, denominator)) {
            i++;
            continue;
        }
        *sum = without;
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

static struct ft_packed_sum take_sum(struct finder *finder, const struct ft_sum *sum,
                                     uint8_t flags);

static struct ft_unknown describe(struct finder *finder, const struct ft_atom *atom)
{
    uint32_t block = atom->block, instruction = atom->instruction;
    if (atom->kind == FT_ATOM_LEFT) { /* where the value is from that left its loop */
        block = finder->values.def_use.values[atom->value].block;
        instruction = finder->values.def_use.values[atom->value].instruction;
    }
    struct ft_unknown unknown = {
        .kind = atom->value == FT_NO_VALUE ? FT_UNKNOWN_ADDRESS : FT_UNKNOWN_REGISTER,
        .place = FT_NO_PLACE,
        .offset = offset_of(finder, block, instruction),
        .loop = atom->loop,
        .routine = finder->routine,
        .instruction = instruction == FT_NO_VALUE
                           ? FT_NO_BLOCK
                           : finder->values.code.graph_instruction[instruction],
    };
    if (atom->value == FT_NO_VALUE)
        return unknown;
    uint32_t place = finder->values.def_use.values[atom->value].place;
    bool in_register = place < FT_PLACE_REGISTERS;
    if (in_register)
        unknown.place = (uint8_t)place;
    else
        unknown.stack_offset =
            finder->values.frame.slots[place - FT_PLACE_REGISTERS].address.offset;
    if (atom->kind == FT_ATOM_LOADED) {
        struct ft_sum address = ft_unpack_sum(&finder->values.sums, &atom->sum);
        uint8_t flags = atom->sum.flags;
        resolve(finder, true, 0, &address, &flags);
        unknown.kind = FT_UNKNOWN_LOADED;
        unknown.size = atom->size_bytes;
        unknown.address = take_sum(finder, &address, flags);
    } else if (atom->kind == FT_ATOM_ENTRY &&
               unknown.offset == finder->routines->items[finder->routine].start) {
        unknown.kind = in_register ? FT_UNKNOWN_ENTRY : FT_UNKNOWN_ARGUMENT;
    }
    return unknown;
}

/* Makes room for an atom; leaving loops makes new ones on the way. */
static bool reach_atom(struct finder *finder, uint32_t index)
{
    if (!FT_RESERVE(finder->unknown_of, finder->unknown_of_capacity, (size_t)index + 1))
        return false;
    for (; finder->unknown_of_count <= index; finder->unknown_of_count++)
        finder->unknown_of[finder->unknown_of_count] = 0;
    return true;
}

static uint32_t unknown_of(struct finder *finder, uint32_t index)
{
    struct ft_formulas *formulas = &finder->formulas;
    struct ft_atom atom = finder->values.sums.atoms[index];
    if (index == FT_ONE)
        return FT_ONE;
    if (index < finder->unknown_of_count && finder->unknown_of[index])
        return finder->unknown_of[index];
    struct ft_unknown unknown = describe(finder, &atom);
    if (!reach_atom(finder, index) ||
        !FT_RESERVE(formulas->unknowns, formulas->unknown_capacity, formulas->unknown_count + 1)) {
        finder->out_of_memory = true;
        return FT_ONE;
    }
    formulas->unknowns[formulas->unknown_count] = unknown;
    finder->unknown_of[index] = (uint32_t)formulas->unknown_count;
    return (uint32_t)formulas->unknown_count++;
}

static struct ft_packed_sum take_sum(struct finder *finder, const struct ft_sum *sum, uint8_t flags)
{
    struct ft_formulas *formulas = &finder->formulas;
    struct ft_sum named = {0};
    for (uint32_t i = 0; i < sum->count; i++) {
        struct ft_sum unknown = ft_sum_unknown(unknown_of(finder, sum->terms[i].unknown));
        ft_sum_add(&named, &unknown, sum->terms[i].numerator, sum->terms[i].denominator);
    }
    if (!FT_RESERVE(formulas->terms, formulas->term_capacity,
                    formulas->term_count + named.count + 1)) {
        finder->out_of_memory = true;
        return (struct ft_packed_sum){0};
    }
    struct ft_packed_sum packed = {(uint32_t)formulas->term_count, (uint8_t)named.count, flags};
    memcpy(formulas->terms + formulas->term_count, named.terms, named.count * sizeof *named.terms);
    formulas->term_count += named.count;
    return packed;
}

/* ---- accesses ---- */

static bool is_on_stack(const struct finder *finder, const struct ft_sum *sum)
{
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct ft_atom *atom = &finder->values.sums.atoms[sum->terms[i].unknown];
        if (sum->terms[i].unknown != FT_ONE && atom->value != FT_NO_VALUE &&
            finder->values.def_use.values[atom->value].place == FT_RSP)
            return true;
    }
    return false;
}

/* Where the stack pointer is known, an access of a place that no pointer may hold is the routine's
 * own; above the return address lies what the caller stored. */
static uint8_t storage_of(const struct finder *finder, const struct ft_stack_state *state,
                          const struct ft_access *access, const struct ft_sum *sum)
{
    bool exact = false;
    struct ft_stack_slot slot = {ft_stack_access(state, access, &exact), access->size_bytes};
    if (!slot.address.base)
        return is_on_stack(finder, sum) ? FT_STORAGE_STACK : FT_STORAGE_DATA;
    bool is_aligned = slot.address.base > finder->values.code.block_count;
    bool is_own = is_aligned || slot.address.offset < (int64_t)sizeof(uint64_t);
    return exact && is_own && !ft_stack_is_reached(&finder->values.frame, &slot) ? FT_STORAGE_SPILL
                                                                                 : FT_STORAGE_STACK;
}

static bool add_strides(struct finder *finder, const struct ft_sum *address, uint8_t flags,
                        uint32_t loop)
{
    struct ft_formulas *formulas = &finder->formulas;
    for (; loop != FT_NO_LOOP; loop = finder->loops->items[loop].parent) {
        struct ft_motion motion = ft_stride_of_sum(&finder->values.sums, address, flags, loop);
        struct ft_stride_formula formula = {.loop = loop, .flags = motion.flags};
        if (!motion.flags) {
            struct ft_sum stride = ft_unpack_sum(&finder->values.sums, &motion.sum);
            uint8_t stride_flags = motion.sum.flags;
            resolve(finder, false, 0, &stride, &stride_flags);
            formula.sum = take_sum(finder, &stride, stride_flags);
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
    struct ft_packed_sum packed =
        finder->values.sums.addresses[finder->values.sums.first_access[instruction] + index];
    struct ft_sum address = ft_unpack_sum(&finder->values.sums, &packed), first = address;
    uint8_t flags = packed.flags;
    struct ft_access_formula access = {
        .first_stride = (uint32_t)formulas->stride_count,
        .level_count = (uint16_t)(loop == FT_NO_LOOP ? 0 : finder->order.depth[loop]),
        .storage = storage_of(
            finder, state, &ft_code_instruction(&finder->values.code, instruction)->accesses[index],
            &address),
    };
    if (!ft_sum_base(&finder->bases, &address, &access.base))
        return false;
    resolve(finder, true, 0, &first, &flags);
    access.first = take_sum(finder, &first, flags);
    if (!add_strides(finder, &address, packed.flags, loop) ||
        !FT_RESERVE(formulas->accesses, formulas->access_capacity, formulas->access_count + 1))
        return false;
    formulas->accesses[formulas->access_count++] = access;
    return !finder->out_of_memory && !finder->values.sums.out_of_memory;
}

static bool name_accesses(struct finder *finder)
{
    const struct ft_routine_code *code = &finder->values.code;
    struct ft_stack_state state = {0};
    bool complete = true;
    finder->unknown_of_count = 0;
    ft_sum_bases_begin(&finder->bases, finder->formulas.base_count);
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
    int status = ft_routine_values_make(&finder->values, finder->graph, routine, finder->loops,
                                        &finder->order, diag);
    if (status == 0 && !name_accesses(finder))
        status = ft_fail_memory(diag, "the formulas of a routine");
    return status;
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
                        !FT_RESERVE(finder.formulas.unknowns, finder.formulas.unknown_capacity, 1)))
        status = ft_fail_memory(diag, "the formulas of a program");
    if (status == 0) {
        finder.formulas.unknowns[0] = (struct ft_unknown){.loop = FT_NO_LOOP};
        finder.formulas.unknown_count = 1;
    }
    for (uint32_t r = 0; status == 0 && r < routines->count; r++)
        status = find_in_routine(&finder, r, diag);
    ft_definition_order_fini(&finder.order);
    ft_routine_values_fini(&finder.values);
    ft_sum_bases_fini(&finder.bases);
    free(finder.unknown_of);
    if (status == 0)
        *ret_formulas = finder.formulas;
    else
        ft_formulas_fini(&finder.formulas);
    return status;
}

void ft_formulas_fini(struct ft_formulas *formulas)
{
    free(formulas->unknowns);
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

struct ft_sum ft_formula_sum(const struct ft_formulas *formulas, const struct ft_packed_sum *packed)
{
    struct ft_sum sum = {.count = packed->count};
    if (packed->count)
        memcpy(sum.terms, formulas->terms + packed->first, packed->count * sizeof *sum.terms);
    return sum;
}

bool ft_formula_is_affine(const struct ft_formulas *formulas,
                          const struct ft_access_formula *access)
{
    for (unsigned i = 0; i < access->level_count; i++)
        if (formulas->strides[access->first_stride + i].flags)
            return false;
    return true;
}
