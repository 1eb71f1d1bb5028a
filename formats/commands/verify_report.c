#include "formats/commands/verify_report.h"

#include <stdio.h>

#include "formats/base/number_text.h"
#include "formats/cli/json.h"
#include "formats/cli/table.h"

/* Chunks that are checked and in use. */
static size_t count_good(const struct ft_verified_trace *verified)
{
    size_t count = 0;
    for (size_t i = 0; i < ft_trace_chunk_count(verified->trace); i++) {
        unsigned kind = ft_trace_chunk(verified->trace, i)->kind;
        count += kind != FT_CHUNK_LOG && kind != FT_CHUNK_DROPPED;
    }
    for (uint32_t thread = 0; thread < ft_trace_thread_count(verified->trace); thread++)
        count += verified->threads[thread].good;
    return count;
}

static int print_threads(const struct ft_verified_trace *verified, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    ft_table_column(table, "thread", "thread", true);
    ft_table_column(table, "log chunks", "chunks", true);
    ft_table_column(table, "records", "records", true);
    ft_table_column(table, "instructions", "instructions", true);
    ft_table_column(table, "accesses", "accesses", true);
    for (uint32_t thread = 0; thread < ft_trace_thread_count(verified->trace); thread++) {
        const struct ft_verified_thread *found = &verified->threads[thread];
        ft_table_count(table, thread);
        ft_table_count(table, (double)found->good);
        ft_table_count(table, (double)found->totals.records);
        ft_table_count(table, (double)found->totals.instructions);
        ft_table_count(table, (double)found->totals.accesses);
    }
    int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

static const char *state_of(const struct ft_verified_trace *verified)
{
    const struct ft_trace *trace = verified->trace;
    return ft_trace_is_complete(trace)                            ? "complete"
           : ft_trace_is_whole(trace) && !verified->damaged_count ? "nothing is missing"
           : verified->damaged_count                              ? "truncated and damaged"
                                                                  : "truncated, the rest is intact";
}

int ft_verified_print(const struct ft_verified_trace *verified, struct ft_diag *diag)
{
    const struct ft_trace *trace = verified->trace;
    char text[FT_NUMBER_TEXT];
    printf("%s: %s; %zu chunks and %s accesses verified\n", ft_trace_path(trace),
           state_of(verified), count_good(verified),
           ft_text_count(text, (double)verified->totals.accesses));
    if (ft_trace_is_complete(trace))
        return FT_OK;
    if (ft_trace_dropped_count(trace))
        printf("%zu more chunks are unusable: damaged, or preceded by a missing one\n",
               ft_trace_dropped_count(trace));
    for (uint32_t thread = 0; thread < ft_trace_thread_count(trace); thread++)
        if (verified->threads[thread].why.status)
            printf("%s; the remaining %zu log chunks are unusable\n",
                   verified->threads[thread].why.message,
                   ft_trace_log_count(trace, thread) - verified->threads[thread].good);
    return print_threads(verified, diag);
}

/* ---- JSON ---- */

static json_t *threads_json(const struct ft_verified_trace *verified)
{
    json_t *list = json_array();
    for (uint32_t thread = 0; thread < ft_trace_thread_count(verified->trace); thread++) {
        const struct ft_verified_thread *found = &verified->threads[thread];
        const size_t lost = ft_trace_log_count(verified->trace, thread) - found->good;
        ft_json_append(
            &list,
            json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "thread", (json_int_t)thread, "chunks",
                      (json_int_t)found->good, "records", (json_int_t)found->totals.records,
                      "instructions", (json_int_t)found->totals.instructions, "accesses",
                      (json_int_t)found->totals.accesses, "unusable_chunks", (json_int_t)lost,
                      "damage", ft_json_text(found->why.status ? found->why.message : NULL)));
    }
    return list;
}

int ft_verified_print_json(const struct ft_verified_trace *verified, const char *copy,
                           struct ft_diag *diag)
{
    const struct ft_trace *trace = verified->trace;
    return ft_json_write(json_pack("{s:s, s:o, s:s, s:b, s:b, s:I, s:I, s:I, s:o, s:o}", "kind",
                                   "trace", "path", ft_json_text(ft_trace_path(trace)), "state",
                                   state_of(verified), "complete", (int)ft_trace_is_complete(trace),
                                   "damaged", verified->damaged_count > 0, "chunks",
                                   (json_int_t)count_good(verified), "unusable_chunks",
                                   (json_int_t)ft_trace_dropped_count(trace), "accesses",
                                   (json_int_t)verified->totals.accesses, "threads",
                                   threads_json(verified), "repaired", ft_json_text(copy)),
                         stdout, diag);
}
