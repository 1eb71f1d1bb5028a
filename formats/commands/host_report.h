/*
 * The machine that a trace was captured on, for `info`: as text and as JSON (docs/json.md).
 */
#ifndef FT_FORMATS_COMMANDS_HOST_REPORT_H
#define FT_FORMATS_COMMANDS_HOST_REPORT_H

#include "formats/cli/json.h"
#include "formats/trace/capture_host.h"

/* Prints nothing if nothing is known. */
void ft_host_print(const struct ft_capture_host *host, FILE *stream);
json_t *ft_host_json(const struct ft_capture_host *host);

#endif
