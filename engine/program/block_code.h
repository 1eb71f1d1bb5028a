/*
 * What a core needs to know of a scope tree: the machine code of its blocks, and what the addresses
 * of its loads depend on. Thread safe.
 */
#ifndef FT_ENGINE_PROGRAM_BLOCK_CODE_H
#define FT_ENGINE_PROGRAM_BLOCK_CODE_H

#include "engine/program/structure.h"

/* Gives the structure's scope tree both; a trace without code has neither. A load that a chain of
 * loads merely feeds is indirect: the next one does not wait for it. */
int ft_block_code_add(struct ft_structure *structure, struct ft_diag *diag);
/* The machine code alone, to be shown. */
int ft_block_code_copy(struct ft_structure *structure, struct ft_diag *diag);

#endif
