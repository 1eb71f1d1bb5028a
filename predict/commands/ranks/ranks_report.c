/*
 * In order: the table of ranks; files; text; CSV and JSON.
 */
#include "predict/commands/ranks/ranks_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/cli/terminal.h"

#define ACCESSES_TEXT (2U * FT_NUMBER_TEXT + 32U)

/* ---- the table of ranks ---- */

struct sent {
    uint64_t messages, bytes;
};

static struct sent sent_by(const struct ft_ranks_report *report, size_t rank)
{
    struct sent sent = {0};
    for (size_t i = 0; i < report->messages->ranks[rank].count; i++) {
        const struct ft_mpi_message *message = &report->messages->ranks[rank].items[i].base;
        sent.messages += message->is_sent;
        sent.bytes += message->is_sent ? message->bytes : 0;
    }
    return sent;
}

static void add_seconds(struct ft_table *table, double seconds, bool with_digits)
{
    char text[FT_NUMBER_TEXT];
    if (with_digits)
        ft_table_format(table, "%.15g", seconds);
    else
        ft_table_labelled(table, ft_text_seconds(text, seconds), seconds);
}

static struct ft_table *table_of_ranks(const struct ft_ranks_report *report, bool with_digits)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return NULL;
    ft_table_column(table, "rank", "rank", true);
    ft_table_column(table, "computation", "computation_seconds", true);
    ft_table_column(table, "communication", "communication_seconds", true);
    ft_table_column(table, "waiting", "waiting_seconds", true);
    if (ft_network_has_storage(report->network))
        ft_table_column(table, "I/O", "io_seconds", true);
    ft_table_column(table, "end", "end_seconds", true);
    ft_table_column(table, "on path", "path_computation_seconds", true);
    ft_table_column(table, "sent", "sent_messages", true);
    ft_table_column(table, "bytes", "sent_bytes", true);
    if (report->runs)
        ft_table_column(table, "class", "class", true);
    else
        ft_table_column(table, "trace", "trace", false);
    for (size_t i = 0; i < report->times->rank_count; i++) {
        const struct ft_rank_time *rank = &report->times->ranks[i];
        const struct sent sent = sent_by(report, i);
        ft_table_count(table, report->job->ranks[i].rank);
        add_seconds(table, rank->computation, with_digits);
        add_seconds(table, rank->communication, with_digits);
        add_seconds(table, rank->waiting, with_digits);
        if (ft_network_has_storage(report->network))
            add_seconds(table, rank->files, with_digits);
        add_seconds(table, rank->end, with_digits);
        add_seconds(table, rank->on_path, with_digits);
        ft_table_count(table, (double)sent.messages);
        ft_table_bytes(table, (double)sent.bytes);
        if (report->runs)
            ft_table_count(table, report->classes->of_rank[i]);
        else
            ft_table_text(table, report->job->ranks[i].path);
    }
    return table;
}

/* ---- files ---- */

struct file_accesses {
    uint64_t count, bytes;
};

static void add_access(struct file_accesses *sum, const struct ft_file_access *access)
{
    sum->count++;
    sum->bytes += access->bytes;
}

/* From MPI_Init to the last call of MPI, by the thread that makes these. */
static void add_system_calls(const struct ft_mpi_job *job, struct file_accesses *sum)
{
    for (size_t r = 0; r < job->rank_count; r++) {
        const struct ft_mpi_timeline *timeline = &job->ranks[r].timeline;
        size_t init = 0;
        while (init < timeline->count && !ft_mpi_call_is_init(&timeline->calls[init]))
            init++;
        for (size_t i = 0; i < timeline->access_count && init < timeline->count; i++) {
            const struct ft_file_access *access = &timeline->accesses[i];
            if (access->thread == timeline->calls[init].thread &&
                access->instructions > timeline->calls[init].instructions &&
                access->instructions < timeline->calls[timeline->count - 1].instructions)
                add_access(sum, access);
        }
    }
}

static void add_calls_of_mpi(const struct ft_mpi_job *job, struct file_accesses *sum)
{
    for (size_t r = 0; r < job->rank_count; r++) {
        const struct ft_mpi_timeline *timeline = &job->ranks[r].timeline;
        struct ft_file_access access;
        for (size_t i = 0; i < timeline->count; i++)
            if (ft_mpi_call_file_access(timeline, &timeline->calls[i], &access))
                add_access(sum, &access);
    }
}

/* Of the job: where it is forecast, MPI's alone. */
static struct file_accesses accesses_of(const struct ft_ranks_report *report)
{
    struct file_accesses sum = {0};
    add_system_calls(report->job, &sum);
    add_calls_of_mpi(report->job, &sum);
    return sum;
}

/* Those of captured runs that a forecast lacks. */
static struct file_accesses accesses_without_laws(const struct ft_ranks_report *report)
{
    struct file_accesses sum = {0};
    for (size_t i = 0; report->runs && i < report->runs->run_count; i++)
        add_system_calls(&report->runs->jobs[i], &sum);
    return sum;
}

/* ---- text ---- */

/* Of the time of all ranks together. */
static void print_shares(const struct ft_job_times *times, FILE *stream)
{
    double computation = 0, communication = 0, waiting = 0;
    char texts[4][FT_NUMBER_TEXT];
    for (size_t i = 0; i < times->rank_count; i++) {
        computation += times->ranks[i].computation;
        communication += times->ranks[i].communication;
        waiting += times->ranks[i].waiting;
    }
    const double all = fmax(times->seconds * (double)times->rank_count, 1e-300);
    ft_print_wrapped(
        stream, 0,
        "Ranks compute %s of the time, communicate %s and wait for each other %s; "
        "load imbalance %s (the longest computation above the mean).\n",
        ft_text_share(texts[0], computation / all), ft_text_share(texts[1], communication / all),
        ft_text_share(texts[2], waiting / all), ft_text_percent(texts[3], times->imbalance));
}

/* "6 accesses of files with 4 MiB". */
static const char *accesses_text(char text[ACCESSES_TEXT], const struct file_accesses *sum)
{
    char count[FT_NUMBER_TEXT], bytes[FT_NUMBER_TEXT];
    snprintf(text, ACCESSES_TEXT, "%s access%s of files with %s",
             ft_text_count(count, (double)sum->count), sum->count == 1 ? "" : "es",
             ft_text_bytes(bytes, (double)sum->bytes));
    return text;
}

/* What files take, or that it is left out. */
static void print_files(const struct ft_ranks_report *report, FILE *stream)
{
    const struct file_accesses sum = accesses_of(report), lacking = accesses_without_laws(report);
    char text[ACCESSES_TEXT], seconds[FT_NUMBER_TEXT];
    if (sum.count > 0 && ft_network_has_storage(report->network))
        ft_print_wrapped(
            stream, 0,
            "I/O: %s, by ranks that share the file system; %s of it on the critical path.\n",
            accesses_text(text, &sum), ft_text_seconds(seconds, report->times->path_files));
    else if (sum.count > 0)
        ft_print_wrapped(stream, 0, "I/O is left out: %s; the network file has no storage.\n",
                         accesses_text(text, &sum));
    if (lacking.count > 0)
        ft_print_wrapped(stream, 0,
                         "I/O by system calls is left out: %s in the captured runs, of which no "
                         "laws are made.\n",
                         accesses_text(text, &lacking));
}

static void print_path(const struct ft_job_times *times, FILE *stream)
{
    char texts[2][FT_NUMBER_TEXT];
    ft_print_wrapped(stream, 0,
                     "Critical path: %s of computation and %s of communication, through %zu "
                     "rank%s in turn.\n\n",
                     ft_text_seconds(texts[0], times->path_computation),
                     ft_text_seconds(texts[1], times->path_communication), times->path_count,
                     times->path_count == 1 ? "" : "s");
}

/* "N=24, P=12". */
static void size_text(const struct ft_ranks_report *report, char *text, size_t bytes)
{
    size_t length = 0;
    for (size_t q = 0; q < report->runs->parameter_count && length < bytes; q++)
        length += (size_t)snprintf(text + length, bytes - length, "%s=%" PRId64 ", ",
                                   report->runs->names[q], report->size->parameters[q]);
    if (length < bytes)
        snprintf(text + length, bytes - length, FT_RANK_COUNT_NAME "=%" PRIu32,
                 report->size->ranks);
}

static void print_forecast(const struct ft_ranks_report *report, FILE *stream)
{
    char size[160], share[FT_NUMBER_TEXT];
    if (!report->runs)
        return;
    size_text(report, size, sizeof size);
    ft_print_wrapped(stream, 0,
                     "Forecast for %s from %zu captured run%s: calls by exact laws; the "
                     "instructions of captured ranks are met within %s.\n",
                     size, report->runs->run_count, report->runs->run_count == 1 ? "" : "s",
                     ft_text_percent(share, report->laws->work_error));
}

int ft_ranks_text(const struct ft_ranks_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_network *network = report->network;
    char text[FT_NUMBER_TEXT];
    ft_print_wrapped(
        stream, 0,
        "%" PRIu32 " rank%s %s on the network %s (%s), %" PRIu32 " a host; computation: %s.\n",
        report->job->size, report->job->size == 1 ? " takes" : "s take",
        ft_text_seconds(text, report->times->seconds), network->name,
        ft_topology_names[network->topology], network->ranks_per_host, report->speeds->source);
    print_forecast(report, stream);
    print_shares(report->times, stream);
    print_files(report, stream);
    print_path(report->times, stream);
    struct ft_table *table = table_of_ranks(report, false);
    if (!table)
        return ft_fail_memory(diag, "a table");
    const int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    if (report->messages->unknown > 0)
        ft_print_wrapped(stream, 0,
                         "\nOf %zu receives it is not known what they received: their waiting "
                         "counts as communication.\n",
                         report->messages->unknown);
    return status;
}

/* ---- CSV and JSON ---- */

int ft_ranks_csv(const struct ft_ranks_report *report, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = table_of_ranks(report, true);
    if (!table)
        return ft_fail_memory(diag, "a table");
    const int status = ft_table_write(table, stream, true, diag);
    ft_table_destroy(table);
    return status;
}

static json_t *path_json(const struct ft_job_times *times)
{
    json_t *path = json_array();
    for (size_t i = 0; i < times->path_count; i++)
        ft_json_append(&path, json_pack("{s:I, s:f, s:f}", "rank", (json_int_t)times->path[i].rank,
                                        "start_seconds", times->path[i].start, "end_seconds",
                                        times->path[i].end));
    return path;
}

static json_t *network_json(const struct ft_network *network)
{
    return json_pack("{s:o, s:o, s:s, s:I, s:s, s:I}", "name", ft_json_text(network->name),
                     "description", ft_json_text(network->description), "topology",
                     ft_topology_names[network->topology], "ranks_per_host",
                     (json_int_t)network->ranks_per_host, "collectives", network->collectives,
                     "eager_limit_bytes", (json_int_t)network->eager_limit_bytes);
}

static json_t *files_json(const struct ft_ranks_report *report)
{
    const struct file_accesses sum = accesses_of(report), lacking = accesses_without_laws(report);
    return json_pack("{s:I, s:I, s:b, s:I, s:I}", "accesses", (json_int_t)sum.count, "bytes",
                     (json_int_t)sum.bytes, "simulated", ft_network_has_storage(report->network),
                     "accesses_without_laws", (json_int_t)lacking.count, "bytes_without_laws",
                     (json_int_t)lacking.bytes);
}

/* null of a captured job. */
static json_t *forecast_json(const struct ft_ranks_report *report)
{
    if (!report->runs)
        return json_null();
    json_t *at = json_object();
    for (size_t q = 0; q < report->runs->parameter_count; q++)
        json_object_set_new(at, report->runs->names[q],
                            json_integer((json_int_t)report->size->parameters[q]));
    json_object_set_new(at, FT_RANK_COUNT_NAME, json_integer((json_int_t)report->size->ranks));
    return json_pack("{s:o, s:I, s:f}", "at", at, "runs", (json_int_t)report->runs->run_count,
                     "instructions_error", report->laws->work_error);
}

/* The trace of a captured rank, or the class of one that is forecast. */
static json_t *rank_json(const struct ft_ranks_report *report, size_t index)
{
    const struct ft_rank_time *rank = &report->times->ranks[index];
    const struct sent sent = sent_by(report, index);
    json_t *object =
        json_pack("{s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "rank",
                  (json_int_t)report->job->ranks[index].rank, "computation_seconds",
                  rank->computation, "communication_seconds", rank->communication,
                  "waiting_seconds", rank->waiting, "io_seconds", rank->files, "end_seconds",
                  rank->end, "path_computation_seconds", rank->on_path, "sent_messages",
                  (json_int_t)sent.messages, "sent_bytes", (json_int_t)sent.bytes);
    if (report->runs)
        return ft_json_merge(
            object, json_pack("{s:I}", "class", (json_int_t)report->classes->of_rank[index]));
    return ft_json_merge(object,
                         json_pack("{s:o}", "trace", ft_json_text(report->job->ranks[index].path)));
}

int ft_ranks_json(const struct ft_ranks_report *report, FILE *stream, struct ft_diag *diag)
{
    const struct ft_job_times *times = report->times;
    json_t *ranks = json_array();
    for (size_t i = 0; i < times->rank_count; i++)
        ft_json_append(&ranks, rank_json(report, i));
    return ft_json_write(
        json_pack("{s:I, s:f, s:f, s:o, s:o, s:f, s:f, s:f, s:o, s:I, s:o, s:o, s:o}", "size",
                  (json_int_t)report->job->size, "seconds", times->seconds, "imbalance",
                  times->imbalance, "computation", ft_json_text(report->speeds->source), "network",
                  network_json(report->network), "path_computation_seconds",
                  times->path_computation, "path_communication_seconds", times->path_communication,
                  "path_io_seconds", times->path_files, "io", files_json(report),
                  "unknown_receives", (json_int_t)report->messages->unknown, "ranks", ranks, "path",
                  path_json(times), "forecast", forecast_json(report)),
        stream, diag);
}
