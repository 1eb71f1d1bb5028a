/*
 * Symbolic execution of a unit: each register holds a form over variables, and assignments combine
 * forms (forms.h), addresses included. At the end, for loops, the change of each head variable is
 * classified, and temporaries that nothing reads are dropped.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/expand/forms.h"
#include "formats/x86/known_registers.h"
#include "formats/x86/lanes.h"

struct compiler {
    const struct ft_unit *unit;
    const struct ft_effect *effects;
    unsigned content;      /* enum ft_run_content */
    struct ft_forms forms; /* its variant is the one that is compiled */
    size_t entry_capacity, piece_capacity, update_capacity;
    struct ft_form registers[FT_REGISTER_COUNT];
    uint32_t known;
    struct ft_lanes lanes;
    uint16_t slot_variables[FT_UNIT_SLOTS_MAX];
    bool direction_down;
    unsigned instruction_limit, slot_limit; /* all, except in an iteration that leaves a loop */
    struct ft_piece spare_piece;            /* takes what is written after a failed allocation */
};

/* ---- Accesses ---- */

/* The address, without the lane index of gathers. */
static struct ft_form address_form(struct compiler *compiler, const struct ft_access *access)
{
    struct ft_form none = {0}, index = {0}, sum;
    struct ft_form *index_register = &index;
    uint64_t scale = access->scale;
    if (access->mode == FT_ACCESS_LOGGED)
        return ft_form_of(compiler->slot_variables[access->slot]);
    if (access->mode == FT_ACCESS_TABLE) {
        const struct ft_narrowing low_byte = {.mask = 0xff};
        index = ft_forms_narrow(&compiler->forms, compiler->registers[access->index], &low_byte);
        scale = 1;
    } else if (access->index != FT_NO_REGISTER) {
        index_register = &compiler->registers[access->index];
    }
    struct ft_form *base =
        access->base == FT_NO_REGISTER ? &none : &compiler->registers[access->base];
    sum = ft_forms_combine(&compiler->forms, base, 1, index_register, scale,
                           (uint64_t)access->displacement);
    if (access->mode == FT_ACCESS_BIT) {
        uint8_t left = (uint8_t)(64 - 8 * access->size_bytes);
        struct ft_narrowing units = {left, (uint8_t)(left + __builtin_ctz(8 * access->size_bytes)),
                                     true, UINT64_MAX};
        struct ft_form offset =
            ft_forms_narrow(&compiler->forms, compiler->registers[access->bit_offset], &units);
        sum = ft_forms_combine(&compiler->forms, &sum, 1, &offset, access->size_bytes, 0);
    }
    if (access->address_is_32_bit) {
        const struct ft_narrowing narrowing = FT_NARROWING_32;
        sum = ft_forms_narrow(&compiler->forms, sum, &narrowing);
    }
    if (access->fs || access->gs)
        sum = ft_forms_combine(&compiler->forms, &sum, 1,
                               &compiler->registers[access->fs ? FT_FS_BASE : FT_GS_BASE], 1, 0);
    return sum;
}

static void add_entry(struct compiler *compiler, struct ft_form address)
{
    struct ft_variant *variant = compiler->forms.variant;
    if (!FT_RESERVE(variant->entries, compiler->entry_capacity, variant->entry_count + 1U))
        compiler->forms.failed = true;
    else
        variant->entries[variant->entry_count++] = address;
}

/* A new piece that starts with the next entry. */
static struct ft_piece *add_piece(struct compiler *compiler, enum ft_piece_kind kind)
{
    struct ft_variant *variant = compiler->forms.variant;
    if (!FT_RESERVE(variant->pieces, compiler->piece_capacity, variant->piece_count + 1U)) {
        compiler->forms.failed = true;
        return &compiler->spare_piece;
    }
    struct ft_piece *piece = &variant->pieces[variant->piece_count++];
    *piece = (struct ft_piece){.kind = (uint8_t)kind, .first = variant->entry_count};
    return piece;
}

/* One access at an address. */
static void add_plain(struct compiler *compiler, struct ft_form address)
{
    struct ft_variant *variant = compiler->forms.variant;
    bool goes_on =
        variant->piece_count && variant->pieces[variant->piece_count - 1].kind == FT_PIECE_ACCESSES;
    struct ft_piece *piece = goes_on ? &variant->pieces[variant->piece_count - 1]
                                     : add_piece(compiler, FT_PIECE_ACCESSES);
    piece->count++;
    variant->access_count++;
    add_entry(compiler, address);
}

/* The variable that holds the rcx that a conditional rep left. */
static uint16_t count_after(const struct compiler *compiler, unsigned index)
{
    const struct ft_unit *unit = compiler->unit;
    for (unsigned s = 0; s < unit->slot_count; s++)
        if (unit->slots[s].kind == FT_SLOT_REGISTER && unit->slots[s].source == FT_RCX &&
            unit->slots[s].instruction == index + 1)
            return compiler->slot_variables[s];
    return FT_VARIABLE_ZERO;
}

static void compile_string(struct compiler *compiler, unsigned index)
{
    const struct ft_instruction *instruction = &compiler->unit->instructions[index];
    struct ft_form addresses[FT_ACCESSES_MAX];
    struct ft_form repeats = {.constant = 1};
    for (unsigned a = 0; a < instruction->access_count; a++)
        addresses[a] = address_form(compiler, &instruction->accesses[a]);
    if (instruction->rep) {
        struct ft_form after = {0};
        if (instruction->rep_conditional)
            after = ft_form_of(count_after(compiler, index));
        repeats = ft_forms_combine(&compiler->forms, &compiler->registers[FT_RCX], 1, &after,
                                   UINT64_MAX, 0);
    }
    const unsigned entries_each = compiler->unit->has_granules && instruction->rep ? 2 : 1;
    struct ft_piece *piece =
        add_piece(compiler, entries_each > 1 ? FT_PIECE_GRANULES : FT_PIECE_STRING);
    int64_t size = instruction->accesses[0].size_bytes;
    piece->stride = compiler->direction_down ? -size : size;
    piece->repeats = repeats;
    piece->count = (uint16_t)(instruction->access_count * entries_each);
    for (unsigned i = 0; i < piece->count; i++)
        add_entry(compiler, addresses[i / entries_each]);
}

static uint16_t lane_variable(struct compiler *compiler, const struct ft_access *access,
                              const struct ft_slot *needed)
{
    struct ft_lane_source source = {.slot = -1};
    ft_lanes_find(&compiler->lanes, compiler->unit->slots, needed, access, &source);
    return source.slot < 0 ? FT_NO_VARIABLE : compiler->slot_variables[source.slot];
}

static void compile_lanes(struct compiler *compiler, const struct ft_access *access)
{
    struct ft_form address = address_form(compiler, access);
    struct ft_piece *piece = add_piece(compiler, FT_PIECE_LANES);
    struct ft_slot needed;
    piece->access = *access;
    piece->is_prefetch = access->kind == FT_PREFETCH;
    piece->mask = piece->index = FT_NO_VARIABLE;
    if (ft_access_mask_slot(access, &needed))
        piece->mask = lane_variable(compiler, access, &needed);
    if (ft_access_index_slot(access, &needed))
        piece->index = lane_variable(compiler, access, &needed);
    piece->count = !piece->is_prefetch;
    if (!piece->is_prefetch)
        add_entry(compiler, address);
}

static void compile_accesses(struct compiler *compiler, unsigned index)
{
    const struct ft_instruction *instruction = &compiler->unit->instructions[index];
    for (unsigned a = 0; a < instruction->access_count; a++) {
        const struct ft_access *access = &instruction->accesses[a];
        switch (access->mode) {
        case FT_ACCESS_PLAIN:
        case FT_ACCESS_BIT:
        case FT_ACCESS_TABLE:
        case FT_ACCESS_LOGGED:
            if (access->kind != FT_PREFETCH)
                add_plain(compiler, address_form(compiler, access));
            break;
        case FT_ACCESS_STRING:
            if (a == 0)
                compile_string(compiler, index);
            break;
        default:
            compile_lanes(compiler, access);
            break;
        }
    }
}

static void compile_references(struct compiler *compiler, unsigned index)
{
    const struct ft_instruction *instruction = &compiler->unit->instructions[index];
    if ((compiler->content & FT_RUN_FETCHES) && !instruction->accesses_only)
        add_plain(compiler, (struct ft_form){.constant = instruction->pc});
    if (compiler->content & FT_RUN_ACCESSES)
        compile_accesses(compiler, index);
}

/* ---- Instructions ---- */

static struct ft_form assigned_form(struct compiler *compiler,
                                    struct ft_form old[FT_REGISTER_COUNT],
                                    const struct ft_assignment *assignment)
{
    struct ft_form none_a = {0}, none_b = {0};
    struct ft_form *a = assignment->a == FT_NO_REGISTER ? &none_a : &old[assignment->a];
    struct ft_form *b = assignment->b == FT_NO_REGISTER ? &none_b : &old[assignment->b];
    bool flips = assignment->follows_direction && compiler->direction_down;
    uint64_t b_factor = flips ? -assignment->b_factor : assignment->b_factor;
    uint64_t constant = flips ? -assignment->constant : assignment->constant;
    struct ft_form sum =
        ft_forms_combine(&compiler->forms, a, assignment->a_factor, b, b_factor, constant);
    return ft_forms_narrow(&compiler->forms, sum, &assignment->narrowing);
}

static void compile_effect(struct compiler *compiler, const struct ft_effect *effect)
{
    struct ft_form old[FT_REGISTER_COUNT];
    struct ft_form results[FT_ASSIGNMENTS_MAX] = {0};
    uint32_t known = compiler->known;
    memcpy(old, compiler->registers, sizeof old);
    compiler->known &= ~effect->forgotten;
    for (unsigned i = 0; i < effect->assignment_count; i++) {
        const struct ft_assignment *assignment = &effect->assignments[i];
        bool is_known = (assignment->a == FT_NO_REGISTER || known >> assignment->a & 1) &&
                        (assignment->b == FT_NO_REGISTER || known >> assignment->b & 1);
        compiler->known &= ~(1U << assignment->target);
        if (is_known) {
            results[i] = assigned_form(compiler, old, assignment);
            compiler->known |= 1U << assignment->target;
        }
    }
    memcpy(compiler->registers, old, sizeof old);
    for (unsigned i = 0; i < effect->assignment_count; i++)
        compiler->registers[effect->assignments[i].target] = results[i];
    ft_lanes_step(&compiler->lanes, effect);
    if (effect->direction == FT_DIRECTION_CLEARED)
        compiler->direction_down = false;
    else if (effect->direction == FT_DIRECTION_SET)
        compiler->direction_down = true;
}

static void set_register(struct compiler *compiler, unsigned number, uint16_t variable)
{
    compiler->registers[number] = ft_form_of(variable);
    compiler->known |= 1U << number;
}

static void set_slots(struct compiler *compiler, unsigned index, unsigned *slot)
{
    const struct ft_unit *unit = compiler->unit;
    for (; *slot < compiler->slot_limit && unit->slots[*slot].instruction == index; ++*slot) {
        const struct ft_slot *at = &unit->slots[*slot];
        if (at->kind == FT_SLOT_REGISTER)
            set_register(compiler, at->source, compiler->slot_variables[*slot]);
        else
            ft_lanes_set(&compiler->lanes, at, (int16_t)*slot);
    }
}

static void compile_start(struct compiler *compiler)
{
    const struct ft_unit *unit = compiler->unit;
    uint16_t variable = FT_VARIABLE_SLOTS;
    for (unsigned s = 0; s < unit->slot_count; s++) {
        compiler->slot_variables[s] = variable;
        compiler->forms.is_32_bit[variable] = unit->slots[s].size_bytes == 4;
        variable = (uint16_t)(variable + ft_slot_words(&unit->slots[s]));
    }
    compiler->forms.variant->variable_count = variable;
    compiler->forms.first_temporary = variable;
    ft_lanes_init(&compiler->lanes);
    set_register(compiler, FT_RSP, FT_VARIABLE_RSP);
    set_register(compiler, FT_FS_BASE, FT_VARIABLE_FS_BASE);
    if (ft_unit_is_loop(unit))
        for (unsigned s = 0; s < unit->entry_slot_count; s++)
            set_register(compiler, unit->slots[s].source, compiler->slot_variables[s]);
}

/* ---- Loops ---- */

static void add_update(struct compiler *compiler, uint16_t variable, unsigned number)
{
    struct ft_variant *variant = compiler->forms.variant;
    const struct ft_form *form = &compiler->registers[number];
    bool is_same = form->a == variable && form->a_factor == 1 && !form->b_factor && !form->constant;
    if (is_same)
        return;
    if (!FT_RESERVE(variant->updates, compiler->update_capacity, variant->update_count + 1U))
        compiler->forms.failed = true;
    else
        variant->updates[variant->update_count++] =
            (struct ft_update){.kind = FT_UPDATE_IRREGULAR, .variable = variable, .form = *form};
}

static void find_invariants(const struct ft_variant *variant, uint16_t iteration_variable,
                            bool *is_invariant)
{
    memset(is_invariant, 0, variant->variable_count);
    for (uint16_t variable = 0; variable < iteration_variable; variable++)
        is_invariant[variable] = true;
    for (unsigned i = 0; i < variant->update_count; i++)
        is_invariant[variant->updates[i].variable] = false;
    for (unsigned i = 0; i < variant->computation_count; i++) {
        const struct ft_computation *at = &variant->computations[i];
        is_invariant[at->target] = is_invariant[at->form.a] && is_invariant[at->form.b];
    }
}

/* Whether form = variable + an invariant, which *ret_stride then is. */
static bool is_sum_with(const struct ft_form *form, uint16_t variable, const bool *is_invariant,
                        struct ft_form *ret_stride)
{
    struct ft_form stride = *form;
    if (form->a == variable && form->a_factor == 1) {
        stride.a = FT_VARIABLE_ZERO;
        stride.a_factor = 0;
    } else if (form->b == variable && form->b_factor == 1) {
        stride.b = FT_VARIABLE_ZERO;
        stride.b_factor = 0;
    } else {
        return false;
    }
    *ret_stride = stride;
    return is_invariant[stride.a] && is_invariant[stride.b];
}

static void classify(const struct ft_variant *variant, uint16_t first_temporary,
                     struct ft_update *update, const bool *is_invariant)
{
    if (is_sum_with(&update->form, update->variable, is_invariant, &update->stride)) {
        update->kind = FT_UPDATE_AFFINE;
        return;
    }
    const struct ft_form *form = &update->form;
    if (form->a < first_temporary || form->a_factor != 1 || form->b_factor || form->constant)
        return;
    const struct ft_computation *last = &variant->computations[form->a - first_temporary];
    if (is_sum_with(&last->form, update->variable, is_invariant, &update->stride))
        update->kind = (uint8_t)ft_narrowing_kind(&last->narrowing);
}

static void compile_loop(struct compiler *compiler)
{
    const struct ft_unit *unit = compiler->unit;
    struct ft_variant *variant = compiler->forms.variant;
    bool is_invariant[FT_VARIABLES_MAX];
    uint16_t iteration_variable = FT_VARIABLE_SLOTS;
    add_update(compiler, FT_VARIABLE_RSP, FT_RSP);
    add_update(compiler, FT_VARIABLE_FS_BASE, FT_FS_BASE);
    for (unsigned s = 0; s < unit->entry_slot_count; s++) {
        if (!(compiler->known >> unit->slots[s].source & 1))
            compiler->registers[unit->slots[s].source] = (struct ft_form){0};
        add_update(compiler, compiler->slot_variables[s], unit->slots[s].source);
        iteration_variable++;
    }
    if (compiler->forms.failed)
        return;
    find_invariants(variant, iteration_variable, is_invariant);
    variant->is_affine = unit->slot_count == unit->entry_slot_count;
    for (unsigned i = 0; i < variant->update_count; i++) {
        classify(variant, compiler->forms.first_temporary, &variant->updates[i], is_invariant);
        if (variant->updates[i].kind == FT_UPDATE_IRREGULAR)
            variant->is_affine = false;
    }
    for (unsigned i = 0; i < variant->piece_count; i++)
        if (variant->pieces[i].kind != FT_PIECE_ACCESSES)
            variant->is_affine = false;
}

/* ---- The whole ---- */

static void mark_form(bool *is_used, const struct ft_form *form)
{
    is_used[form->a] = is_used[form->b] = true;
}

/* Drops temporaries that nothing reads. */
static void drop_unused(struct ft_variant *variant)
{
    bool is_used[FT_VARIABLES_MAX] = {false};
    mark_form(is_used, &variant->rsp);
    mark_form(is_used, &variant->fs_base);
    for (unsigned i = 0; i < variant->entry_count; i++)
        mark_form(is_used, &variant->entries[i]);
    for (unsigned i = 0; i < variant->piece_count; i++)
        mark_form(is_used, &variant->pieces[i].repeats);
    for (unsigned i = 0; i < variant->update_count; i++) {
        mark_form(is_used, &variant->updates[i].form);
        mark_form(is_used, &variant->updates[i].stride);
    }
    unsigned first_kept = variant->computation_count;
    for (unsigned i = variant->computation_count; i-- > 0;) {
        const struct ft_computation at = variant->computations[i];
        if (!is_used[at.target])
            continue;
        mark_form(is_used, &at.form);
        variant->computations[--first_kept] = at;
    }
    variant->computation_count = (uint16_t)(variant->computation_count - first_kept);
    if (first_kept)
        memmove(variant->computations, variant->computations + first_kept,
                variant->computation_count * sizeof *variant->computations);
}

static bool is_uniform(const struct ft_variant *variant)
{
    const struct ft_form *rsp = &variant->rsp, *fs_base = &variant->fs_base;
    for (unsigned i = 0; i < variant->piece_count; i++)
        if (variant->pieces[i].kind != FT_PIECE_ACCESSES)
            return false;
    return rsp->a == FT_VARIABLE_RSP && rsp->a_factor == 1 && !rsp->b_factor &&
           fs_base->a == FT_VARIABLE_FS_BASE && fs_base->a_factor == 1 && !fs_base->b_factor &&
           !fs_base->constant;
}

/* Shrinks an array to its size; where realloc refuses, it stays. */
static void *fit(void *items, size_t count, size_t item_bytes)
{
    void *fitted = count ? realloc(items, count * item_bytes) : NULL;
    if (!count)
        free(items);
    return fitted || !count ? fitted : items;
}

/* There is a program for each unit: none keeps room to grow. */
static void fit_arrays(struct ft_variant *variant)
{
    variant->computations =
        fit(variant->computations, variant->computation_count, sizeof *variant->computations);
    variant->entries = fit(variant->entries, variant->entry_count, sizeof *variant->entries);
    variant->pieces = fit(variant->pieces, variant->piece_count, sizeof *variant->pieces);
    variant->updates = fit(variant->updates, variant->update_count, sizeof *variant->updates);
}

static int compile(struct compiler *compiler, struct ft_diag *diag)
{
    const struct ft_unit *unit = compiler->unit;
    struct ft_variant *variant = compiler->forms.variant;
    bool is_last_iteration = compiler->instruction_limit < unit->instruction_count;
    unsigned slot = ft_unit_is_loop(unit) ? unit->entry_slot_count : 0;
    compile_start(compiler);
    for (unsigned index = 0; index < compiler->instruction_limit; index++) {
        set_slots(compiler, index, &slot);
        compile_references(compiler, index);
        compile_effect(compiler, &compiler->effects[index]);
    }
    set_slots(compiler, compiler->instruction_limit, &slot);
    variant->rsp = compiler->registers[FT_RSP];
    variant->fs_base = compiler->registers[FT_FS_BASE];
    if (ft_unit_is_loop(unit) && !is_last_iteration)
        compile_loop(compiler);
    if (compiler->forms.failed)
        return ft_fail_memory(diag, "the program of a unit");
    drop_unused(variant);
    fit_arrays(variant);
    variant->is_uniform = is_uniform(variant);
    return 0;
}

static int compile_variant(const struct ft_unit *unit, const struct ft_effect *effects,
                           unsigned content, bool direction_down, unsigned instruction_limit,
                           unsigned slot_limit, struct ft_variant *ret_variant,
                           struct ft_diag *diag)
{
    if (FT_VARIABLE_SLOTS + ft_unit_value_count(unit, 1) > FT_VARIABLES_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "unit %u logs too many values", unit->id);
    struct compiler *compiler = calloc(1, sizeof *compiler);
    if (!compiler)
        return ft_fail_memory(diag, "the program of a unit");
    struct ft_variant variant = {0};
    compiler->unit = unit;
    compiler->effects = effects;
    compiler->content = content;
    compiler->forms.variant = &variant;
    compiler->direction_down = direction_down;
    compiler->instruction_limit = instruction_limit;
    compiler->slot_limit = slot_limit;
    int status = compile(compiler, diag);
    free(compiler);
    if (status)
        ft_variant_fini(&variant);
    else
        *ret_variant = variant;
    return status;
}

int ft_variant_compile(const struct ft_unit *unit, const struct ft_effect *effects,
                       unsigned content, bool direction_down, struct ft_variant *ret_variant,
                       struct ft_diag *diag)
{
    return compile_variant(unit, effects, content, direction_down, unit->instruction_count,
                           unit->slot_count, ret_variant, diag);
}

int ft_variant_compile_last_iteration(const struct ft_unit *unit, const struct ft_effect *effects,
                                      unsigned content, struct ft_variant *ret_variant,
                                      struct ft_diag *diag)
{
    return compile_variant(unit, effects, content, false, unit->last_iteration_instructions,
                           unit->entry_slot_count + unit->last_iteration_slots, ret_variant, diag);
}

void ft_variant_fini(struct ft_variant *variant)
{
    free(variant->computations);
    free(variant->entries);
    free(variant->pieces);
    free(variant->updates);
    *variant = (struct ft_variant){0};
}
