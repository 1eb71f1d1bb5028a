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
/* The same and what the format makes behind it, broken at blanks to the width of lines. */
__attribute__((format(printf, 3, 4))) void
ft_program_head_print(const struct ft_metadata *metadata, FILE *stream, const char *format, ...);
/* {"N": 100} */
json_t *ft_parameters_json(const struct ft_metadata *metadata);
/* ["./matmul", "100", "1"] */
json_t *ft_arguments_json(const struct ft_metadata *metadata);

#endif
