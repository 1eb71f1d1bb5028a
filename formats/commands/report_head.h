/*
 * The head of reports about one trace: the program and the parameters of its run.
 */
#ifndef FT_FORMATS_COMMANDS_REPORT_HEAD_H
#define FT_FORMATS_COMMANDS_REPORT_HEAD_H

#include <stdio.h>

#include "formats/cli/json.h"
#include "formats/trace/trace.h"

/* "matmul, N = 100", without a newline. */
void ft_program_print(const struct ft_metadata *metadata, FILE *stream);
/* {"N": 100} */
json_t *ft_parameters_json(const struct ft_metadata *metadata);

#endif
