/*
 * Written as items, each with its kind and length, so that a reader can skip kinds that it does
 * not know. Within a kind they keep their order.
 */
#include "formats/trace/capture_host.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

/* Open MPI; PMIx; MPICH and Intel MPI (PMI); MVAPICH; Cray PALS; Flux; Slurm. */
const char *const ft_rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
                                         "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "FLUX_TASK_RANK",
                                         "SLURM_PROCID",         NULL};
const char *const ft_rank_count_variables[] = {
    "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PALS_SIZE", "FLUX_JOB_SIZE",
    "SLURM_STEP_NUM_TASKS", NULL};

enum item_kind {
    ITEM_TEXT = 1,
    ITEM_NUMBER,
    ITEM_CACHE,
    ITEM_TLB,
    ITEM_LIMIT,
    ITEM_AUXILIARY,
    ITEM_VARIABLE
};

/* ---- entries ---- */

bool ft_capture_host_fact(struct ft_capture_host *host, const char *name, const char *text,
                          uint64_t number)
{
    struct ft_host_fact fact = {strdup(name), text ? strdup(text) : NULL, number};
    if (fact.name && (fact.text || !text) &&
        FT_RESERVE(host->facts, host->fact_capacity, host->fact_count + 1)) {
        host->facts[host->fact_count++] = fact;
        return true;
    }
    free(fact.name);
    free(fact.text);
    return false;
}

bool ft_capture_host_cache(struct ft_capture_host *host, const struct ft_host_cache *cache)
{
    struct ft_host_cache copy = *cache;
    copy.processors = strdup(cache->processors);
    if (copy.processors && FT_RESERVE(host->caches, host->cache_capacity, host->cache_count + 1)) {
        host->caches[host->cache_count++] = copy;
        return true;
    }
    free(copy.processors);
    return false;
}

bool ft_capture_host_tlb(struct ft_capture_host *host, const struct ft_host_tlb *tlb)
{
    if (!FT_RESERVE(host->tlbs, host->tlb_capacity, host->tlb_count + 1))
        return false;
    host->tlbs[host->tlb_count++] = *tlb;
    return true;
}

bool ft_capture_host_limit(struct ft_capture_host *host, const struct ft_host_limit *limit)
{
    struct ft_host_limit copy = *limit;
    copy.name = strdup(limit->name);
    if (copy.name && FT_RESERVE(host->limits, host->limit_capacity, host->limit_count + 1)) {
        host->limits[host->limit_count++] = copy;
        return true;
    }
    free(copy.name);
    return false;
}

bool ft_capture_host_auxiliary(struct ft_capture_host *host, uint64_t type, uint64_t value)
{
    if (!FT_RESERVE(host->auxiliary, host->auxiliary_capacity, host->auxiliary_count + 1))
        return false;
    host->auxiliary[host->auxiliary_count++] = (struct ft_host_auxiliary){type, value};
    return true;
}

bool ft_capture_host_variable(struct ft_capture_host *host, const char *name, const char *value)
{
    struct ft_host_variable variable = {strdup(name), strdup(value)};
    if (variable.name && variable.value &&
        FT_RESERVE(host->variables, host->variable_capacity, host->variable_count + 1)) {
        host->variables[host->variable_count++] = variable;
        return true;
    }
    free(variable.name);
    free(variable.value);
    return false;
}

const struct ft_host_fact *ft_capture_host_find_fact(const struct ft_capture_host *host,
                                                     const char *name)
{
    for (size_t i = 0; i < host->fact_count; i++)
        if (strcmp(host->facts[i].name, name) == 0)
            return &host->facts[i];
    return NULL;
}

void ft_capture_host_fini(struct ft_capture_host *host)
{
    for (size_t i = 0; i < host->fact_count; i++) {
        free(host->facts[i].name);
        free(host->facts[i].text);
    }
    for (size_t i = 0; i < host->cache_count; i++)
        free(host->caches[i].processors);
    for (size_t i = 0; i < host->limit_count; i++)
        free(host->limits[i].name);
    for (size_t i = 0; i < host->variable_count; i++) {
        free(host->variables[i].name);
        free(host->variables[i].value);
    }
    free(host->facts);
    free(host->caches);
    free(host->tlbs);
    free(host->limits);
    free(host->auxiliary);
    free(host->variables);
    *host = (struct ft_capture_host){0};
}

/* ---- writing ---- */

/* Appends an item and empties its content. */
static void put_item(struct ft_bytes *bytes, enum item_kind kind, struct ft_bytes *content)
{
    ft_put_varint(bytes, kind);
    ft_put_varint(bytes, content->length);
    ft_put(bytes, content->data, content->length);
    bytes->failed |= content->failed;
    content->length = 0;
}

static void put_hardware(const struct ft_capture_host *host, struct ft_bytes *bytes,
                         struct ft_bytes *item)
{
    for (size_t i = 0; i < host->cache_count; i++) {
        const struct ft_host_cache *cache = &host->caches[i];
        const uint64_t numbers[] = {cache->level,      cache->content, cache->size_bytes,
                                    cache->line_bytes, cache->ways,    cache->sets};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            ft_put_varint(item, numbers[k]);
        ft_put_string(item, cache->processors);
        put_item(bytes, ITEM_CACHE, item);
    }
    for (size_t i = 0; i < host->tlb_count; i++) {
        const struct ft_host_tlb *tlb = &host->tlbs[i];
        const uint64_t numbers[] = {tlb->level, tlb->content, tlb->page_bytes, tlb->entries,
                                    tlb->ways};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            ft_put_varint(item, numbers[k]);
        put_item(bytes, ITEM_TLB, item);
    }
}

void ft_capture_host_write(const struct ft_capture_host *host, struct ft_bytes *bytes)
{
    struct ft_bytes item = {0};
    for (size_t i = 0; i < host->fact_count; i++) {
        const struct ft_host_fact *fact = &host->facts[i];
        ft_put_string(&item, fact->name);
        if (fact->text)
            ft_put_string(&item, fact->text);
        else
            ft_put_varint(&item, fact->number);
        put_item(bytes, fact->text ? ITEM_TEXT : ITEM_NUMBER, &item);
    }
    put_hardware(host, bytes, &item);
    for (size_t i = 0; i < host->limit_count; i++) {
        ft_put_string(&item, host->limits[i].name);
        ft_put_varint(&item, host->limits[i].soft);
        ft_put_varint(&item, host->limits[i].hard);
        put_item(bytes, ITEM_LIMIT, &item);
    }
    for (size_t i = 0; i < host->auxiliary_count; i++) {
        ft_put_varint(&item, host->auxiliary[i].type);
        ft_put_varint(&item, host->auxiliary[i].value);
        put_item(bytes, ITEM_AUXILIARY, &item);
    }
    for (size_t i = 0; i < host->variable_count; i++) {
        ft_put_string(&item, host->variables[i].name);
        ft_put_string(&item, host->variables[i].value);
        put_item(bytes, ITEM_VARIABLE, &item);
    }
    ft_bytes_fini(&item);
}

/* ---- reading ---- */

static bool get_named(struct ft_cursor *item, uint64_t kind, struct ft_capture_host *host)
{
    char *name = ft_get_string(item), *text = NULL;
    uint64_t numbers[2] = {0};
    bool added = true;
    if (kind == ITEM_TEXT || kind == ITEM_VARIABLE)
        text = ft_get_string(item);
    else
        numbers[0] = ft_get_varint(item);
    if (kind == ITEM_LIMIT)
        numbers[1] = ft_get_varint(item);
    if (item->failed)
        added = false;
    else if (kind == ITEM_LIMIT)
        added = ft_capture_host_limit(host, &(struct ft_host_limit){name, numbers[0], numbers[1]});
    else if (kind == ITEM_VARIABLE)
        added = ft_capture_host_variable(host, name, text);
    else
        added = ft_capture_host_fact(host, name, text, numbers[0]);
    free(name);
    free(text);
    return added;
}

static bool get_hardware(struct ft_cursor *item, uint64_t kind, struct ft_capture_host *host)
{
    uint64_t level = ft_get_varint(item), content = ft_get_varint(item);
    uint64_t bytes = ft_get_varint(item);
    uint32_t numbers[3] = {0};
    for (unsigned i = 0; i < (kind == ITEM_CACHE ? 3 : 2); i++) {
        uint64_t number = ft_get_varint(item);
        item->failed |= number > UINT32_MAX;
        numbers[i] = (uint32_t)number;
    }
    char *processors = kind == ITEM_CACHE ? ft_get_string(item) : NULL;
    item->failed |= level > UINT8_MAX || content > UINT8_MAX;
    bool added = false;
    if (!item->failed && kind == ITEM_CACHE)
        added = ft_capture_host_cache(host, &(struct ft_host_cache){.level = (uint8_t)level,
                                                                    .content = (uint8_t)content,
                                                                    .size_bytes = bytes,
                                                                    .line_bytes = numbers[0],
                                                                    .ways = numbers[1],
                                                                    .sets = numbers[2],
                                                                    .processors = processors});
    else if (!item->failed)
        added = ft_capture_host_tlb(host, &(struct ft_host_tlb){.level = (uint8_t)level,
                                                                .content = (uint8_t)content,
                                                                .page_bytes = bytes,
                                                                .entries = numbers[0],
                                                                .ways = numbers[1]});
    free(processors);
    return added;
}

static bool get_item(struct ft_cursor *item, uint64_t kind, struct ft_capture_host *host)
{
    uint64_t type;
    switch (kind) {
    case ITEM_TEXT:
    case ITEM_NUMBER:
    case ITEM_LIMIT:
    case ITEM_VARIABLE:
        return get_named(item, kind, host);
    case ITEM_CACHE:
    case ITEM_TLB:
        return get_hardware(item, kind, host);
    case ITEM_AUXILIARY:
        type = ft_get_varint(item);
        return ft_capture_host_auxiliary(host, type, ft_get_varint(item)) && !item->failed;
    default:
        return true;
    }
}

void ft_capture_host_read(struct ft_cursor *cursor, struct ft_capture_host *ret_host)
{
    struct ft_capture_host host = {0};
    while (!cursor->failed && cursor->position < cursor->length) {
        uint64_t kind = ft_get_varint(cursor);
        uint64_t length = ft_get_varint(cursor);
        struct ft_cursor item = {.data = ft_get(cursor, length), .length = length};
        if (!cursor->failed && !get_item(&item, kind, &host))
            cursor->failed = true;
    }
    *ret_host = host;
}

int ft_capture_host_copy(const struct ft_capture_host *from, struct ft_capture_host *ret_copy,
                         struct ft_diag *diag)
{
    struct ft_bytes bytes = {0};
    ft_capture_host_write(from, &bytes);
    struct ft_cursor cursor = {.data = bytes.data, .length = bytes.length, .failed = bytes.failed};
    struct ft_capture_host copy;
    ft_capture_host_read(&cursor, &copy);
    ft_bytes_fini(&bytes);
    if (cursor.failed) {
        ft_capture_host_fini(&copy);
        return ft_fail_memory(diag, "the description of the capture's host");
    }
    *ret_copy = copy;
    return FT_OK;
}
