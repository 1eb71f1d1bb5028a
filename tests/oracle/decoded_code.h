/*
 * Decoded instructions of a stopped process, by address. Code that may have changed (new mappings,
 * stores into pages that code came from) is read and decoded again.
 */
#ifndef FT_TESTS_ORACLE_DECODED_CODE_H
#define FT_TESTS_ORACLE_DECODED_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "formats/x86/instruction.h"

struct ft_decoded_instruction {
    uint64_t pc;
    uint32_t generation; /* 0: an empty slot */
    bool is_new;         /* decoded by the last lookup */
    uint8_t code[15];
    struct ft_instruction instruction;
};

struct ft_decoded_code {
    pid_t process;
    struct ft_decoded_instruction *entries;
    size_t entry_capacity, entry_count; /* capacity a power of two */
    uint64_t *pages;                    /* numbers of pages that entries came from, 0 empty */
    size_t page_capacity, page_count;
    uint32_t generation;
};

int ft_decoded_code_init(struct ft_decoded_code *decoded, pid_t process, struct ft_diag *diag);
void ft_decoded_code_fini(struct ft_decoded_code *decoded);
/* The instruction at pc; valid until the next call. */
int ft_decoded_code_find(struct ft_decoded_code *decoded, uint64_t pc,
                         struct ft_decoded_instruction **ret_entry, struct ft_diag *diag);
/* All code may have changed. */
void ft_decoded_code_flush(struct ft_decoded_code *decoded);
/* The process wrote there. */
void ft_decoded_code_note_store(struct ft_decoded_code *decoded, uint64_t address,
                                uint32_t size_bytes);

#endif
