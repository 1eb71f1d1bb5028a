/*
 * Two open-addressing tables: instructions by pc, and pages of code. An entry of an older
 * generation is decoded again in place, so flushing is one increment.
 */
#include "tests/oracle/code_cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define PAGE_SHIFT 12

static size_t hash(uint64_t key, size_t capacity)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
}

static struct ft_code_entry *find_slot(struct ft_code_entry *entries, size_t capacity, uint64_t pc)
{
    size_t slot = hash(pc, capacity);
    while (entries[slot].generation && entries[slot].pc != pc)
        slot = (slot + 1) & (capacity - 1);
    return &entries[slot];
}

static uint64_t *find_page(uint64_t *pages, size_t capacity, uint64_t page)
{
    size_t slot = hash(page, capacity);
    while (pages[slot] && pages[slot] != page)
        slot = (slot + 1) & (capacity - 1);
    return &pages[slot];
}

int ft_code_cache_init(struct ft_code_cache *cache, pid_t process, struct ft_diag *diag)
{
    *cache = (struct ft_code_cache){
        .process = process, .generation = 1, .entry_capacity = 1 << 12, .page_capacity = 1 << 10};
    cache->entries = calloc(cache->entry_capacity, sizeof *cache->entries);
    cache->pages = calloc(cache->page_capacity, sizeof *cache->pages);
    if (!cache->entries || !cache->pages) {
        ft_code_cache_fini(cache);
        return ft_fail_memory(diag, "decoded instructions");
    }
    return FT_OK;
}

void ft_code_cache_fini(struct ft_code_cache *cache)
{
    free(cache->entries);
    free(cache->pages);
    cache->entries = NULL;
    cache->pages = NULL;
}

static int grow_entries(struct ft_code_cache *cache, struct ft_diag *diag)
{
    size_t capacity = cache->entry_capacity * 2;
    struct ft_code_entry *entries = calloc(capacity, sizeof *entries);
    if (!entries)
        return ft_fail_memory(diag, "decoded instructions");
    for (size_t i = 0; i < cache->entry_capacity; i++)
        if (cache->entries[i].generation)
            *find_slot(entries, capacity, cache->entries[i].pc) = cache->entries[i];
    free(cache->entries);
    cache->entries = entries;
    cache->entry_capacity = capacity;
    return FT_OK;
}

static int add_page(struct ft_code_cache *cache, uint64_t page, struct ft_diag *diag)
{
    uint64_t *slot = find_page(cache->pages, cache->page_capacity, page);
    if (*slot)
        return FT_OK;
    *slot = page;
    if (++cache->page_count * 2 < cache->page_capacity)
        return FT_OK;
    size_t capacity = cache->page_capacity * 2;
    uint64_t *pages = calloc(capacity, sizeof *pages);
    if (!pages)
        return ft_fail_memory(diag, "pages of code");
    for (size_t i = 0; i < cache->page_capacity; i++)
        if (cache->pages[i])
            *find_page(pages, capacity, cache->pages[i]) = cache->pages[i];
    free(cache->pages);
    cache->pages = pages;
    cache->page_capacity = capacity;
    return FT_OK;
}

/* Up to 15 bytes at pc: fewer where the next page cannot be read. */
static size_t read_code(pid_t process, uint64_t pc, uint8_t code[15])
{
    struct iovec local = {code, 15}, remote = {(void *)pc, 15};
    ssize_t got = process_vm_readv(process, &local, 1, &remote, 1, 0);
    if (got > 0)
        return (size_t)got;
    size_t left = (1u << PAGE_SHIFT) - (pc & ((1u << PAGE_SHIFT) - 1));
    if (left >= 15)
        return 0;
    local.iov_len = remote.iov_len = left;
    got = process_vm_readv(process, &local, 1, &remote, 1, 0);
    return got > 0 ? (size_t)got : 0;
}

int ft_code_cache_find(struct ft_code_cache *cache, uint64_t pc, struct ft_code_entry **ret_entry,
                       struct ft_diag *diag)
{
    struct ft_code_entry *entry = find_slot(cache->entries, cache->entry_capacity, pc);

    if (entry->generation == cache->generation) {
        entry->is_new = false;
        *ret_entry = entry;
        return FT_OK;
    }
    if (!entry->generation && ++cache->entry_count * 2 > cache->entry_capacity) {
        int status = grow_entries(cache, diag);
        if (status != FT_OK)
            return status;
        entry = find_slot(cache->entries, cache->entry_capacity, pc);
    }
    memset(entry->code, 0, sizeof entry->code);
    size_t length = read_code(cache->process, pc, entry->code);
    int status = ft_instruction_decode(entry->code, length, pc, &entry->instruction, diag);
    if (status != FT_OK)
        return status;
    entry->pc = pc;
    entry->generation = cache->generation;
    entry->is_new = true;
    status = add_page(cache, pc >> PAGE_SHIFT, diag);
    if (status == FT_OK)
        status = add_page(cache, (pc + entry->instruction.length - 1) >> PAGE_SHIFT, diag);
    if (status == FT_OK)
        *ret_entry = entry;
    return status;
}

void ft_code_cache_flush(struct ft_code_cache *cache)
{
    cache->generation++;
}

void ft_code_cache_note_store(struct ft_code_cache *cache, uint64_t address, uint32_t size_bytes)
{
    uint64_t last = (address + size_bytes - 1) >> PAGE_SHIFT;
    for (uint64_t page = address >> PAGE_SHIFT; page <= last; page++)
        if (*find_page(cache->pages, cache->page_capacity, page))
            ft_code_cache_flush(cache);
}
