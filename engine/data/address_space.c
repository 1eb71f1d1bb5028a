/*
 * Three maps, searched in order of precedence; an answer is narrowed to the gaps in the maps before
 * it. A module is added when the mapping of its code appears in a log (at once if none does), and
 * removed with that mapping.
 */
#include "engine/data/address_space.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define PAGE            4096U
#define STACK_OF_THREAD UINT32_C(0x80000000) /* in regions: with the thread's number */
#define STACK_BYTES     (UINT64_C(8) << 20)  /* where no limit is known */
#define STACK_BYTES_MAX (UINT64_C(1) << 30)  /* where the limit is higher */

void ft_address_space_fini(struct ft_address_space *space)
{
    ft_interval_map_fini(&space->blocks);
    ft_interval_map_fini(&space->modules);
    ft_interval_map_fini(&space->regions);
    for (uint32_t t = 0; space->threads && t < space->thread_count; t++)
        ft_call_stack_fini(&space->threads[t].calls);
    free(space->threads);
    free(space->module_waits);
    free(space->module_code);
    *space = (struct ft_address_space){0};
}

/* ---- frees that come late ---- */

static void add_overdue(struct ft_overdue *overdue, uint64_t start, uint64_t end, uint32_t to)
{
    if (overdue->count == FT_OVERDUE_MAX)
        for (size_t i = 1; i < overdue->count; i++)
            overdue->items[i - 1] = overdue->items[i];
    else
        overdue->count++;
    overdue->items[overdue->count - 1].start = start;
    overdue->items[overdue->count - 1].end = end;
    overdue->items[overdue->count - 1].to = to;
}

/* Whether a thread was due to give back what starts at `start`, and ends at `end` unless that is 0;
 * it is not any more. */
static bool take_overdue(struct ft_overdue *overdue, uint64_t start, uint64_t end, uint32_t thread)
{
    for (size_t i = 0; i < overdue->count; i++)
        if (overdue->items[i].start == start && (!end || overdue->items[i].end == end) &&
            overdue->items[i].to != thread) {
            overdue->items[i] = overdue->items[--overdue->count];
            return true;
        }
    return false;
}

/* ---- modules ---- */

/* The pages of a module: what is left of its last one is its too. */
static struct ft_interval extent_of(const struct ft_module *module, uint32_t index)
{
    uint64_t end = module->load_bias + module->end;
    return (struct ft_interval){(module->load_bias + module->start) / PAGE * PAGE,
                                (end + PAGE - 1) / PAGE * PAGE, index};
}

static int put_module(struct ft_address_space *space, uint32_t index, struct ft_diag *diag)
{
    struct ft_interval extent = extent_of(ft_trace_module(space->trace, index), index);
    space->module_waits[index] = false;
    space->version++;
    return extent.start < extent.end
               ? ft_interval_map_put(&space->modules, extent.start, extent.end, index, diag)
               : FT_OK;
}

static bool is_mapped_later(const struct ft_memory_events *events, uint64_t address)
{
    for (uint32_t t = 0; t < events->thread_count; t++)
        for (size_t i = 0; i < events->threads[t].count; i++)
            if (events->threads[t].events[i].kind == FT_MEMORY_MAPPED &&
                events->threads[t].events[i].address == address)
                return true;
    return false;
}

static int begin_modules(struct ft_address_space *space, struct ft_diag *diag)
{
    int status = FT_OK;
    size_t count = ft_trace_module_count(space->trace);
    for (size_t i = 0; i < ft_trace_event_count(space->trace); i++) {
        const struct ft_event *event = ft_trace_event(space->trace, i);
        if (event->kind == FT_EVENT_MODULE_MAPPED && event->a < count) {
            space->module_code[event->a] = event->b;
            space->module_waits[event->a] = is_mapped_later(space->events, event->b);
        }
    }
    for (size_t i = 0; status == FT_OK && i < count; i++)
        if (!space->module_waits[i])
            status = put_module(space, (uint32_t)i, diag);
    return status;
}

/* The first module that waits for a mapping there is what was mapped. */
static int meet_module(struct ft_address_space *space, uint64_t address, struct ft_diag *diag)
{
    for (size_t i = 0; i < ft_trace_module_count(space->trace); i++)
        if (space->module_waits[i] && space->module_code[i] == address)
            return put_module(space, (uint32_t)i, diag);
    return FT_OK;
}

/* ---- stacks ---- */

static uint64_t stack_limit(const struct ft_capture_host *host)
{
    for (size_t i = 0; i < host->limit_count; i++)
        if (strcmp(host->limits[i].name, "STACK") == 0)
            return host->limits[i].soft < STACK_BYTES_MAX ? host->limits[i].soft : STACK_BYTES_MAX;
    return STACK_BYTES;
}

/* The end of what the kernel puts above the main thread's frames: the name of the program is last.
 */
static uint64_t top_of_stack(const struct ft_capture_host *host, uint64_t first_rsp)
{
    for (size_t i = 0; i < host->auxiliary_count; i++) {
        uint64_t value = host->auxiliary[i].value;
        if (host->auxiliary[i].type == AT_EXECFN && value >= first_rsp &&
            value < first_rsp + STACK_BYTES_MAX)
            return (value / PAGE + 1) * PAGE;
    }
    return first_rsp;
}

int ft_address_space_begin(struct ft_address_space *space, uint32_t thread, struct ft_diag *diag)
{
    struct ft_thread_space *thread_space = &space->threads[thread];
    const struct ft_capture_host *host = &ft_trace_metadata(space->trace)->capture_host;
    uint64_t rsp = space->events->threads[thread].first_rsp;
    if (thread_space->has_begun)
        return FT_OK;
    thread_space->has_begun = true;
    thread_space->first_rsp = rsp;
    if (rsp < PAGE)
        return FT_OK;
    struct ft_interval around = ft_interval_map_find(&space->regions, rsp - 1);
    uint64_t max = thread == 0 ? stack_limit(host) : STACK_BYTES;
    thread_space->is_guessed = around.value == FT_NO_INTERVAL;
    if (thread_space->is_guessed && (rsp < max || around.start < rsp - max))
        around.start = rsp < max ? 0 : rsp - max;
    thread_space->stack_low = around.start;
    thread_space->stack_top = thread == 0 ? top_of_stack(host, rsp) : rsp;
    space->version++;
    return ft_interval_map_put(&space->regions, thread_space->stack_low, thread_space->stack_top,
                               STACK_OF_THREAD | thread, diag);
}

/* ---- events ---- */

static void count_block(struct ft_data_object *object, uint64_t bytes)
{
    object->min_block_bytes =
        object->blocks && object->min_block_bytes < bytes ? object->min_block_bytes : bytes;
    object->max_block_bytes = object->max_block_bytes > bytes ? object->max_block_bytes : bytes;
    object->blocks++;
    object->bytes += bytes;
    object->live_bytes += bytes;
    if (object->live_bytes > object->max_live_bytes)
        object->max_live_bytes = object->live_bytes;
}

/* Who called is known when the call begins. */
static int ask(struct ft_address_space *space, uint32_t thread, const char *function,
               struct ft_diag *diag)
{
    struct ft_thread_space *thread_space = &space->threads[thread];
    uint32_t object;
    int status =
        ft_data_site(space->objects, FT_DATA_HEAP, function, &thread_space->calls, &object, diag);
    if (status == FT_OK)
        thread_space->awaited = object + 1;
    return status;
}

static int put_site(struct ft_address_space *space, uint32_t thread, enum ft_data_kind kind,
                    const char *function, uint64_t start, uint64_t end, struct ft_diag *diag)
{
    struct ft_thread_space *thread_space = &space->threads[thread];
    uint32_t object = thread_space->awaited - 1;
    int status =
        kind == FT_DATA_HEAP && thread_space->awaited
            ? FT_OK
            : ft_data_site(space->objects, kind, function, &thread_space->calls, &object, diag);
    if (status)
        return status;
    if (kind == FT_DATA_HEAP)
        thread_space->awaited = 0;
    count_block(ft_data_object(space->objects, object), end - start);
    struct ft_interval_map *map = kind == FT_DATA_HEAP ? &space->blocks : &space->regions;
    return ft_interval_map_put(map, start, end, object, diag);
}

static void uncount(struct ft_address_space *space, uint32_t object, uint64_t bytes)
{
    struct ft_data_object *item = ft_data_object(space->objects, object);
    item->live_bytes -= bytes < item->live_bytes ? bytes : item->live_bytes;
}

/* Live blocks or mappings in [start, end) that are given to a thread again. */
static void note_overdue(const struct ft_address_space *space, const struct ft_interval_map *map,
                         struct ft_overdue *overdue, uint64_t start, uint64_t end, uint32_t to)
{
    for (uint64_t at = start; space->thread_count > 1 && at < end;) {
        struct ft_interval there = ft_interval_map_find(map, at);
        if (there.value != FT_NO_INTERVAL && !(there.value & STACK_OF_THREAD))
            add_overdue(overdue, there.start, there.end, to);
        at = there.end;
    }
}

static int free_block(struct ft_address_space *space, uint32_t thread, uint64_t address,
                      struct ft_diag *diag)
{
    if (take_overdue(&space->frees, address, 0, thread))
        return FT_OK;
    struct ft_interval block = ft_interval_map_find(&space->blocks, address);
    if (block.value == FT_NO_INTERVAL || block.start != address)
        return FT_OK;
    uncount(space, block.value, block.end - block.start);
    return ft_interval_map_cut(&space->blocks, block.start, block.end, diag);
}

/* Takes mappings out of [start, end), and modules whose code was there. */
static int unmap(struct ft_address_space *space, uint64_t start, uint64_t end, struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint64_t at = start; at < end;) {
        struct ft_interval region = ft_interval_map_find(&space->regions, at);
        uint64_t until = region.end < end ? region.end : end;
        if (region.value != FT_NO_INTERVAL && !(region.value & STACK_OF_THREAD))
            uncount(space, region.value, until - at);
        at = until;
    }
    for (size_t i = 0; status == FT_OK && i < ft_trace_module_count(space->trace); i++) {
        struct ft_interval extent = extent_of(ft_trace_module(space->trace, i), (uint32_t)i);
        uint64_t code = space->module_code[i];
        struct ft_interval there = ft_interval_map_find(&space->modules, code);
        if (code >= start && code < end && there.value == i)
            status = ft_interval_map_cut(&space->modules, extent.start, extent.end, diag);
    }
    return status ? status : ft_interval_map_cut(&space->regions, start, end, diag);
}

/* A mapping that is there for a thread's stack, where the thread was seen before it. */
static int put_stacks(struct ft_address_space *space, uint64_t start, uint64_t end,
                      struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint32_t t = 1; status == FT_OK && t < space->thread_count; t++) {
        struct ft_thread_space *thread = &space->threads[t];
        if (!thread->is_guessed || thread->first_rsp <= start || thread->first_rsp > end)
            continue;
        thread->is_guessed = false;
        thread->stack_low = start;
        status = ft_interval_map_put(&space->regions, start, thread->stack_top, STACK_OF_THREAD | t,
                                     diag);
    }
    return status;
}

static int move_mapping(struct ft_address_space *space, const struct ft_memory_event *event,
                        uint64_t end, struct ft_diag *diag)
{
    struct ft_interval old = ft_interval_map_find(&space->regions, event->from);
    if (old.value == FT_NO_INTERVAL || old.value & STACK_OF_THREAD)
        return FT_OK;
    uncount(space, old.value, old.end - event->from);
    ft_data_object(space->objects, old.value)->live_bytes += end - event->address;
    int status = ft_interval_map_cut(&space->regions, event->from, old.end, diag);
    return status ? status
                  : ft_interval_map_put(&space->regions, event->address, end, old.value, diag);
}

static int move_break(struct ft_address_space *space, uint64_t address, struct ft_diag *diag)
{
    uint32_t object;
    int status = ft_data_break(space->objects, &object, diag);
    if (status)
        return status;
    if (space->break_end == 0)
        space->break_start = space->break_end = address;
    if (address < space->break_end)
        status = ft_interval_map_cut(&space->regions, address, space->break_end, diag);
    else if (address > space->break_end)
        status = ft_interval_map_put(&space->regions, space->break_start, address, object, diag);
    space->break_end = address;
    struct ft_data_object *item = ft_data_object(space->objects, object);
    item->bytes = item->live_bytes =
        address > space->break_start ? address - space->break_start : 0;
    if (item->live_bytes > item->max_live_bytes)
        item->max_live_bytes = item->live_bytes;
    return status;
}

static int apply(struct ft_address_space *space, uint32_t thread,
                 const struct ft_memory_event *event, struct ft_diag *diag)
{
    bool has_pages = event->kind == FT_MEMORY_MAPPED || event->kind == FT_MEMORY_UNMAPPED ||
                     event->kind == FT_MEMORY_MOVED;
    uint64_t bytes = has_pages ? (event->bytes + PAGE - 1) / PAGE * PAGE : event->bytes;
    uint64_t start = event->address, end;
    int status = FT_OK;
    if (__builtin_add_overflow(start, bytes, &end))
        return FT_OK;
    if (event->kind == FT_MEMORY_ASKED)
        return ask(space, thread, event->function, diag);
    space->version++;
    if (event->kind == FT_MEMORY_FREED)
        return free_block(space, thread, start, diag);
    if (event->kind == FT_MEMORY_BREAK)
        return move_break(space, start, diag);
    if (bytes == 0)
        return FT_OK;
    switch (event->kind) {
    case FT_MEMORY_ALLOCATED:
        note_overdue(space, &space->blocks, &space->frees, start, end, thread);
        return put_site(space, thread, FT_DATA_HEAP, event->function, start, end, diag);
    case FT_MEMORY_MAPPED:
        if (!event->from) /* one for a given address may be put over others */
            note_overdue(space, &space->regions, &space->unmaps, start, end, thread);
        status = unmap(space, start, end, diag);
        if (status == FT_OK)
            status = meet_module(space, start, diag);
        if (status == FT_OK)
            status = put_site(space, thread, FT_DATA_MAPPING, "mmap", start, end, diag);
        return status ? status : put_stacks(space, start, end, diag);
    case FT_MEMORY_UNMAPPED:
        if (take_overdue(&space->unmaps, start, end, thread))
            return FT_OK;
        return unmap(space, start, end, diag);
    default:
        return move_mapping(space, event, end, diag);
    }
}

int ft_address_space_catch_up(struct ft_address_space *space, uint32_t thread, struct ft_diag *diag)
{
    const struct ft_thread_memory *memory = &space->events->threads[thread];
    struct ft_thread_space *thread_space = &space->threads[thread];
    int status = FT_OK;
    while (status == FT_OK && thread_space->next_event < memory->count &&
           memory->events[thread_space->next_event].position <= thread_space->accesses)
        status = apply(space, thread, &memory->events[thread_space->next_event++], diag);
    thread_space->next_position = thread_space->next_event < memory->count
                                      ? memory->events[thread_space->next_event].position
                                      : UINT64_MAX;
    return status;
}

int ft_address_space_init(struct ft_address_space *space, const struct ft_trace *trace,
                          const struct ft_memory_events *events, struct ft_data_objects *objects,
                          struct ft_diag *diag)
{
    size_t modules = ft_trace_module_count(trace);
    *space = (struct ft_address_space){
        .trace = trace,
        .events = events,
        .objects = objects,
        .thread_count = events->thread_count,
        .threads = calloc(events->thread_count + (size_t)1, sizeof *space->threads),
        .module_waits = calloc(modules + 1, sizeof *space->module_waits),
        .module_code = calloc(modules + 1, sizeof *space->module_code),
        .version = 1,
    };
    int status = space->threads && space->module_waits && space->module_code
                     ? begin_modules(space, diag)
                     : ft_fail_memory(diag, "the data of a program");
    if (status)
        ft_address_space_fini(space);
    return status;
}

/* ---- questions ---- */

static void narrow(struct ft_data_location *location, uint64_t start, uint64_t end)
{
    location->start = location->start > start ? location->start : start;
    location->end = location->end < end ? location->end : end;
}

/* The frame at an address of a thread's stack, where code at pc runs in the innermost one. */
static int find_frame(struct ft_address_space *space, uint32_t owner, uint64_t pc, uint64_t address,
                      struct ft_data_location *location, struct ft_diag *diag)
{
    const struct ft_thread_space *thread = &space->threads[owner];
    const struct ft_call_stack *calls = &thread->calls;
    location->lasts = false;
    if (address >= thread->first_rsp) {
        narrow(location, thread->first_rsp, UINT64_MAX);
        return ft_data_stack_rest(space->objects, &location->object, diag);
    }
    size_t above = ft_call_stack_above(calls, address);
    if (above > 0)
        narrow(location, 0, calls->entries[above - 1].address);
    if (above < calls->count)
        narrow(location, calls->entries[above].address, UINT64_MAX);
    uint64_t at = above < calls->count ? calls->entries[above].return_pc - 1 : pc;
    return ft_data_frame(space->objects, at, &location->object, diag);
}

static int find_in_module(struct ft_address_space *space, uint32_t index, uint64_t address,
                          struct ft_data_location *location, struct ft_diag *diag)
{
    const struct ft_module *module = ft_trace_module(space->trace, index);
    const struct ft_variable *variables = module->variables;
    uint64_t offset = address - module->load_bias;
    size_t low = 0, count = module->variable_count;
    while (count > 0) { /* how many start up to the address */
        size_t half = count / 2;
        bool before = variables[low + half].start <= offset;
        low += before ? half + 1 : 0;
        count = before ? count - half - 1 : half;
    }
    if (low > 0 && offset < variables[low - 1].end) {
        narrow(location, module->load_bias + variables[low - 1].start,
               module->load_bias + variables[low - 1].end);
        return ft_data_variable(space->objects, index, low - 1, &location->object, diag);
    }
    narrow(location, low > 0 ? module->load_bias + variables[low - 1].end : 0,
           low < module->variable_count ? module->load_bias + variables[low].start : UINT64_MAX);
    return ft_data_module_rest(space->objects, index, &location->object, diag);
}

int ft_address_space_find(struct ft_address_space *space, uint32_t thread, uint64_t pc,
                          uint64_t address, struct ft_data_location *ret_location,
                          struct ft_diag *diag)
{
    struct ft_interval block = ft_interval_map_find(&space->blocks, address);
    struct ft_data_location location = {block.value, block.start, block.end, true};
    int status = FT_OK;
    if (block.value == FT_NO_INTERVAL) {
        struct ft_interval module = ft_interval_map_find(&space->modules, address);
        narrow(&location, module.start, module.end);
        if (module.value != FT_NO_INTERVAL) {
            status = find_in_module(space, module.value, address, &location, diag);
        } else {
            struct ft_interval region = ft_interval_map_find(&space->regions, address);
            narrow(&location, region.start, region.end);
            uint32_t owner = region.value & ~STACK_OF_THREAD;
            if (region.value == FT_NO_INTERVAL)
                location.object = 0;
            else if (!(region.value & STACK_OF_THREAD))
                location.object = region.value;
            else
                status = find_frame(space, owner, owner == thread ? pc : space->threads[owner].pc,
                                    address, &location, diag);
        }
    }
    if (status == FT_OK)
        *ret_location = location;
    return status;
}
