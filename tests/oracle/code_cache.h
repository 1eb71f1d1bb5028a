/*
 * Decoded instructions of a stopped process, by address. Code that may have changed (new mappings,
 * stores into pages that code came from) is read and decoded again.
 */
#ifndef FT_TESTS_ORACLE_CODE_CACHE_H
#define FT_TESTS_ORACLE_CODE_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/code/instruction.h"

struct ft_code_entry {
    uint64_t pc;
    uint32_t generation; /* 0: an empty slot */
    bool is_new;         /* decoded by the last lookup */
    uint8_t code[15];
    struct ft_instruction instruction;
};

struct ft_code_cache {
    pid_t process;
    struct ft_code_entry *entries;
    size_t entry_capacity, entry_count; /* capacity a power of two */
    uint64_t *pages;                    /* numbers of pages that entries came from, 0 empty */
    size_t page_capacity, page_count;
    uint32_t generation;
};

int ft_code_cache_init(struct ft_code_cache *cache, pid_t process, struct ft_diag *diag);
void ft_code_cache_fini(struct ft_code_cache *cache);
/* The instruction at pc; valid until the next call. */
int ft_code_cache_find(struct ft_code_cache *cache, uint64_t pc, struct ft_code_entry **ret_entry,
                       struct ft_diag *diag);
/* All code may have changed. */
void ft_code_cache_flush(struct ft_code_cache *cache);
/* The process wrote there. */
void ft_code_cache_note_store(struct ft_code_cache *cache, uint64_t address, uint32_t size_bytes);

#endif
