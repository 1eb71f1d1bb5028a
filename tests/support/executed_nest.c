#include "tests/support/executed_nest.h"

#include <stdlib.h>

#include "engine/skeleton/nest_source.h"
#include "formats/base/array.h"

static void check(int status)
{
    if (status)
        abort();
}

void executed_nest_start(struct executed_nest *executed)
{
    *executed = (struct executed_nest){0};
    check(ft_nest_builder_create(EXECUTED_IDS, EXECUTED_IDS, &executed->builder, &executed->diag));
    ft_nest_builder_limit(executed->builder, SIZE_MAX / 64); /* nothing is irregular */
}

void executed_enter(struct executed_nest *executed, uint32_t loop)
{
    executed->level++;
    check(ft_nest_builder_enter(executed->builder, FT_NEST_LOOP, loop, &executed->diag));
}

void executed_call(struct executed_nest *executed, uint32_t routine)
{
    executed->level++;
    check(ft_nest_builder_enter(executed->builder, FT_NEST_ROUTINE, routine, &executed->diag));
}

void executed_iterate(struct executed_nest *executed)
{
    check(ft_nest_builder_iterate(executed->builder, &executed->diag));
}

void executed_leave(struct executed_nest *executed)
{
    check(ft_nest_builder_leave(executed->builder, --executed->level, &executed->diag));
}

void executed_access(struct executed_nest *executed, uint32_t reference, uint64_t address)
{
    if (!FT_RESERVE(executed->accesses, executed->capacity, executed->count + 1))
        abort();
    executed->accesses[executed->count++] = (struct executed_access){reference, address};
    check(ft_nest_builder_access(executed->builder, reference, address, &executed->diag));
}

void executed_nest_end(struct executed_nest *executed, struct ft_thread_skeleton *ret_thread)
{
    check(ft_nest_builder_end(executed->builder, ret_thread, &executed->diag));
    ft_nest_builder_destroy(executed->builder);
    executed->builder = NULL;
}

void executed_nest_fini(struct executed_nest *executed)
{
    free(executed->accesses);
    *executed = (struct executed_nest){0};
}

bool executed_nest_is_made(const struct executed_nest *executed, const struct ft_nest *nest)
{
    const struct ft_reference references[EXECUTED_IDS] = {{0}};
    const struct ft_nest_source_options options = {.references = references,
                                                   .reference_count = EXECUTED_IDS};
    struct ft_run_source *source;
    struct ft_run_batch batch;
    size_t count = 0;
    bool same = true;
    check(ft_nest_source_create(nest, &options, &source, NULL));
    while (same && !source->next(source, &batch, NULL) && batch.run_count)
        for (size_t r = 0; r < batch.run_count; r++)
            for (uint64_t i = 0; i < batch.runs[r].iteration_count; i++)
                for (uint32_t e = 0; same && e < batch.runs[r].reference_count; e++, count++) {
                    const size_t at = batch.runs[r].first + e;
                    same = count < executed->count &&
                           executed->accesses[count].reference == batch.references[at] &&
                           executed->accesses[count].address ==
                               batch.addresses[at] + i * (uint64_t)batch.strides[at];
                }
    source->destroy(source);
    return same && count == executed->count;
}
