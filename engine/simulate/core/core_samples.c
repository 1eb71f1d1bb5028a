/*
 * Of scope s with C cycles and I instructions in all windows, N executed: N C / I cycles. A window
 * with c cycles and i instructions of it is off by N / I (c - C / I i); these differences, summed
 * over nested scopes, then squared and summed over windows, are the variance, of which the share
 * that was not simulated counts.
 */
#include "engine/simulate/core/core_samples.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_95 1.96

struct estimate {
    const struct ft_core_samples *samples;
    const struct ft_scopes *scopes;
    struct ft_core_row *rows; /* exclusive first */
    double *measured_cycles;  /* [scope], exclusive, in windows */
    double *measured;         /* [scope]: instructions, likewise */
    double *off;              /* [scope], with nested ones, in the window at hand */
    double *squares;          /* [scope] */
    uint32_t *seen;           /* [scope]: the window that it was last seen in, + 1 */
};

static double all_cycles_per_instruction(const struct estimate *estimate)
{
    double cycles = 0, instructions = 0;
    for (size_t s = 0; s < estimate->scopes->scope_count; s++) {
        cycles += estimate->measured_cycles[s];
        instructions += estimate->measured[s];
    }
    return instructions > 0 ? cycles / instructions : 0;
}

/* Sums by scope; a scope that no window saw is taken for the average, and its stack too. */
static void estimate_scopes(const struct estimate *estimate, const double *instructions)
{
    const struct ft_core_samples *samples = estimate->samples;
    double all[FT_CORE_REASONS] = {0}, measured = 0;
    for (uint32_t a = 0; a < samples->account_count; a++) {
        struct ft_core_row *row = &estimate->rows[samples->scope_of_account[a]];
        for (unsigned r = 0; r < FT_CORE_REASONS; r++) {
            row->stack[r] += samples->accounts[a * (size_t)FT_CORE_REASONS + r];
            all[r] += samples->accounts[a * (size_t)FT_CORE_REASONS + r];
        }
    }
    for (size_t s = 0; s < estimate->scopes->scope_count; s++)
        measured += estimate->measured[s];
    const double average = all_cycles_per_instruction(estimate);
    for (size_t s = 0; s < estimate->scopes->scope_count; s++) {
        struct ft_core_row *row = &estimate->rows[s];
        const double own = estimate->measured[s];
        const double factor = own > 0        ? instructions[s] / own
                              : measured > 0 ? instructions[s] / measured
                                             : 0;
        row->instructions = instructions[s];
        row->sampled = own;
        row->cycles = own > 0 ? factor * estimate->measured_cycles[s] : average * instructions[s];
        for (unsigned r = 0; r < FT_CORE_REASONS; r++)
            row->stack[r] = factor * (own > 0 ? row->stack[r] : all[r]);
    }
}

/* ---- errors ---- */

/* Adds what a window is off by to a scope and all around it. */
static void add_off(const struct estimate *estimate, uint32_t scope, uint32_t window, double off)
{
    for (uint32_t s = scope;; s = estimate->scopes->scopes[s].parent) {
        if (estimate->seen[s] != window + 1) {
            estimate->seen[s] = window + 1;
            estimate->off[s] = 0;
            estimate->rows[s].windows++;
        }
        estimate->off[s] += off;
        if (s == estimate->scopes->scopes[s].parent)
            return;
    }
}

static void end_window(const struct estimate *estimate, uint32_t window)
{
    for (size_t s = 0; s < estimate->scopes->scope_count; s++)
        if (estimate->seen[s] == window + 1)
            estimate->squares[s] += estimate->off[s] * estimate->off[s];
}

static void compare_windows(const struct estimate *estimate)
{
    const struct ft_core_samples *samples = estimate->samples;
    for (size_t i = 0; i < samples->count; i++) {
        const struct ft_core_sample *sample = &samples->items[i];
        const uint32_t scope = samples->scope_of_account[sample->account];
        const double own = estimate->measured[scope];
        const double each = own > 0 ? estimate->measured_cycles[scope] / own : 0;
        const double factor = own > 0 ? estimate->rows[scope].instructions / own : 0;
        add_off(estimate, scope, sample->window,
                factor * (sample->cycles - each * (double)sample->instructions));
        if (i + 1 == samples->count || samples->items[i + 1].window != sample->window)
            end_window(estimate, sample->window);
    }
}

static void set_errors(const struct estimate *estimate)
{
    const double windows = estimate->samples->window_count;
    for (size_t s = 0; s < estimate->scopes->scope_count; s++) {
        struct ft_core_row *row = &estimate->rows[s];
        const double left = row->instructions > 0 ? 1 - row->sampled / row->instructions : 0;
        if (left <= 0 || row->instructions <= 0)
            row->error = 0;
        else if (row->windows < FT_CORE_WINDOWS_MIN)
            row->error = NAN;
        else
            row->error = NORMAL_95 * sqrt(left * windows / (windows - 1) * estimate->squares[s]);
    }
}

/* ---- the module's functions ---- */

static void add_nested(const struct estimate *estimate)
{
    for (size_t s = estimate->scopes->scope_count; s-- > 1;) {
        const struct ft_core_row *row = &estimate->rows[s];
        struct ft_core_row *around = &estimate->rows[estimate->scopes->scopes[s].parent];
        around->instructions += row->instructions;
        around->sampled += row->sampled;
        around->cycles += row->cycles;
        for (unsigned r = 0; r < FT_CORE_REASONS; r++)
            around->stack[r] += row->stack[r];
    }
}

static void run(const struct estimate *estimate, const double *instructions)
{
    const struct ft_core_samples *samples = estimate->samples;
    for (size_t i = 0; i < samples->count; i++) {
        const uint32_t scope = samples->scope_of_account[samples->items[i].account];
        estimate->measured_cycles[scope] += samples->items[i].cycles;
        estimate->measured[scope] += (double)samples->items[i].instructions;
    }
    estimate_scopes(estimate, instructions);
    compare_windows(estimate);
    add_nested(estimate);
    set_errors(estimate);
}

int ft_core_estimate(const struct ft_core_samples *samples, const struct ft_scopes *scopes,
                     const double *instructions, struct ft_core_row **ret_rows,
                     struct ft_diag *diag)
{
    const size_t count = scopes->scope_count + 1;
    struct estimate estimate = {.samples = samples,
                                .scopes = scopes,
                                .rows = calloc(count, sizeof *estimate.rows),
                                .measured_cycles = calloc(count, sizeof(double)),
                                .measured = calloc(count, sizeof(double)),
                                .off = calloc(count, sizeof(double)),
                                .squares = calloc(count, sizeof(double)),
                                .seen = calloc(count, sizeof(uint32_t))};
    const bool has_memory = estimate.rows && estimate.measured_cycles && estimate.measured &&
                            estimate.off && estimate.squares && estimate.seen;
    if (has_memory)
        run(&estimate, instructions);
    free(estimate.measured_cycles);
    free(estimate.measured);
    free(estimate.off);
    free(estimate.squares);
    free(estimate.seen);
    if (!has_memory) {
        free(estimate.rows);
        return ft_fail_memory(diag, "an estimate");
    }
    *ret_rows = estimate.rows;
    return FT_OK;
}
