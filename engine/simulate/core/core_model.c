#include "engine/simulate/core/core_model.h"

#include <math.h>

static double line_cycles(double line_bytes, double bytes_per_cycle)
{
    return bytes_per_cycle > 0 ? line_bytes / bytes_per_cycle : 0;
}

/* Vectors get the most out of a level. */
static struct ft_core_source source_of(const struct ft_speed *speed, double latency_cycles,
                                       const struct ft_level *first)
{
    const double line = (double)first->block_bytes;
    const double loads = fmax(speed->load_bytes_per_cycle, speed->vector_bytes_per_cycle);
    return (struct ft_core_source){
        .more_cycles = llround(fmax(latency_cycles - first->latency_cycles, 0)),
        .load_line_cycles = line_cycles(line, loads),
        .store_line_cycles = line_cycles(line, speed->store_bytes_per_cycle),
    };
}

static int check(const struct ft_core *core, const struct ft_machine *machine, struct ft_diag *diag)
{
    if (core->form_count == 0)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "machine %s has no core file (machines/cores/): --core simulates "
                       "out-of-order cores that have one",
                       machine->name);
    if (machine->cache_count == 0 || machine->cache_count >= FT_CORE_SOURCES_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "machine %s has %zu caches: --core needs 1 to %d", machine->name,
                       machine->cache_count, FT_CORE_SOURCES_MAX - 1);
    return FT_OK;
}

int ft_core_model_make(const struct ft_core *core, const struct ft_machine *machine,
                       struct ft_core_model *ret_model, struct ft_diag *diag)
{
    FT_TRY(check(core, machine, diag));
    const struct ft_level *first = &machine->levels[0];
    *ret_model = (struct ft_core_model){
        .dispatch_milli = llround(core->dispatch * 1000),
        .fetch = (uint32_t)core->fetch,
        .taken_branches = (uint32_t)core->taken_branches,
        .retire = core->retire,
        .op_cache = core->op_cache,
        .window = core->window,
        .load_buffer = core->load_buffer,
        .store_buffer = core->store_buffer,
        .miss_buffers = core->miss_buffers,
        .page_walks = core->page_walks,
        .mispredict_cycles = llround(core->mispredict_cycles),
        .commits_lines = core->commit_group != FT_NO_GROUP,
        .port_count = core->port_count,
        .source_count = (uint32_t)machine->cache_count + 1,
    };
    for (size_t c = 1; c < machine->cache_count; c++)
        ret_model->sources[c] =
            source_of(&machine->levels[c].speed, machine->levels[c].latency_cycles, first);
    ret_model->sources[machine->cache_count] =
        source_of(&machine->memory_speed, machine->memory_latency_cycles, first);
    return FT_OK;
}
