/*
 * Stacks come from partitions of the threads: one into single threads, one into the groups given,
 * one for each number of cores that share a level. The first partition is the one that the trace's
 * own histograms are summed over. A group of one thread is that thread's private stack, and is
 * listed once.
 */
#include "engine/reuse/work/sharing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"
#include "formats/base/parse.h"
#include "formats/histograms/histograms.h"
#include "formats/trace/trace.h"

/* ---- what the user says ---- */

/* "4" or "0-3" at *at, which moves behind it. */
static bool parse_range(const char **at, uint32_t *ret_first, uint32_t *ret_last)
{
    const char *end = *at;
    uint64_t first, last;
    if (!ft_read_range(&end, &first, &last) || (*end && *end != ',') || last < first ||
        last >= FT_TRACE_THREADS_MAX)
        return false;
    *at = *end ? end + 1 : end;
    *ret_first = (uint32_t)first;
    *ret_last = (uint32_t)last;
    return *end == 0 || **at != 0;
}

static int parse_groups(struct ft_sharing *sharing, const char *text, struct ft_diag *diag)
{
    size_t capacity = 0;
    uint32_t group = 0;
    for (const char *at = text; *at || group == 0;) {
        uint32_t first, last;
        if (!parse_range(&at, &first, &last))
            return ft_fail(diag, FT_ERROR_USAGE,
                           "--share %s: not 'all', 'by-8' or groups of threads such as 0-3,4-7",
                           text);
        if (!FT_RESERVE(sharing->groups, capacity, last + 1))
            return ft_fail_memory(diag, "groups of threads");
        for (; sharing->group_threads <= last; sharing->group_threads++)
            sharing->groups[sharing->group_threads] = 0;
        group++;
        for (uint32_t t = first; t <= last; t++) {
            if (sharing->groups[t])
                return ft_fail(diag, FT_ERROR_USAGE,
                               "--share %s: thread %" PRIu32 " is in two groups", text, t);
            sharing->groups[t] = group;
        }
    }
    return FT_OK;
}

/* "by-8": groups of 8 threads. */
static bool parse_cores(const char *text, uint32_t *ret_cores)
{
    uint32_t last;
    const char *at = text + strlen("by-");
    return strncmp(text, "by-", strlen("by-")) == 0 && !strpbrk(at, ",-") &&
           parse_range(&at, ret_cores, &last) && *ret_cores > 0;
}

static int add_cores(struct ft_sharing *sharing, uint32_t cores, struct ft_diag *diag)
{
    for (size_t i = 0; i < sharing->core_counts; i++)
        if (sharing->cores[i] == cores)
            return FT_OK;
    if (sharing->core_counts == FT_SHARING_CORES_MAX)
        return ft_fail(diag, FT_ERROR_UNSUPPORTED,
                       "levels that are shared by more than %u different numbers of cores",
                       FT_SHARING_CORES_MAX);
    sharing->cores[sharing->core_counts++] = cores;
    return FT_OK;
}

int ft_sharing_init(struct ft_sharing *sharing, const char *share, bool private_stacks,
                    const struct ft_machine *machine, struct ft_diag *diag)
{
    *sharing = (struct ft_sharing){.private_stacks = private_stacks};
    int status = FT_OK;
    uint32_t cores;
    if (share && strcmp(share, "all") == 0)
        sharing->all = true;
    else if (share && parse_cores(share, &cores))
        status = add_cores(sharing, cores, diag);
    else if (share)
        status = parse_groups(sharing, share, diag);
    for (size_t i = 0; machine && !status && i < machine->level_count; i++) {
        cores = machine->levels[i].shared_by;
        if (cores > 1)
            status = add_cores(sharing, cores, diag);
        else
            sharing->private_stacks = true;
    }
    if (!sharing->all && !sharing->groups && !sharing->core_counts)
        sharing->private_stacks = true;
    if (status)
        ft_sharing_fini(sharing);
    return status;
}

void ft_sharing_fini(struct ft_sharing *sharing)
{
    free(sharing->groups);
    *sharing = (struct ft_sharing){0};
}

/* ---- texts ---- */

/* Appends "0-3" or "8" for each segment of threads of which `is_in` says yes. */
static void put_ranges(FILE *stream, uint32_t count, const bool *is_in, const char *before)
{
    for (uint32_t t = 0; t < count; t++) {
        if (!is_in[t])
            continue;
        uint32_t last = t;
        while (last + 1 < count && is_in[last + 1])
            last++;
        fprintf(stream, last > t ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, before, t, last);
        before = ",";
        t = last;
    }
}

char *ft_stack_layout_text(const struct ft_stack_layout *layout)
{
    char *text = NULL;
    size_t bytes = 0;
    uint32_t count = layout->threads[layout->thread_count - 1] + 1;
    bool *is_in = calloc(count, sizeof *is_in);
    FILE *stream = is_in ? open_memstream(&text, &bytes) : NULL;
    if (stream) {
        for (uint32_t i = 0; i < layout->thread_count; i++)
            is_in[layout->threads[i]] = true;
        put_ranges(stream, count, is_in, "");
        fclose(stream);
    }
    free(is_in);
    return text;
}

const char *ft_stack_layout_kind(const struct ft_stack_layout *layout)
{
    static const char *const kinds[2][4] = {
        {NULL, FT_STACK_PRIVATE, FT_STACK_FETCHES, FT_STACK_UNIFIED},
        {NULL, FT_STACK_SHARED, FT_STACK_SHARED_FETCHES, FT_STACK_SHARED_UNIFIED},
    };
    return kinds[layout->thread_count > 1][layout->content];
}

char *ft_sharing_text(const struct ft_sharing *sharing)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return NULL;
    bool any = sharing->all || sharing->groups || sharing->core_counts;
    if (sharing->all)
        fprintf(stream, " --share all");
    const char *before = " --share ";
    for (size_t t = 0; sharing->groups && t < sharing->group_threads; t++) {
        size_t last = t; /* groups are segments of threads */
        while (last + 1 < sharing->group_threads && sharing->groups[last + 1] == sharing->groups[t])
            last++;
        if (sharing->groups[t]) {
            fprintf(stream, last > t ? "%s%zu-%zu" : "%s%zu", before, t, last);
            before = ",";
        }
        t = last;
    }
    for (size_t i = 0; i < sharing->core_counts; i++)
        fprintf(stream, " --share by-%" PRIu32, sharing->cores[i]);
    if (any && sharing->private_stacks)
        fprintf(stream, " --private");
    if (sharing->fetches)
        fprintf(stream, " --fetch");
    fclose(stream);
    return text;
}

/* ---- stacks ---- */

struct making {
    struct ft_stack_layouts *layouts;
    size_t capacity;
    uint32_t thread_count;
    uint32_t *group_of; /* [thread]: any number, of the partition at hand */
    bool has_sum;
};

static int add_layout(struct making *making, uint32_t group, uint32_t members, struct ft_diag *diag)
{
    if (!FT_RESERVE(making->layouts->layouts, making->capacity, making->layouts->count + 1))
        return ft_fail_memory(diag, "stacks of threads");
    struct ft_stack_layout layout = {.content = FT_RUN_ACCESSES, .in_sum = !making->has_sum};
    layout.threads = malloc((members + (size_t)1) * sizeof *layout.threads);
    if (!layout.threads)
        return ft_fail_memory(diag, "stacks of threads");
    for (uint32_t t = 0; t < making->thread_count; t++)
        if (making->group_of[t] == group)
            layout.threads[layout.thread_count++] = t;
    making->layouts->layouts[making->layouts->count++] = layout;
    return FT_OK;
}

static bool has_single(const struct making *making, uint32_t thread)
{
    for (size_t i = 0; i < making->layouts->count; i++)
        if (making->layouts->layouts[i].thread_count == 1 &&
            making->layouts->layouts[i].threads[0] == thread)
            return true;
    return false;
}

/* A stack for each group of group_of, in the order of their first threads. */
static int add_partition(struct making *making, struct ft_diag *diag)
{
    int status = FT_OK;
    for (uint32_t t = 0; !status && t < making->thread_count; t++) {
        uint32_t before = 0, members = 0;
        for (uint32_t u = 0; u < making->thread_count; u++) {
            before += u < t && making->group_of[u] == making->group_of[t];
            members += making->group_of[u] == making->group_of[t];
        }
        if (before == 0 && !(members == 1 && has_single(making, t)))
            status = add_layout(making, making->group_of[t], members, diag);
    }
    making->has_sum = true;
    return status;
}

static int add_partitions(const struct ft_sharing *sharing, struct making *making,
                          struct ft_diag *diag)
{
    const uint32_t count = making->thread_count;
    int status = FT_OK;
    if (sharing->private_stacks) {
        for (uint32_t t = 0; t < count; t++)
            making->group_of[t] = t;
        status = add_partition(making, diag);
    }
    if (!status && sharing->all) {
        memset(making->group_of, 0, count * sizeof *making->group_of);
        status = add_partition(making, diag);
    }
    if (!status && sharing->groups) {
        for (uint32_t t = 0; t < count; t++) {
            uint32_t group = t < sharing->group_threads ? sharing->groups[t] : 0;
            making->group_of[t] = group ? count + group : t;
        }
        status = add_partition(making, diag);
    }
    for (size_t i = 0; !status && i < sharing->core_counts; i++) {
        for (uint32_t t = 0; t < count; t++)
            making->group_of[t] = t / sharing->cores[i];
        status = add_partition(making, diag);
    }
    return status;
}

/* A stack of the same threads for other content. */
static int copy_layout(struct making *making, size_t index, unsigned content, struct ft_diag *diag)
{
    struct ft_stack_layout layout = making->layouts->layouts[index];
    for (uint32_t t = 0; t < making->thread_count; t++)
        making->group_of[t] = 0;
    for (uint32_t i = 0; i < layout.thread_count; i++)
        making->group_of[layout.threads[i]] = 1;
    int status = add_layout(making, 1, layout.thread_count, diag);
    if (!status)
        making->layouts->layouts[making->layouts->count - 1].content = content;
    return status;
}

/* Beside each stack of accesses one of fetches, and one of both. */
static int add_fetches(struct making *making, struct ft_diag *diag)
{
    const size_t count = making->layouts->count;
    int status = FT_OK;
    for (unsigned content = FT_RUN_FETCHES;
         !status && content <= (FT_RUN_ACCESSES | FT_RUN_FETCHES); content++)
        for (size_t i = 0; !status && i < count; i++)
            status = copy_layout(making, i, content, diag);
    return status;
}

int ft_stack_layouts_make(const struct ft_sharing *sharing, uint32_t thread_count,
                          struct ft_stack_layouts *ret_layouts, struct ft_diag *diag)
{
    struct ft_stack_layouts layouts = {0};
    if (sharing->group_threads > thread_count)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "--share names thread %zu, the trace has threads 0 to %" PRIu32,
                       sharing->group_threads - 1, thread_count - 1);
    struct making making = {.layouts = &layouts, .thread_count = thread_count};
    making.group_of = calloc(thread_count + 1U, sizeof *making.group_of);
    int status = making.group_of ? add_partitions(sharing, &making, diag)
                                 : ft_fail_memory(diag, "stacks of threads");
    if (!status && sharing->fetches)
        status = add_fetches(&making, diag);
    free(making.group_of);
    if (status)
        ft_stack_layouts_fini(&layouts);
    else
        *ret_layouts = layouts;
    return status;
}

void ft_stack_layouts_fini(struct ft_stack_layouts *layouts)
{
    for (size_t i = 0; i < layouts->count; i++)
        free(layouts->layouts[i].threads);
    free(layouts->layouts);
    *layouts = (struct ft_stack_layouts){0};
}
