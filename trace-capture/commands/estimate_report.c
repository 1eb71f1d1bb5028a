/*
 * The rate of foretrace's CPU time is that of the second half of the time, as the first one has the
 * start of the program in it, and the end, when lines are read, comes once. Samples in between miss
 * what is on its way to the file, about as much each. That may be all that a program logs which
 * fills a buffer in minutes, so rates of records and of the file are those of the whole.
 *
 * In order: rates; the table; sentences below it.
 */
#include "trace-capture/commands/estimate_report.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "formats/cli/table.h"
#include "formats/cli/terminal.h"

#define HOUR_SECONDS    3600.0
#define CPU_SECONDS_MIN 0.05 /* below, what the clock is off by counts */
/* The rates of the two halves differ by this factor, and by so much that it matters. */
#define HALVES_DIFFER         1.5
#define HALVES_DIFFER_SECONDS 0.25

/* From here on most records are of loops; below, of paths through branches. */
#define ACCESSES_PER_RECORD_MANY 100.0
/* Addresses that follow from those before take less: 8 bytes for each that does not, compressed. */
#define BYTES_PER_ACCESS_MANY 0.5
/* Of foretrace's CPU time to the program's, and of a trace: from here on it pays to pay less. */
#define HOST_RATE_MANY      1.0
#define BYTES_PER_HOUR_MANY (10.0 * (1U << 30))

struct rates {                /* per second of the program's CPU time */
    double host, host_before; /* CPU time; before: in the first half */
    double records, accesses, log_bytes;
    bool are_known, has_halves;
};

/* ---- rates ---- */

/* Whether there is more than was captured. */
static bool is_cut(const struct ft_cost_samples *costs)
{
    return costs->is_over && !costs->has_ended_itself;
}

static struct rates rates_of(const struct ft_cost_samples *costs)
{
    const struct ft_capture_cost *all = &costs->in_all, *half = &costs->halfway;
    struct rates rates = {.are_known = all->program_cpu_seconds >= CPU_SECONDS_MIN};
    if (!rates.are_known)
        return rates;
    rates.host = all->host_cpu_seconds / all->program_cpu_seconds;
    rates.records = (double)all->records / all->program_cpu_seconds;
    rates.accesses = (double)all->accesses / all->program_cpu_seconds;
    rates.log_bytes = (double)all->log_bytes / all->program_cpu_seconds;
    if (!costs->has_halfway || !is_cut(costs))
        return rates;
    const double later = costs->at_end.program_cpu_seconds - half->program_cpu_seconds;
    if (half->program_cpu_seconds < CPU_SECONDS_MIN || later < CPU_SECONDS_MIN)
        return rates;
    rates.has_halves = true;
    rates.host_before = half->host_cpu_seconds / half->program_cpu_seconds;
    rates.host = (costs->at_end.host_cpu_seconds - half->host_cpu_seconds) / later;
    return rates;
}

/* ---- the table ---- */

static void add_rates(struct ft_table *table, const struct rates *rates, double rate,
                      void add(struct ft_table *table, double value))
{
    if (!rates)
        return;
    add(table, rate);
    add(table, HOUR_SECONDS * rate);
}

/* rates: NULL where there is no more to come, and they would say nothing. */
static int print_table(FILE *stream, const struct ft_capture_cost *cost, const struct rates *rates,
                       bool only_counts, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "", "what", false);
    ft_table_column(table, "captured", "captured", true);
    if (rates) {
        ft_table_column(table, "per CPU second", "per_second", true);
        ft_table_column(table, "per CPU hour", "per_hour", true);
    }
    ft_table_text(table, "CPU time of the program");
    ft_table_seconds(table, cost->program_cpu_seconds);
    if (rates) {
        ft_table_text(table, "1 s");
        ft_table_text(table, "1 h");
    }
    ft_table_text(table, "CPU time of foretrace");
    ft_table_seconds(table, cost->host_cpu_seconds);
    add_rates(table, rates, rates ? rates->host : 0, ft_table_seconds);
    if (!only_counts) {
        ft_table_text(table, "accesses");
        ft_table_count(table, (double)cost->accesses);
        add_rates(table, rates, rates ? rates->accesses : 0, ft_table_count);
        ft_table_text(table, "records");
        ft_table_count(table, (double)cost->records);
        add_rates(table, rates, rates ? rates->records : 0, ft_table_count);
    }
    ft_table_text(table, "trace");
    ft_table_bytes(table, (double)cost->file_bytes);
    add_rates(table, rates, rates ? rates->log_bytes : 0, ft_table_bytes);
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    return status;
}

/* ---- sentences ---- */

static void print_head(FILE *stream, const char *name, const struct ft_capture_options *options,
                       const struct ft_capture_result *result)
{
    const struct ft_cost_samples *costs = &result->costs;
    const int status = result->wait_status;
    char elapsed[FT_NUMBER_TEXT];
    ft_text_seconds(elapsed,
                    is_cut(costs) ? costs->at_end.elapsed_seconds : costs->in_all.elapsed_seconds);
    if (is_cut(costs))
        ft_print_wrapped(stream, 0, "What a capture of %s costs, from %s of it:\n\n", name,
                         elapsed);
    else if (costs->has_ended_itself && options->windows.any)
        ft_print_wrapped(stream, 0,
                         "What the windows of %s cost, the last of which ended after %s:\n\n", name,
                         elapsed);
    else if (!costs->has_ended_itself && WIFSIGNALED(status))
        ft_print_wrapped(stream, 0,
                         "What a capture of %s costs, which signal %d (%s) killed after %s:\n\n",
                         name, WTERMSIG(status), strsignal(WTERMSIG(status)), elapsed);
    else
        ft_print_wrapped(stream, 0, "What the whole capture of %s costs, which ended after %s:\n\n",
                         name, elapsed);
}

static void print_halves(FILE *stream, const struct rates *rates,
                         const struct ft_cost_samples *costs)
{
    char before[FT_NUMBER_TEXT], after[FT_NUMBER_TEXT], rest[FT_NUMBER_TEXT];
    if (!rates->has_halves)
        return;
    const double more = fmax(rates->host, rates->host_before);
    const double less = fmin(rates->host, rates->host_before);
    const bool differ = more > HALVES_DIFFER * less && more - less > HALVES_DIFFER_SECONDS;
    ft_print_wrapped(
        stream, 2,
        "- foretrace took %s per second in the first half of the time, %s in the second, which "
        "is the rate above, and %s in all to finish the trace.%s\n",
        ft_text_seconds(before, rates->host_before), ft_text_seconds(after, rates->host),
        ft_text_seconds(rest, costs->in_all.host_cpu_seconds - costs->at_end.host_cpu_seconds),
        differ ? " The halves differ: try a longer --max-time, or begin later (--from, --skip)."
               : "");
}

static void print_rates(FILE *stream, const struct rates *rates,
                        const struct ft_cost_samples *costs)
{
    const struct ft_capture_cost *all = &costs->in_all;
    char fixed[FT_NUMBER_TEXT];
    if (!rates->are_known) {
        ft_print_wrapped(stream, 2,
                         "- The program took too little CPU time for rates; a longer --max-time "
                         "gives it more.\n");
        return;
    }
    ft_print_wrapped(stream, 2,
                     "- Rates are per second and hour of the program's CPU time under capture: "
                     "1.0 to 2 times the native one, which is not measured.\n");
    print_halves(stream, rates, costs);
    if (all->log_bytes && all->file_bytes > all->log_bytes)
        ft_print_wrapped(stream, 2,
                         "- %s of the trace are code, symbols and lines, which do not grow with "
                         "time.\n",
                         ft_text_bytes(fixed, (double)(all->file_bytes - all->log_bytes)));
}

/* By the cost model of docs/capture-costs.md. */
static void print_kind(FILE *stream, const struct ft_capture_cost *cost)
{
    char number[FT_NUMBER_TEXT], bytes[FT_NUMBER_TEXT];
    if (cost->program_cpu_seconds < CPU_SECONDS_MIN || cost->records == 0 || cost->accesses == 0)
        return; /* what starts any program is no kind */
    const double per_record = (double)cost->accesses / (double)cost->records;
    const double per_access = (double)cost->log_bytes / (double)cost->accesses;
    ft_text_count(number, per_record);
    snprintf(bytes, sizeof bytes, per_access < 0.01 ? "under 0.01 bytes" : "%.2g bytes",
             per_access);
    if (per_record < ACCESSES_PER_RECORD_MANY)
        ft_print_wrapped(stream, 2,
                         "- %s accesses per record: short loops, and branches that depend on data, "
                         "have a record each time.\n",
                         number);
    else if (per_access >= BYTES_PER_ACCESS_MANY)
        ft_print_wrapped(stream, 2,
                         "- %s accesses per record, but %s of log per access: addresses that "
                         "depend on data are written out.\n",
                         number, bytes);
    else
        ft_print_wrapped(stream, 2,
                         "- %s accesses per record, %s of log per access: loops have a record for "
                         "all their iterations, and addresses follow from others or repeat.\n",
                         number, bytes);
}

static void print_advice(FILE *stream, const struct ft_capture_options *options,
                         const struct rates *rates)
{
    if (!rates->are_known || options->only_counts ||
        (rates->host < HOST_RATE_MANY && HOUR_SECONDS * rates->log_bytes < BYTES_PER_HOUR_MANY))
        return;
    ft_print_wrapped(stream, 2,
                     options->windows.any
                         ? "- To pay less: a smaller size, or shorter windows (--for, --every).\n"
                         : "- To pay less: a smaller size; a window (--from, --skip, --for, "
                           "--every); or --counts, which logs no addresses.\n");
}

int ft_estimate_print(FILE *stream, const char *name, const struct ft_capture_options *options,
                      const struct ft_capture_result *result, struct ft_diag *diag)
{
    const struct ft_cost_samples *costs = &result->costs;
    const struct rates rates = rates_of(costs);
    const bool goes_on = costs->is_over ? is_cut(costs) : WIFSIGNALED(result->wait_status);
    print_head(stream, name, options, result);
    FT_TRY(print_table(stream, &costs->in_all, goes_on && rates.are_known ? &rates : NULL,
                       options->only_counts, diag));
    fputs("\n", stream);
    if (goes_on)
        print_rates(stream, &rates, costs);
    print_kind(stream, &costs->in_all);
    print_advice(stream, options, &rates);
    return FT_OK;
}
