/*
 * One instruction as text: Intel syntax by Capstone, by Zydis where Capstone 4.0.2
 * knows less (parts of AVX-512). For showing only; nothing is computed from it. A disassembler
 * may be used by one thread at a time.
 */
#ifndef FT_FORMATS_X86_DISASSEMBLY_H
#define FT_FORMATS_X86_DISASSEMBLY_H

#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

struct ft_disassembler;
int ft_disassembler_create(struct ft_disassembler **ret_disassembler, struct ft_diag *diag);
void ft_disassembler_destroy(struct ft_disassembler *disassembler);

/* Writes the instruction at code[0..length) that runs at pc into text ("(bad)" where the bytes are
 * none), cut to size_bytes, and returns how many bytes of code it takes, 0 for a bad one. */
size_t ft_disassemble(struct ft_disassembler *disassembler, const uint8_t *code, size_t length,
                      uint64_t pc, char *text, size_t size_bytes);

#endif
