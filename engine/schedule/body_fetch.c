/*
 * How long the op cache takes for a body, by where its code lies.
 */
#include <stdlib.h>

#include "engine/schedule/body_building.h"
#include "engine/schedule/fetch_cycles.h"

/* Runs of a body's code, while they are found. */
struct runs {
    struct ft_fetch_run *items;
    uint32_t count;
    uint64_t window; /* of the last */
    bool is_target;  /* a taken branch leads to what comes next */
};

static void add_to_run(struct runs *runs, uint64_t window)
{
    if (runs->is_target || window != runs->window)
        runs->items[runs->count++] = (struct ft_fetch_run){.is_target = runs->is_target};
    struct ft_fetch_run *run = &runs->items[runs->count - 1];
    run->instruction_count++;
    run->falls_through = true;
    runs->is_target = false;
    runs->window = window;
}

/* The branch that closes a body leads to its beginning. */
static void find_runs(const struct ft_body_builder *builder, struct runs *runs)
{
    const uint64_t window_bytes = builder->body->core->op_cache.window_bytes;
    for (uint32_t i = 0; i < builder->path->count; i++) {
        const struct ft_body_code *first = &builder->path->code[i];
        i += ft_body_is_fused(builder, i);
        const struct ft_body_code *last = &builder->path->code[i];
        const uint64_t window = first->pc / window_bytes;
        const uint64_t end = (last->pc + last->length - 1) / window_bytes;
        const bool branches = builder->instructions[i].instruction.flow != FT_FLOW_NEXT;
        add_to_run(runs, window);
        if (branches && end != window)
            add_to_run(runs, end);
        if (last->taken || i + 1 == builder->path->count) {
            runs->items[runs->count - 1].falls_through = false;
            runs->is_target = true;
        }
    }
}

bool ft_body_find_fetch_cycles(struct ft_body_builder *builder)
{
    struct ft_body *body = builder->body;
    if (body->core->op_cache.window_bytes == 0 || builder->path->count == 0)
        return true;
    struct runs runs = {.items = calloc(2 * (size_t)builder->path->count, sizeof *runs.items),
                        .is_target = true};
    if (!runs.items)
        return false;
    find_runs(builder, &runs);
    body->fetch_cycles = ft_fetch_loop_cycles(&body->core->op_cache, runs.items, runs.count);
    free(runs.items);
    return true;
}
