/* The format is told from the contents: JSON, LIKWID's "TABLE," lines, the bars of perf script,
 * the heads of perf report and of tables; perf stat is what is left. */
#include "predict/measured/measured.h"

#include <string.h>

#include "predict/measured/readers.h"

static const char *first_letter(const char *line)
{
    return line + strspn(line, " \t");
}

static ft_measured_reader *reader_of(const struct ft_measured_lines *lines)
{
    size_t first = 0;
    while (first < lines->count && !*first_letter(lines->items[first]))
        first++;
    if (first < lines->count && *first_letter(lines->items[first]) == '{')
        return ft_measured_papi;
    if (ft_measured_is_likwid(lines))
        return ft_measured_likwid;
    if (ft_measured_is_perf_script(lines))
        return ft_measured_perf_script;
    if (ft_measured_is_perf_report(lines))
        return ft_measured_perf_report;
    return ft_measured_is_table(lines) ? ft_measured_table : ft_measured_perf_stat;
}

int ft_measured_read(const char *path, struct ft_measured *measured, struct ft_diag *diag)
{
    struct ft_measured_lines lines = {0};
    const size_t unknown_before = measured->unknown_count;
    int status = ft_measured_lines_read(path, &lines, diag);
    measured->file_begin = measured->count;
    if (status == FT_OK)
        status = reader_of(&lines)(&lines, measured, diag);
    ft_measured_lines_fini(&lines);
    if (status == FT_OK && measured->count == measured->file_begin &&
        measured->unknown_count == unknown_before)
        return ft_fail(diag, FT_ERROR_DATA,
                       "%s: no measured values: it must be the output of 'perf stat -x,', 'perf "
                       "report -t,', 'perf script -F event,period,data_src,ip,sym', "
                       "'likwid-perfctr -O' or PAPI's high-level API, or a table with a column "
                       "'routine'",
                       path);
    return status;
}
