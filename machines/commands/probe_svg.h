/*
 * The curves of a probe as a picture: latency, bandwidth by stride, pages; logarithmic axes.
 */
#ifndef FT_MACHINES_COMMANDS_PROBE_SVG_H
#define FT_MACHINES_COMMANDS_PROBE_SVG_H

#include <stdio.h>

#include "machines/probe/probe_points.h"

/* Writes to the stream; errors of it are the caller's to look at. title: "AMD EPYC". */
int ft_probe_svg(const struct ft_probe *probe, const char *title, FILE *stream,
                 struct ft_diag *diag);

#endif
