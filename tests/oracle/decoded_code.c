/*
 * Two open-addressing tables: instructions by pc, and pages of code. An entry of an older
 * generation is decoded again in place, so flushing is one increment.
 */
#include "tests/oracle/decoded_code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define PAGE_SHIFT 12

static size_t hash(uint64_t key, size_t capacity)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
}

static struct ft_decoded_instruction *find_slot(struct ft_decoded_instruction *entries,
                                                size_t capacity, uint64_t pc)
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

int ft_decoded_code_init(struct ft_decoded_code *decoded, pid_t process, struct ft_diag *diag)
{
    *decoded = (struct ft_decoded_code){
        .process = process, .generation = 1, .entry_capacity = 1 << 12, .page_capacity = 1 << 10};
    decoded->entries = calloc(decoded->entry_capacity, sizeof *decoded->entries);
    decoded->pages = calloc(decoded->page_capacity, sizeof *decoded->pages);
    if (!decoded->entries || !decoded->pages) {
        ft_decoded_code_fini(decoded);
        return ft_fail_memory(diag, "decoded instructions");
    }
    return FT_OK;
}

void ft_decoded_code_fini(struct ft_decoded_code *decoded)
{
    free(decoded->entries);
    free(decoded->pages);
    decoded->entries = NULL;
    decoded->pages = NULL;
}

static int grow_entries(struct ft_decoded_code *decoded, struct ft_diag *diag)
{
    size_t capacity = decoded->entry_capacity * 2;
    struct ft_decoded_instruction *entries = calloc(capacity, sizeof *entries);
    if (!entries)
        return ft_fail_memory(diag, "decoded instructions");
    for (size_t i = 0; i < decoded->entry_capacity; i++)
        if (decoded->entries[i].generation)
            *find_slot(entries, capacity, decoded->entries[i].pc) = decoded->entries[i];
    free(decoded->entries);
    decoded->entries = entries;
    decoded->entry_capacity = capacity;
    return FT_OK;
}

static int add_page(struct ft_decoded_code *decoded, uint64_t page, struct ft_diag *diag)
{
    uint64_t *slot = find_page(decoded->pages, decoded->page_capacity, page);
    if (*slot)
        return FT_OK;
    *slot = page;
    if (++decoded->page_count * 2 < decoded->page_capacity)
        return FT_OK;
    size_t capacity = decoded->page_capacity * 2;
    uint64_t *pages = calloc(capacity, sizeof *pages);
    if (!pages)
        return ft_fail_memory(diag, "pages of code");
    for (size_t i = 0; i < decoded->page_capacity; i++)
        if (decoded->pages[i])
            *find_page(pages, capacity, decoded->pages[i]) = decoded->pages[i];
    free(decoded->pages);
    decoded->pages = pages;
    decoded->page_capacity = capacity;
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

int ft_decoded_code_find(struct ft_decoded_code *decoded, uint64_t pc,
                         struct ft_decoded_instruction **ret_entry, struct ft_diag *diag)
{
    struct ft_decoded_instruction *entry = find_slot(decoded->entries, decoded->entry_capacity, pc);

    if (entry->generation == decoded->generation) {
        entry->is_new = false;
        *ret_entry = entry;
        return FT_OK;
    }
    if (!entry->generation && ++decoded->entry_count * 2 > decoded->entry_capacity) {
        int status = grow_entries(decoded, diag);
        if (status != FT_OK)
            return status;
        entry = find_slot(decoded->entries, decoded->entry_capacity, pc);
    }
    memset(entry->code, 0, sizeof entry->code);
    size_t length = read_code(decoded->process, pc, entry->code);
    int status = ft_instruction_decode(entry->code, length, pc, &entry->instruction, diag);
    if (status != FT_OK)
        return status;
    entry->pc = pc;
    entry->generation = decoded->generation;
    entry->is_new = true;
    status = add_page(decoded, pc >> PAGE_SHIFT, diag);
    if (status == FT_OK)
        status = add_page(decoded, (pc + entry->instruction.length - 1) >> PAGE_SHIFT, diag);
    if (status == FT_OK)
        *ret_entry = entry;
    return status;
}

void ft_decoded_code_flush(struct ft_decoded_code *decoded)
{
    decoded->generation++;
}

void ft_decoded_code_note_store(struct ft_decoded_code *decoded, uint64_t address,
                                uint32_t size_bytes)
{
    uint64_t last = (address + size_bytes - 1) >> PAGE_SHIFT;
    for (uint64_t page = address >> PAGE_SHIFT; page <= last; page++)
        if (*find_page(decoded->pages, decoded->page_capacity, page))
            ft_decoded_code_flush(decoded);
}
