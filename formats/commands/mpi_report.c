/*
 * In order: calls in their order; rows of a job; what a call adds to them; the tables.
 */
#include "formats/commands/mpi_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/bytes.h"
#include "formats/cli/table.h"
#include "formats/commands/mpi_operands.h"
#include "formats/commands/trace_operand.h"

/* ---- calls in their order ---- */

static bool is_rank(uint64_t key)
{
    return key == FT_MPI_KEY_DESTINATION || key == FT_MPI_KEY_SOURCE || key == FT_MPI_KEY_ROOT ||
           key == FT_MPI_KEY_MATCHED_SOURCE;
}

static bool is_tag(uint64_t key)
{
    return key == FT_MPI_KEY_SENT_TAG || key == FT_MPI_KEY_RECEIVED_TAG ||
           key == FT_MPI_KEY_MATCHED_TAG;
}

/* The value of a detail as MPI has it: a number, or a word for what stands for none or any. */
static void value_text(uint64_t key, uint64_t value, char *text, size_t bytes)
{
    if (is_rank(key) && value < 2)
        snprintf(text, bytes, "%s", value == FT_MPI_NOBODY ? "none" : "any");
    else if (is_rank(key))
        snprintf(text, bytes, "%" PRIu64, value - 2);
    else if (is_tag(key) && value == 0)
        snprintf(text, bytes, "any");
    else if (key == FT_MPI_KEY_COLOUR && value == 0)
        snprintf(text, bytes, "none");
    else if (is_tag(key) || key == FT_MPI_KEY_COLOUR)
        snprintf(text, bytes, "%" PRIu64, value - 1);
    else if (key == FT_MPI_KEY_ORDER || key == FT_MPI_KEY_GROUP_RANGE)
        snprintf(text, bytes, "%" PRId64, (int64_t)ft_unzigzag(value));
    else if (key == FT_MPI_KEY_REQUEST)
        snprintf(text, bytes, "0x%" PRIx64, value);
    else
        snprintf(text, bytes, "%" PRIu64, value);
}

void ft_mpi_details_print(const uint64_t *details, size_t count, FILE *stream)
{
    char text[32];
    for (size_t i = 0; i < count; i += 2) {
        value_text(details[i], details[i + 1], text, sizeof text);
        fprintf(stream, " %s=%s", ft_mpi_key_name(details[i]), text);
    }
}

static void print_call(const struct ft_mpi_timeline *timeline, const struct ft_mpi_call *call,
                       FILE *stream)
{
    fprintf(stream, "thread %" PRIu32 " at %" PRIu64 " %s", call->thread, call->instructions,
            call->name);
    ft_mpi_details_print(timeline->details + call->first_detail, call->detail_count, stream);
    if (!call->function)
        fprintf(stream, " (by name only)");
    if (!call->has_returned)
        fprintf(stream, " (has not returned)");
    else if (call->result && strncmp(call->name, "MPI_Wt", 6) != 0)
        fprintf(stream, " (failed: %" PRId32 ")", call->result);
    fputc('\n', stream);
}

static int print_call_json(const struct ft_mpi_timeline *timeline, const struct ft_mpi_call *call,
                           FILE *stream, struct ft_diag *diag)
{
    const uint64_t *details = timeline->details + call->first_detail;
    json_t *list = json_array();
    char text[32];
    for (size_t i = 0; i < call->detail_count; i += 2) {
        value_text(details[i], details[i + 1], text, sizeof text);
        ft_json_append(&list,
                       json_pack("{s:s, s:s}", "name", ft_mpi_key_name(details[i]), "value", text));
    }
    json_t *object = json_pack(
        "{s:I, s:I, s:s, s:b, s:b, s:i, s:o}", "thread", (json_int_t)call->thread, "instructions",
        (json_int_t)call->instructions, "function", call->name, "known", call->function != NULL,
        "has_returned", call->has_returned, "result", (int)call->result, "details", list);
    return ft_json_write_line(object, stream, diag);
}

int ft_mpi_calls_print(struct ft_trace *trace, bool json, FILE *stream, struct ft_diag *diag)
{
    struct ft_mpi_timeline timeline;
    FT_TRY(ft_mpi_timeline_read(trace, &timeline, diag));
    int status = FT_OK;
    for (size_t i = 0; i < timeline.count && status == FT_OK && ft_stdout_is_open(); i++) {
        if (json)
            status = print_call_json(&timeline, &timeline.calls[i], stream, diag);
        else
            print_call(&timeline, &timeline.calls[i], stream);
    }
    ft_mpi_timeline_fini(&timeline);
    return status;
}

/* ---- rows ---- */

struct row {
    const struct ft_mpi_rank *rank;
    const char *name; /* of the function */
    uint64_t communicator, peer;
    bool has_communicator, has_peer;
    uint64_t calls, sends, receives, sent_bytes, received_bytes;
    uint64_t unfinished; /* messages that were started and not seen to be complete */
    uint64_t unknown;    /* calls or messages whose bytes are not known */
};

struct rows {
    struct row *items;
    size_t count, capacity;
    const struct ft_mpi_rank *rank; /* at hand */
    bool is_out_of_memory;
};

static struct row *find_row(struct rows *rows, const struct row *like)
{
    static struct row spare;
    for (size_t i = rows->count; i-- > 0 && rows->items[i].rank == like->rank;) {
        const struct row *row = &rows->items[i];
        if (strcmp(row->name, like->name) == 0 && row->communicator == like->communicator &&
            row->has_peer == like->has_peer && row->peer == like->peer)
            return &rows->items[i];
    }
    if (!FT_RESERVE(rows->items, rows->capacity, rows->count + 1)) {
        rows->is_out_of_memory = true;
        return &spare;
    }
    rows->items[rows->count] = *like;
    return &rows->items[rows->count++];
}

static struct row *row_of_call(struct rows *rows, const struct ft_mpi_call *call,
                               const uint64_t *peer)
{
    struct row row = {.rank = rows->rank, .name = call->name};
    row.has_communicator = ft_mpi_call_detail(&rows->rank->timeline, call, FT_MPI_KEY_COMMUNICATOR,
                                              0, &row.communicator);
    row.has_peer = peer != NULL;
    row.peer = peer ? *peer : 0;
    return find_row(rows, &row);
}

/* ---- what calls add ---- */

static void add_message(void *context, const struct ft_mpi_message *message)
{
    struct rows *rows = context;
    const struct ft_mpi_call *call = &rows->rank->timeline.calls[message->call];
    struct row *row = row_of_call(rows, call, &message->peer);
    if (message->peer == FT_MPI_NOBODY)
        return;
    *(message->is_sent ? &row->sends : &row->receives) += 1;
    *(message->is_sent ? &row->sent_bytes : &row->received_bytes) += message->bytes;
    row->unfinished += !message->is_complete;
    row->unknown += !message->has_bytes;
}

/* What a rank gives to a collective and gets from it: of arguments that only the root's call has,
 * that one's. */
static void add_collective(struct rows *rows, const struct ft_mpi_call *call)
{
    struct row *row = row_of_call(rows, call, NULL);
    struct ft_mpi_collective collective;
    ft_mpi_collective_read(rows->rank, call, &collective);
    uint64_t sent = collective.sent_bytes, received = collective.received_bytes;
    const bool each = !collective.has_counts;
    const bool gathers = strstr(collective.name, "gather") != NULL;
    const bool scatters = strstr(collective.name, "scatter") != NULL;
    const bool exchanges = strncmp(collective.name, "alltoall", 8) == 0;
    if (each && (gathers || exchanges))
        received *= collective.size;
    if (each && (scatters || exchanges))
        sent *= collective.size;
    if (strcmp(collective.name, "bcast") == 0) {
        received = collective.is_root ? 0 : sent;
        sent = collective.is_root ? sent : 0;
    } else if (collective.has_root && !collective.is_root) {
        *(scatters ? &sent : &received) = 0;
    }
    row->calls++;
    row->sent_bytes += sent;
    row->received_bytes += received;
    row->unknown += collective.has_unknown_bytes ||
                    (each && (gathers || scatters || exchanges) && collective.size == 0);
}

/* What it writes is sent, what it reads received. */
static void add_file_call(struct rows *rows, const struct ft_mpi_call *call)
{
    const struct ft_mpi_timeline *timeline = &rows->rank->timeline;
    struct row *row = row_of_call(rows, call, NULL);
    struct ft_file_access access;
    uint64_t elements;
    row->calls++;
    if (ft_mpi_call_file_access(timeline, call, &access))
        *(access.writes ? &row->sent_bytes : &row->received_bytes) += access.bytes;
    else
        row->unknown += ft_mpi_call_detail(timeline, call, FT_MPI_KEY_UNKNOWN_BYTES, 0, &elements);
}

static void add_call(struct rows *rows, const struct ft_mpi_call *call)
{
    const struct ft_mpi_timeline *timeline = &rows->rank->timeline;
    uint64_t peer;
    unsigned class = call->function ? call->function->class : FT_MPI_OTHER;
    if (class == FT_MPI_COLLECTIVE) {
        add_collective(rows, call);
    } else if (class == FT_MPI_FILE) {
        add_file_call(rows, call);
    } else if (class == FT_MPI_POINT_TO_POINT) {
        bool has_peer = ft_mpi_call_detail(timeline, call, FT_MPI_KEY_DESTINATION, 0, &peer) ||
                        ft_mpi_call_detail(timeline, call, FT_MPI_KEY_MATCHED_SOURCE, 0, &peer) ||
                        ft_mpi_call_detail(timeline, call, FT_MPI_KEY_SOURCE, 0, &peer);
        row_of_call(rows, call, has_peer ? &peer : NULL)->calls++;
    } else {
        row_of_call(rows, call, NULL)->calls++;
    }
}

static int add_rank(struct rows *rows, const struct ft_mpi_rank *rank, struct ft_diag *diag)
{
    rows->rank = rank;
    for (size_t i = 0; i < rank->timeline.count; i++)
        add_call(rows, &rank->timeline.calls[i]);
    FT_TRY(ft_mpi_timeline_messages(&rank->timeline, add_message, rows, diag));
    return rows->is_out_of_memory ? ft_fail_memory(diag, "the calls of a job") : FT_OK;
}

/* ---- tables ---- */

static void peer_cell(struct ft_table *table, const struct row *row)
{
    if (!row->has_peer) {
        ft_table_empty(table);
    } else if (row->peer < 2) {
        ft_table_text(table, row->peer == FT_MPI_NOBODY ? "none" : "any");
    } else {
        uint32_t world = ft_mpi_world_rank(row->rank, row->communicator, row->peer - 2);
        if (world == FT_MPI_NO_RANK) /* its number in the communicator */
            ft_table_format(table, "(%" PRIu64 ")", row->peer - 2);
        else
            ft_table_count(table, world);
    }
}

static struct ft_table *table_of_rows(const struct rows *rows)
{
    struct ft_table *table = ft_table_create();
    char name[96];
    if (!table)
        return NULL;
    ft_table_column(table, "rank", "rank", true);
    ft_table_column(table, "function", "function", false);
    ft_table_column(table, "in", "communicator", false);
    ft_table_column(table, "peer", "peer", true);
    ft_table_column(table, "calls", "calls", true);
    ft_table_column(table, "sent", "sent_messages", true);
    ft_table_column(table, "bytes", "sent_bytes", true);
    ft_table_column(table, "received", "received_messages", true);
    ft_table_column(table, "bytes", "received_bytes", true);
    ft_table_column(table, "unfinished", "unfinished_messages", true);
    ft_table_column(table, "unknown", "unknown_bytes", true);
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->items[i];
        ft_table_count(table, row->rank->rank);
        ft_table_text(table, row->name);
        if (row->has_communicator) {
            ft_mpi_communicator_name(row->rank, row->communicator, name, sizeof name);
            ft_table_text(table, name);
        } else {
            ft_table_empty(table);
        }
        peer_cell(table, row);
        ft_table_count(table, (double)row->calls);
        ft_table_count(table, (double)row->sends);
        ft_table_bytes(table, (double)row->sent_bytes);
        ft_table_count(table, (double)row->receives);
        ft_table_bytes(table, (double)row->received_bytes);
        ft_table_count(table, (double)row->unfinished);
        ft_table_count(table, (double)row->unknown);
    }
    return table;
}

static struct ft_table *table_of_ranks(const struct ft_mpi_job *job)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return NULL;
    ft_table_column(table, "rank", "rank", true);
    ft_table_column(table, "MPI calls", "calls", true);
    ft_table_column(table, "by name only", "calls_by_name", true);
    ft_table_column(table, "instructions outside", "instructions", true);
    ft_table_column(table, "at the end", "end", false);
    ft_table_column(table, "trace", "trace", false);
    for (size_t i = 0; i < job->rank_count; i++) {
        const struct ft_mpi_rank *rank = &job->ranks[i];
        const struct ft_mpi_timeline *timeline = &rank->timeline;
        size_t unknown = 0;
        const char *open = NULL;
        for (size_t c = 0; c < timeline->count; c++) {
            unknown += timeline->calls[c].function == NULL;
            if (!timeline->calls[c].has_returned)
                open = timeline->calls[c].name;
        }
        ft_table_count(table, rank->rank);
        ft_table_count(table, (double)timeline->count);
        ft_table_count(table, (double)unknown);
        ft_table_count(table, (double)timeline->instructions);
        if (open)
            ft_table_format(table, "in %s", open);
        else
            ft_table_text(table, rank->is_whole ? "complete" : "cut off");
        ft_table_text(table, rank->path);
    }
    return table;
}

static int print_job(const struct ft_mpi_job *job, const struct rows *rows, bool csv, bool json,
                     FILE *stream, struct ft_diag *diag)
{
    struct ft_table *ranks = table_of_ranks(job), *calls = table_of_rows(rows);
    int status = FT_OK;
    if (!ranks || !calls)
        status = ft_fail_memory(diag, "a table");
    else if (json)
        status = ft_json_write(json_pack("{s:I, s:o, s:o}", "size", (json_int_t)job->size, "ranks",
                                         ft_table_json(ranks), "calls", ft_table_json(calls)),
                               stream, diag);
    else if (csv)
        status = ft_table_write(calls, stream, true, diag);
    else
        status = ft_table_write(ranks, stream, false, diag);
    if (status == FT_OK && !csv && !json) {
        if (job->rank_count < job->size)
            fprintf(stream, "\n%zu of the %" PRIu32 " ranks were given\n", job->rank_count,
                    job->size);
        fputc('\n', stream);
        status = ft_table_write(calls, stream, false, diag);
    }
    ft_table_destroy(ranks);
    ft_table_destroy(calls);
    return status;
}

int ft_mpi_job_print(const struct ft_arguments *arguments, bool csv, bool json, FILE *stream,
                     struct ft_diag *diag)
{
    struct ft_mpi_operands operands;
    struct rows rows = {0};
    FT_TRY(ft_mpi_operands_open(arguments, false, &operands, diag));
    const struct ft_mpi_job *job = &operands.job;
    int status = FT_OK;
    for (size_t i = 0; i < job->rank_count && status == FT_OK; i++)
        status = add_rank(&rows, &job->ranks[i], diag);
    if (status == FT_OK)
        status = print_job(job, &rows, csv, json, stream, diag);
    free(rows.items);
    ft_mpi_operands_close(&operands);
    return status;
}
