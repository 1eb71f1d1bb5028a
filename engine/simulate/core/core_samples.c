/*
 * Of scope s with C cycles and I instructions in all windows, N executed: N C / I cycles. Scopes
 * that few windows saw, or none, are one: their C, I and N are added up. A window with c cycles and
 * i instructions of it is off by N / I (c - C / I i); these differences, summed over nested scopes,
 * then squared and summed over windows, are the variance, of which the share that was not simulated
 * counts.
 */
#include "engine/simulate/core/core_samples.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_95 1.96

/* A scope, or those that few windows saw: exclusive. */
struct stratum {
    double measured_cycles, measured; /* in windows: cycles, instructions */
    double executed;                  /* instructions */
    double stack[FT_CORE_REASONS];    /* in windows */
    uint32_t windows;
};

struct estimate {
    const struct ft_core_samples *samples;
    const struct ft_scopes *scopes;
    struct ft_core_row *rows;
    struct stratum *own; /* [scope], and behind them that of those seen by few windows */
    double *off;         /* [scope], with nested ones, in the window at hand */
    double *squares;     /* [scope] */
    uint32_t *seen;      /* [scope]: the window that it was last seen in, + 1 */
};

/* ---- strata ---- */

static struct stratum *rest_of(const struct estimate *estimate)
{
    return &estimate->own[estimate->scopes->scope_count];
}

/* Samples come by window. */
static void add_samples(const struct estimate *estimate, const double *instructions)
{
    const struct ft_core_samples *samples = estimate->samples;
    for (size_t i = 0; i < samples->count; i++) {
        const struct ft_core_sample *sample = &samples->items[i];
        const uint32_t scope = samples->scope_of_account[sample->account];
        struct stratum *own = &estimate->own[scope];
        own->measured_cycles += sample->cycles;
        own->measured += (double)sample->instructions;
        own->windows += estimate->seen[scope] != sample->window + 1;
        estimate->seen[scope] = sample->window + 1;
    }
    for (uint32_t a = 0; a < samples->account_count; a++)
        for (unsigned r = 0; r < FT_CORE_REASONS; r++)
            estimate->own[samples->scope_of_account[a]].stack[r] +=
                samples->accounts[a * (size_t)FT_CORE_REASONS + r];
    for (size_t s = 0; s < estimate->scopes->scope_count; s++) {
        estimate->own[s].executed = instructions[s];
        estimate->seen[s] = 0;
    }
}

static void add_stratum(struct stratum *to, const struct stratum *from)
{
    to->measured_cycles += from->measured_cycles;
    to->measured += from->measured;
    to->executed += from->executed;
    for (unsigned r = 0; r < FT_CORE_REASONS; r++)
        to->stack[r] += from->stack[r];
}

static bool is_apart(const struct estimate *estimate, size_t scope)
{
    return estimate->own[scope].windows >= FT_CORE_WINDOWS_MIN ||
           estimate->samples->window_count == 1;
}

/* If windows saw nothing of the others either, they are taken for the average. */
static void make_rest(const struct estimate *estimate)
{
    struct stratum all = {0}, *rest = rest_of(estimate);
    for (size_t s = 0; s < estimate->scopes->scope_count; s++) {
        add_stratum(&all, &estimate->own[s]);
        if (!is_apart(estimate, s))
            add_stratum(rest, &estimate->own[s]);
    }
    if (rest->measured <= 0) {
        all.executed = rest->executed;
        *rest = all;
    }
}

static const struct stratum *stratum_of(const struct estimate *estimate, size_t scope)
{
    return &estimate->own[is_apart(estimate, scope) ? scope : estimate->scopes->scope_count];
}

static void estimate_scopes(const struct estimate *estimate)
{
    for (size_t s = 0; s < estimate->scopes->scope_count; s++) {
        struct ft_core_row *row = &estimate->rows[s];
        const struct stratum *stratum = stratum_of(estimate, s), *own = &estimate->own[s];
        const double factor = stratum->measured > 0 ? own->executed / stratum->measured : 0;
        row->instructions = own->executed;
        row->sampled = own->measured;
        row->cycles = factor * stratum->measured_cycles;
        for (unsigned r = 0; r < FT_CORE_REASONS; r++)
            row->stack[r] = factor * stratum->stack[r];
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
    struct stratum *rest = rest_of(estimate);
    uint32_t last = UINT32_MAX; /* window that saw the rest */
    for (size_t i = 0; i < samples->count; i++) {
        const struct ft_core_sample *sample = &samples->items[i];
        const uint32_t scope = samples->scope_of_account[sample->account];
        const struct stratum *stratum = stratum_of(estimate, scope);
        if (stratum == rest && last != sample->window) {
            last = sample->window;
            rest->windows++;
        }
        if (stratum->measured > 0)
            add_off(estimate, scope, sample->window,
                    stratum->executed / stratum->measured *
                        (sample->cycles - stratum->measured_cycles / stratum->measured *
                                              (double)sample->instructions));
        if (i + 1 == samples->count || samples->items[i + 1].window != sample->window)
            end_window(estimate, sample->window);
    }
}

/* What few windows saw may be off by all that it is thought to take. */
static double error_of_rest(const struct estimate *estimate)
{
    const struct stratum *rest = rest_of(estimate);
    return rest->windows < FT_CORE_WINDOWS_MIN && rest->measured > 0
               ? rest->executed / rest->measured * rest->measured_cycles
               : 0;
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
            row->error =
                hypot(NORMAL_95 * sqrt(left * windows / (windows - 1) * estimate->squares[s]),
                      s == 0 ? error_of_rest(estimate) : 0);
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
    add_samples(estimate, instructions);
    make_rest(estimate);
    estimate_scopes(estimate);
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
                                .own = calloc(count, sizeof *estimate.own),
                                .off = calloc(count, sizeof(double)),
                                .squares = calloc(count, sizeof(double)),
                                .seen = calloc(count, sizeof(uint32_t))};
    const bool has_memory =
        estimate.rows && estimate.own && estimate.off && estimate.squares && estimate.seen;
    if (has_memory)
        run(&estimate, instructions);
    free(estimate.own);
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
