#include "engine/commands/replay/summary.h"

#include <stdlib.h>

#include "formats/cli/table.h"
#include "formats/commands/data_histograms_report.h"
#include "formats/commands/pairs_report.h"

/* What is missing of runs of which only windows were recorded. */
static void print_gaps(const struct ft_replay_task *task, FILE *stream)
{
    size_t count = 0;
    for (size_t i = 0; i < task->job_count; i++)
        count += task->jobs[i].has_windows;
    if (count)
        fprintf(stream,
                "\n%zu of these traces %s windows only: what ran outside of them is left out, and\n"
                "distances from one window to the next count as if it had not run\n",
                count, count == 1 ? "has" : "have");
}

static void print_skeletons(const struct ft_replay_task *task, FILE *stream)
{
    for (size_t i = 0; i < task->job_count; i++)
        if (task->jobs[i].skeleton_diag.message[0])
            fprintf(stream, "\n%s: no skeleton: %s\n", task->jobs[i].path,
                    task->jobs[i].skeleton_diag.message);
}

#define PAIRS_SHOWN 10U
#define DATA_SHOWN  10U

static int print_data(const struct ft_replay_task *task, FILE *stream, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; !status && i < task->job_count; i++)
        status = ft_data_histograms_print(&task->jobs[i].entry, task->jobs[i].path, DATA_SHOWN,
                                          stream, diag);
    return status;
}

static int print_pairs(const struct ft_replay_task *task, FILE *stream, struct ft_diag *diag)
{
    int status = FT_OK;
    for (size_t i = 0; !status && i < task->job_count; i++)
        status =
            ft_pairs_print(&task->jobs[i].entry, task->jobs[i].path, PAIRS_SHOWN, stream, diag);
    return status;
}

#define TITLE_TEXT (FT_NUMBER_TEXT + 16)

/* Of the column with distinct blocks: they are counted for the smallest size. */
static void title_blocks(const struct ft_replay_task *task, char title[TITLE_TEXT])
{
    char bytes[FT_NUMBER_TEXT];
    ft_text_bytes(bytes, (double)task->options.sizes.bytes[0]);
    snprintf(title, TITLE_TEXT, "blocks of %s", bytes);
}

/* A row for each stack of the traces that have several. */
static int print_stacks(const struct ft_replay_task *task, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    bool any = false;
    if (!table)
        return ft_fail_memory(diag, "a table");
    char title[TITLE_TEXT];
    title_blocks(task, title);
    ft_table_column(table, "trace", "trace", false);
    ft_table_column(table, "threads", "threads", false);
    ft_table_column(table, "LRU stack", "stack", false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, title, "distinct_blocks", true);
    for (size_t i = 0; i < task->job_count; i++)
        for (size_t k = 0; k < task->jobs[i].entry.stack_count; k++) {
            const struct ft_histogram_stack *stack = &task->jobs[i].entry.stacks[k];
            uint64_t accesses = 0;
            for (size_t r = 0; r < stack->reference_count; r++)
                accesses += stack->reference_accesses[r];
            any = true;
            ft_table_text(table, task->jobs[i].path);
            ft_table_text(table, stack->threads);
            ft_table_text(table, stack->kind);
            ft_table_count(table, (double)accesses);
            ft_table_count(table, (double)stack->distinct_blocks[0]);
        }
    if (any)
        fputc('\n', stream);
    int status = any ? ft_table_write(table, stream, false, diag) : FT_OK;
    ft_table_destroy(table);
    return status;
}

/* Where memory decided how it went. */
static void print_memory(const struct ft_replay_task *task, FILE *stream)
{
    for (size_t i = 0; i < task->job_count; i++) {
        const struct ft_replay_job *job = &task->jobs[i];
        if (job->report.pass_count > 1)
            fprintf(stream, "\n%s: %u passes, as the block sizes do not fit into --mem together\n",
                    job->path, job->report.pass_count);
        if (job->report.is_sparse)
            fprintf(stream,
                    "\n%s: touches its memory sparsely, which takes more memory per block\n",
                    job->path);
    }
}

/* Times that the state was to be written, to no avail. */
static void print_save_failures(const struct ft_replay_task *task, FILE *stream)
{
    if (task->save_failures)
        fprintf(stream, "\nthe state was not written %u times: %s\n", task->save_failures,
                task->save_diag.message);
}

int ft_replay_summary(const struct ft_replay_task *task, FILE *stream, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    char title[TITLE_TEXT], bytes[FT_NUMBER_TEXT];
    title_blocks(task, title);
    ft_table_column(table, "trace", "trace", false);
    ft_table_column(table, "accesses", "accesses", true);
    ft_table_column(table, "references", "references", true);
    ft_table_column(table, title, "distinct_blocks", true);
    ft_table_column(table, "memory", "memory_bytes", true);
    ft_table_column(table, "CPU time", "cpu_seconds", true);
    ft_table_column(table, "accesses/s", "accesses_per_second", true);
    for (size_t i = 0; i < task->job_count; i++) {
        const struct ft_replay_job *job = &task->jobs[i];
        double accesses = 0;
        for (size_t r = 0; r < job->entry.reference_count; r++)
            accesses += (double)job->entry.reference_accesses[r];
        ft_table_text(table, job->path);
        ft_table_count(table, accesses);
        ft_table_count(table, (double)job->entry.reference_count);
        ft_table_count(table, (double)job->entry.distinct_blocks[0]);
        ft_text_bytes(bytes, (double)job->report.memory_bytes);
        ft_table_text(table, bytes);
        ft_table_seconds(table, job->seconds);
        ft_table_count(table, job->seconds > 0 ? accesses / job->seconds : 0);
    }
    int status = ft_table_write(table, stream, false, diag);
    ft_table_destroy(table);
    if (!status)
        status = print_stacks(task, stream, diag);
    if (!status)
        status = print_pairs(task, stream, diag);
    if (!status)
        status = print_data(task, stream, diag);
    if (status)
        return status;
    print_gaps(task, stream);
    print_skeletons(task, stream);
    print_memory(task, stream);
    print_save_failures(task, stream);
    return FT_OK;
}
