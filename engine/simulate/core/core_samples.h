/*
 * From what windows measured to the whole run. A scope's cycles per instruction are those of all
 * its instructions in windows together (a ratio estimate), times the instructions that it executed,
 * which the trace counts. The error follows from how the windows differ (Cochran, Sampling
 * Techniques, 1977, 6.4; Wunderlich et al., ISCA 2003, for simulators). Pure.
 */
#ifndef FT_ENGINE_SIMULATE_CORE_CORE_SAMPLES_H
#define FT_ENGINE_SIMULATE_CORE_CORE_SAMPLES_H

#include "engine/simulate/core/core_model.h"
#include "formats/scopes/scopes.h"

/* What one instruction of the code took in a window. */
struct ft_core_sample {
    uint32_t window, account;
    uint64_t instructions;
    double cycles;
};

#define FT_CORE_WINDOWS_MIN 4 /* with fewer scopes are estimated together, without an error */

/* Of a scope, with those nested in it. */
struct ft_core_row {
    double instructions;           /* executed */
    double sampled;                /* of these, measured in windows */
    double cycles;                 /* estimate */
    double error;                  /* half the 95 % interval of the cycles; NAN: unknown */
    double stack[FT_CORE_REASONS]; /* where they went; adds up to cycles */
    uint32_t windows;              /* that have measured it */
};

struct ft_core_samples {
    const struct ft_core_sample *items; /* by window */
    size_t count;
    uint32_t window_count;
    const double *accounts;           /* [account * FT_CORE_REASONS + reason]: of all windows */
    const uint32_t *scope_of_account; /* [account] */
    uint32_t account_count;
};

/* instructions: [scope], exclusive; ret_rows: [scope], to be freed. */
int ft_core_estimate(const struct ft_core_samples *samples, const struct ft_scopes *scopes,
                     const double *instructions, struct ft_core_row **ret_rows,
                     struct ft_diag *diag);

#endif
