/*
 * What a side of `diff` is made from: a trace, an entry of a histograms file, or a model at a size,
 * on a machine or, but for models, on none.
 *
 * Start from {0} with path, at, model and machine_text set; ft_diff_source_fini frees the rest,
 * after failures as well. Sides of metrics point into their source.
 */
#ifndef FT_PREDICT_COMMANDS_DIFF_SOURCE_H
#define FT_PREDICT_COMMANDS_DIFF_SOURCE_H

#include "formats/cli/json.h"
#include "formats/cli/output_file.h"
#include "formats/histograms/histograms.h"
#include "predict/diff/diff_side.h"

struct ft_diff_source {
    /* As asked; NULL: not. */
    const char *path, *at, *model_name, *machine_text;
    const char *label;      /* what output calls it; NULL: by its path */
    enum ft_file_kind kind; /* FT_FILE_TRACE, FT_FILE_HISTOGRAMS or FT_FILE_MODEL */
    bool has_machine;
    struct ft_machine machine;
    struct ft_model model;
    struct ft_query_point point;
    bool has_prediction;
    struct ft_prediction prediction;
    struct ft_histogram_file file;
    const struct ft_histograms *entry; /* of the file */
    struct ft_trace *trace;            /* until it is loaded */
    struct ft_simulated_trace simulated;
};

/* The machine, and what the file is: at once, so that mistakes show before long work. */
int ft_diff_source_read_machine(struct ft_diff_source *source, struct ft_diag *diag);
int ft_diff_source_open(struct ft_diff_source *source, struct ft_diag *diag);
/* Whether it has the options that its kind takes, and no others. */
int ft_diff_source_check(const struct ft_diff_source *source, struct ft_diag *diag);
/* Whether both can be compared: of one kind, with the options that this kind takes. */
int ft_diff_sources_check(const struct ft_diff_source sources[2], struct ft_diag *diag);
/* Forecasts, simulates or reads: shows progress. */
int ft_diff_source_load(struct ft_diff_source *source, struct ft_diag *diag);
int ft_diff_source_side(const struct ft_diff_source *source, const struct ft_diff_metrics *metrics,
                        struct ft_diff_side *ret_side, struct ft_diag *diag);
void ft_diff_source_fini(struct ft_diff_source *source);

/* NULL: none. */
static inline const struct ft_machine *ft_diff_machine(const struct ft_diff_source *source)
{
    return source->has_machine ? &source->machine : NULL;
}
static inline const char *ft_diff_source_label(const struct ft_diff_source *source)
{
    return source->label ? source->label : source->path;
}
/* Whether both are the same file and the same program of it, at whatever size and machine. */
bool ft_diff_sources_share(const struct ft_diff_source sources[2]);
/* The path of the program. */
const char *ft_diff_source_program(const struct ft_diff_source *source);
/* "N = 100, M = 5"; "" without parameters. */
#define FT_DIFF_POINT_TEXT 256
char *ft_diff_source_point(char text[FT_DIFF_POINT_TEXT], const struct ft_diff_source *source);
/* {"N": 100} */
json_t *ft_diff_source_point_json(const struct ft_diff_source *source);

#endif
