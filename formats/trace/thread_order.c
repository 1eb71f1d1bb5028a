#include "formats/trace/thread_order.h"

#include <stdlib.h>

#include "formats/base/array.h"
#include "formats/trace/record_walk.h"
#include "formats/trace/trace_reader.h"

/* Clocks of two sockets may differ by a little: time does not advance then. */
static int add_timestamp(struct ft_thread_timestamps *thread, uint64_t time, struct ft_diag *diag)
{
    if (!FT_RESERVE(thread->timestamps, thread->capacity, thread->count + 1))
        return ft_fail_memory(diag, "timestamps");
    if (thread->count && thread->timestamps[thread->count - 1].time > time)
        time = thread->timestamps[thread->count - 1].time;
    thread->timestamps[thread->count++] = (struct ft_timestamp){thread->accesses, time};
    return FT_OK;
}

struct reading {
    unsigned content; /* enum ft_run_content */
    struct ft_thread_timestamps *thread;
};

static int visit(void *context, const struct ft_walked_record *walked, struct ft_diag *diag)
{
    const struct reading *reading = context;
    struct ft_thread_timestamps *thread = reading->thread;
    const struct ft_record *record = walked->record;
    thread->accesses += reading->content & FT_RUN_ACCESSES ? walked->accesses : 0;
    thread->accesses += reading->content & FT_RUN_FETCHES ? walked->instructions : 0;
    bool is_timestamp = record->unit == 0 && record->escape == FT_ESCAPE_TIMESTAMP;
    return is_timestamp ? add_timestamp(thread, record->values[0], diag) : FT_OK;
}

int ft_thread_order_read(const struct ft_trace *trace, unsigned content,
                         struct ft_thread_order *ret_order, struct ft_diag *diag)
{
    struct ft_thread_order order = {.thread_count = ft_trace_thread_count(trace)};
    struct ft_record_walk *walk = NULL;
    order.threads = calloc(order.thread_count + 1U, sizeof *order.threads);
    int status = order.threads ? FT_OK : ft_fail_memory(diag, "timestamps");
    if (!status)
        status = ft_record_walk_create(trace, &walk, diag);
    for (uint32_t t = 0; !status && t < order.thread_count; t++) {
        struct reading reading = {content, &order.threads[t]};
        for (size_t i = 0; !status && i < ft_trace_log_count(trace, t); i++)
            status = ft_record_walk_chunk(walk, t, i, visit, &reading, diag);
    }
    ft_record_walk_destroy(walk);
    if (status)
        ft_thread_order_fini(&order);
    else
        *ret_order = order;
    return status;
}

void ft_thread_order_fini(struct ft_thread_order *order)
{
    for (uint32_t t = 0; order->threads && t < order->thread_count; t++)
        free(order->threads[t].timestamps);
    free(order->threads);
    *order = (struct ft_thread_order){0};
}
