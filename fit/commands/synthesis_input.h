/*
 * What `synthesise` learns from: traces, files of histograms with skeletons, or a model that has
 * learned one.
 */
#ifndef FT_FIT_COMMANDS_SYNTHESIS_INPUT_H
#define FT_FIT_COMMANDS_SYNTHESIS_INPUT_H

#include "formats/base/progress.h"
#include "formats/cli/options.h"
#include "formats/model/model.h"
#include "formats/trace/metadata.h"

struct ft_synthesis_input {
    const struct ft_sized_skeleton *sized;
    char *hash;                  /* of the largest trace */
    struct ft_metadata metadata; /* likewise: program and parameters */
    struct ft_sized_skeleton learned;
    struct ft_model model;
};
/* The operands of a command; parameter: of which the size is. ft_synthesis_input_fini, also after a
 * failure. */
int ft_synthesis_input_read(const struct ft_arguments *arguments, const char *parameter,
                            struct ft_progress *progress, struct ft_synthesis_input *ret_input,
                            struct ft_diag *diag);
void ft_synthesis_input_fini(struct ft_synthesis_input *input);

#endif
