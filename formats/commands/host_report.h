/*
 * What a trace tells of the machine that it was captured on, for `info`: as text, and as JSON
 * (docs/json.md).
 */
#ifndef FT_FORMATS_COMMANDS_HOST_REPORT_H
#define FT_FORMATS_COMMANDS_HOST_REPORT_H

#include "formats/cli/json.h"
#include "formats/trace/capture_host.h"

/* Nothing where nothing is known. */
void ft_host_print(const struct ft_capture_host *host, FILE *stream);
json_t *ft_host_json(const struct ft_capture_host *host);

#endif
