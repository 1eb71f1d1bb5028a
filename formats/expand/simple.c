/*
 * A unit's program in compact form: factors and variables take a byte each, and a form 16; whatever
 * does not fit is left to expand.c. All records of a call become one run, so that the loop over
 * them only copies values, evaluates temporaries and writes addresses with their references.
 */
#include "formats/expand/simple.h"

#include <stdlib.h>

#include "formats/expand/program.h"
#include "formats/expand/run_buffer.h"

#define VARIABLES_MAX 256U
#define ENTRIES_MAX   4096U
/* Loops run an iteration or two: calling memcpy, or vectorising with its checks, would cost more.
 */
#define KEEP_LOOP() __asm__ volatile("")

/* An address, or a temporary before it is narrowed: struct ft_form. */
struct small_form {
    uint64_t constant;
    uint32_t reference; /* addresses */
    uint8_t a, b;
    int8_t a_factor, b_factor;
};

struct small_computation {
    struct small_form form;
    struct ft_narrowing narrowing;
    uint8_t target;
    bool is_linear;
};

struct ft_simple_program {
    uint64_t rsp_change;
    uint16_t word_count, computation_count, entry_count;
    struct small_form entries[]; /* then the computations */
};

static const struct small_computation *computations_of(const struct ft_simple_program *program)
{
    return (const struct small_computation *)(program->entries + program->entry_count);
}

static bool is_small_factor(uint64_t factor)
{
    return factor + 128 < 256;
}

static bool make_small(const struct ft_form *form, struct small_form *ret_form)
{
    if (form->a >= VARIABLES_MAX || form->b >= VARIABLES_MAX || !is_small_factor(form->a_factor) ||
        !is_small_factor(form->b_factor))
        return false;
    *ret_form = (struct small_form){.constant = form->constant,
                                    .a = (uint8_t)form->a,
                                    .b = (uint8_t)form->b,
                                    .a_factor = (int8_t)form->a_factor,
                                    .b_factor = (int8_t)form->b_factor};
    return true;
}

/* False if something does not fit. */
static bool fill(struct ft_simple_program *simple, const struct ft_variant *variant,
                 const uint32_t *references)
{
    struct small_computation *computations =
        (struct small_computation *)(simple->entries + variant->entry_count);
    for (unsigned i = 0; i < variant->entry_count; i++) {
        if (!make_small(&variant->entries[i], &simple->entries[i]))
            return false;
        simple->entries[i].reference = references[i];
    }
    for (unsigned i = 0; i < variant->computation_count; i++) {
        const struct ft_computation *from = &variant->computations[i];
        if (from->target >= VARIABLES_MAX || !make_small(&from->form, &computations[i].form))
            return false;
        computations[i].narrowing = from->narrowing;
        computations[i].target = (uint8_t)from->target;
        computations[i].is_linear = from->is_linear;
    }
    return true;
}

int ft_simple_program_create(const struct ft_unit_program *program, const uint32_t *references,
                             struct ft_simple_program **ret_simple, struct ft_diag *diag)
{
    const struct ft_variant *variant = &program->variants[0];
    *ret_simple = NULL;
    if (!program->is_simple || variant->entry_count > ENTRIES_MAX ||
        (unsigned)FT_VARIABLE_SLOTS + program->head_words > VARIABLES_MAX)
        return FT_OK;
    struct ft_simple_program *simple =
        malloc(sizeof *simple + variant->entry_count * sizeof *simple->entries +
               variant->computation_count * sizeof(struct small_computation));
    if (!simple)
        return ft_fail_memory(diag, "the program of a unit");
    simple->rsp_change = variant->rsp.constant;
    simple->word_count = program->head_words;
    simple->computation_count = variant->computation_count;
    simple->entry_count = variant->entry_count;
    if (fill(simple, variant, references))
        *ret_simple = simple;
    else
        free(simple);
    return FT_OK;
}

static inline uint64_t value_of(const struct small_form *form, const uint64_t *variables)
{
    return form->constant + (uint64_t)form->a_factor * variables[form->a] +
           (uint64_t)form->b_factor * variables[form->b];
}

static inline void compute(const struct ft_simple_program *program, uint64_t *variables)
{
    const struct small_computation *at = computations_of(program);
    for (unsigned i = program->computation_count; i > 0; i--, at++) {
        uint64_t value = value_of(&at->form, variables);
        variables[at->target] = at->is_linear ? value : ft_narrow(&at->narrowing, value);
    }
}

int ft_simple_programs_expand(const struct ft_simple_program *const *programs,
                              const struct ft_record *records, size_t count,
                              struct ft_log_state *state, struct ft_run_buffer *buffer,
                              size_t *ret_done, struct ft_diag *diag)
{
    uint64_t variables[VARIABLES_MAX];
    if (buffer->entry_count >= FT_RUN_BUFFER_ENTRIES) {
        *ret_done = 0;
        return FT_OK;
    }
    if (!ft_run_buffer_make_room(buffer, FT_RUN_BUFFER_ENTRIES - buffer->entry_count + ENTRIES_MAX))
        return ft_fail_memory(diag, "runs");
    uint64_t *addresses = buffer->addresses + buffer->entry_count;
    uint64_t *const full = buffer->addresses + FT_RUN_BUFFER_ENTRIES;
    uint32_t *references = buffer->references + buffer->entry_count;
    const struct ft_record *record = records, *const end = records + count;
    variables[FT_VARIABLE_ZERO] = 0;
    variables[FT_VARIABLE_RSP] = state->rsp;
    variables[FT_VARIABLE_FS_BASE] = state->fs_base;
    for (; record < end && addresses < full; record++) {
        const struct ft_simple_program *program = programs[record->unit];
        if (!program || record->value_count != program->word_count)
            break;
        const uint64_t *values = record->values;
        for (unsigned i = 0; i < program->word_count; i++) {
            variables[FT_VARIABLE_SLOTS + i] = values[i];
            KEEP_LOOP();
        }
        compute(program, variables);
        const struct small_form *entry = program->entries;
        for (unsigned i = program->entry_count; i > 0; i--, entry++) {
            *addresses++ = value_of(entry, variables);
            *references++ = entry->reference;
            KEEP_LOOP();
        }
        variables[FT_VARIABLE_RSP] += program->rsp_change;
    }
    state->rsp = variables[FT_VARIABLE_RSP];
    size_t added = (size_t)(references - buffer->references) - buffer->entry_count;
    ft_run_buffer_add(buffer, (uint32_t)added, 1);
    *ret_done = (size_t)(record - records);
    return FT_OK;
}
