/*
 * A report of what was measured, without a model: a trace, whose caches are simulated exactly, or
 * histograms, with misses as `predict` derives them from reuse distances; in histograms also the
 * distances, pairs of references and data objects, as far as they were replayed with these.
 *
 * Start from {0}; ft_measurement_fini after failures as well. Not thread safe.
 */
#ifndef FT_PREDICT_COMMANDS_REPORT_MEASURED_H
#define FT_PREDICT_COMMANDS_REPORT_MEASURED_H

#include "formats/cli/json.h"
#include "formats/cli/options.h"
#include "predict/commands/diff/source.h"
#include "predict/metrics/set_chances.h"

struct ft_measurement {
    struct ft_diff_source *sources; /* [count], one a machine, all of one file */
    struct ft_diff_metrics *metrics;
    struct ft_diff_side *sides;
    size_t count;
    uint32_t *list; /* routines and loops that are shown, as a tree */
    size_t list_count;
    bool *is_shown;                 /* [scope] */
    struct ft_set_chances *chances; /* [level of the first machine]; NULL: of a trace */
};

/* Whether a file is a trace or histograms: all that is not a model is taken for one. */
bool ft_measurement_is_for(const char *path);
/* Options read: "at", "machine", "model", "loops"; one operand. Shows progress. */
int ft_measurement_load(const struct ft_arguments *arguments, uint64_t loop_limit,
                        struct ft_measurement *ret_measured, struct ft_diag *diag);
void ft_measurement_fini(struct ft_measurement *measured);

static inline const struct ft_scopes *ft_measurement_scopes(const struct ft_measurement *measured)
{
    return measured->sides[0].scopes;
}
/* NULL: of a trace. */
static inline const struct ft_histograms *
ft_measurement_entry(const struct ft_measurement *measured)
{
    return measured->sources[0].kind == FT_FILE_HISTOGRAMS ? measured->sources[0].entry : NULL;
}
/* The scope, or the nearest one around it that is shown. */
uint32_t ft_measurement_shown(const struct ft_measurement *measured, uint32_t scope);

/* The first scope of those with the largest figure. rows: [scope], one at least. */
size_t ft_measurement_largest(const double *rows, size_t scope_count);

/* What else is in a document. */
struct ft_measurement_page {
    const char *command; /* as it was typed */
    bool with_source, with_code;
    const char *sources; /* --sources (page/sources.h) */
};
int ft_measurement_document(const struct ft_measurement *measured,
                            const struct ft_measurement_page *page, json_t **ret_document,
                            struct ft_diag *diag);

/* The machine code of the heaviest scopes; null where there is none (measured_code.c). */
int ft_measurement_code(const struct ft_measurement *measured, json_t **ret_code,
                        struct ft_diag *diag);

/* What a trace touches and misses over its accesses, and its phases; reads it again, and shows
 * progress (measured_phases.c). */
int ft_measurement_phases(const struct ft_measurement *measured, json_t **ret_phases,
                          struct ft_diag *diag);

/* ---- its parts, of histograms; misses are those of the first machine ---- */

/* The block size of a level, as a number of the histograms', and the misses there. */
size_t ft_measurement_block_size(const struct ft_measurement *measured, size_t level);
double ft_measurement_misses(const struct ft_measurement *measured, size_t level,
                             const struct ft_histogram *histogram);

/* Reuse distances at a block size, and how references move (measured_reuse.c). */
int ft_measurement_reuse(const struct ft_measurement *measured, size_t size, json_t **ret_reuse,
                         struct ft_diag *diag);
int ft_measurement_references(const struct ft_measurement *measured, json_t **ret_references,
                              struct ft_diag *diag);
/* Between which references blocks are reused, and what carries that; null without pairs
 * (measured_pairs.c). */
int ft_measurement_pairs(const struct ft_measurement *measured, json_t **ret_pairs,
                         struct ft_diag *diag);
/* The data that are touched; null without (measured_objects.c). */
int ft_measurement_objects(const struct ft_measurement *measured, json_t **ret_objects,
                           struct ft_diag *diag);

#endif
