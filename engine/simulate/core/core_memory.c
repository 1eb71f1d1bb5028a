#include "engine/simulate/core/core_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LINES_MIN 256U

static size_t place_of(const struct ft_core_memory *memory, uint64_t line)
{
    return (size_t)((line * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (memory->line_capacity - 1);
}

/* The place of a line, or the empty one behind. */
static struct ft_line_under_way *find_line(const struct ft_core_memory *memory, uint64_t line)
{
    size_t place = place_of(memory, line);
    while (memory->lines[place].arrival > 0 && memory->lines[place].line != line)
        place = (place + 1) & (memory->line_capacity - 1);
    return &memory->lines[place];
}

/* Forgets what has arrived; grows where most has not. */
static bool sweep(struct ft_core_memory *memory, int64_t now)
{
    const struct ft_core_memory old = *memory;
    size_t left = 0;
    for (size_t i = 0; i < old.line_capacity; i++)
        left += old.lines[i].arrival > now;
    memory->line_capacity =
        4 * left > old.line_capacity ? 2 * old.line_capacity : old.line_capacity;
    memory->lines = calloc(memory->line_capacity, sizeof *memory->lines);
    if (!memory->lines) {
        *memory = old;
        return false;
    }
    for (size_t i = 0; i < old.line_capacity; i++)
        if (old.lines[i].arrival > now)
            *find_line(memory, old.lines[i].line) = old.lines[i];
    memory->line_count = left;
    free(old.lines);
    return true;
}

static bool add_line(struct ft_core_memory *memory, const struct ft_line_under_way *line,
                     int64_t now)
{
    if (2 * memory->line_count >= memory->line_capacity && !sweep(memory, now))
        return false;
    struct ft_line_under_way *place = find_line(memory, line->line);
    memory->line_count += place->arrival == 0;
    *place = *line;
    return true;
}

static int64_t *first_free(int64_t *servers, uint32_t count)
{
    int64_t *best = servers;
    for (uint32_t i = 1; i < count; i++)
        if (servers[i] < *best)
            best = &servers[i];
    return best;
}

static int64_t translate(struct ft_core_memory *memory, const struct ft_executed_access *access,
                         int64_t now)
{
    if (!access->walks)
        return now + access->tlb_cycles;
    int64_t *walker = first_free(memory->walkers, memory->model->page_walks);
    *walker = (*walker > now ? *walker : now) + access->tlb_cycles;
    return *walker;
}

/* A line from beyond the first cache: when it is there. */
static int64_t get_line(struct ft_core_memory *memory, const struct ft_executed_access *access,
                        int64_t now, int64_t latency_cycles)
{
    const struct ft_core_source *source = &memory->model->sources[access->source];
    int64_t *buffer = first_free(memory->buffers, memory->model->miss_buffers);
    const double begin =
        fmax((double)(*buffer > now ? *buffer : now), memory->source_free[access->source]);
    memory->source_free[access->source] =
        begin + (access->stores ? source->store_line_cycles : source->load_line_cycles);
    *buffer = (int64_t)ceil(begin) + latency_cycles + source->more_cycles;
    return *buffer;
}

bool ft_core_memory_prefetch(struct ft_core_memory *memory, const struct ft_executed_access *access,
                             int64_t now, int64_t latency_cycles)
{
    const struct ft_core_source *source = &memory->model->sources[access->source];
    if (find_line(memory, access->line)->arrival > now || access->source == 0)
        return true;
    const double begin = fmax((double)now, memory->source_free[access->source]);
    memory->source_free[access->source] = begin + source->load_line_cycles;
    const struct ft_line_under_way coming = {
        access->line, (int64_t)ceil(begin) + latency_cycles + source->more_cycles, access->source};
    return add_line(memory, &coming, now);
}

bool ft_core_memory_access(struct ft_core_memory *memory, const struct ft_executed_access *access,
                           int64_t now, int64_t latency_cycles, struct ft_arrival *ret_arrival)
{
    const int64_t translated = translate(memory, access, now);
    const int64_t hit = translated + latency_cycles;
    const struct ft_line_under_way *line = find_line(memory, access->line);
    *ret_arrival = (struct ft_arrival){.cycle = hit, .tlb_cycle = translated};
    if (line->arrival > hit) {
        ret_arrival->cycle = line->arrival;
        ret_arrival->source = line->source;
        return true;
    }
    if (access->source == 0)
        return true;
    ret_arrival->cycle = get_line(memory, access, translated, latency_cycles);
    ret_arrival->source = access->source;
    const struct ft_line_under_way coming = {access->line, ret_arrival->cycle, access->source};
    return add_line(memory, &coming, now);
}

void ft_core_memory_reset(struct ft_core_memory *memory)
{
    memset(memory->buffers, 0, memory->model->miss_buffers * sizeof *memory->buffers);
    memset(memory->walkers, 0, memory->model->page_walks * sizeof *memory->walkers);
    memset(memory->source_free, 0, sizeof memory->source_free);
    memset(memory->lines, 0, memory->line_capacity * sizeof *memory->lines);
    memory->line_count = 0;
}

int ft_core_memory_init(struct ft_core_memory *memory, const struct ft_core_model *model,
                        struct ft_diag *diag)
{
    *memory = (struct ft_core_memory){.model = model, .line_capacity = LINES_MIN};
    memory->buffers = calloc(model->miss_buffers, sizeof *memory->buffers);
    memory->walkers = calloc(model->page_walks, sizeof *memory->walkers);
    memory->lines = calloc(memory->line_capacity, sizeof *memory->lines);
    if (memory->buffers && memory->walkers && memory->lines)
        return FT_OK;
    ft_core_memory_fini(memory);
    return ft_fail_memory(diag, "a core");
}

void ft_core_memory_fini(struct ft_core_memory *memory)
{
    free(memory->buffers);
    free(memory->walkers);
    free(memory->lines);
    *memory = (struct ft_core_memory){0};
}
