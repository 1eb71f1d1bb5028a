/*
 * What other tools measured, by routine: files of perf (`perf stat -x,`, `perf report -t,`), LIKWID
 * (`likwid-perfctr -O`), PAPI's high-level API (JSON), and tables with a column of routines.
 *
 * Errors name the file and, where there is one, the line: FT_ERROR_DATA where a file is none of
 * these.
 */
#ifndef FT_PREDICT_MEASURED_MEASURED_H
#define FT_PREDICT_MEASURED_MEASURED_H

#include "predict/measured/measured_values.h"

/* Adds the rows of a file, in its order. Loads and stores of one level, and what stands several
 * times, are summed up. */
int ft_measured_read(const char *path, struct ft_measured *measured, struct ft_diag *diag);

#endif
