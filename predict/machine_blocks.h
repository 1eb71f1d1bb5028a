/*
 * The block sizes that a machine's levels need, and whether a model or histograms have them: those
 * that the traces were replayed with.
 */
#ifndef FT_PREDICT_MACHINE_BLOCKS_H
#define FT_PREDICT_MACHINE_BLOCKS_H

#include "formats/model/model.h"
#include "machines/machine.h"

/* Ascending lists of block sizes, and their text: "32,64,4K", as `replay -b` takes it, truncated
 * if there is no room. Only a size that is not in the list yet, which must have room, may be
 * inserted. */
bool ft_block_list_has(const uint64_t *sizes, size_t count, uint64_t block_bytes);
void ft_block_list_insert(uint64_t *sizes, size_t *count, uint64_t block_bytes);
/* Inserts those of the machine's levels; with a line among them, or one of 64 bytes, which tells
 * how much data there are. FT_ERROR_USAGE where that is more than `room` sizes. */
int ft_block_list_add_machine(uint64_t *sizes, size_t *count, size_t room,
                              const struct ft_machine *machine, struct ft_diag *diag);
void ft_block_list_text(char *text, size_t room, const uint64_t *sizes, size_t count);

/* FT_ERROR_USAGE if the list lacks some of the machine's; the message lists them all and names the
 * command that adds them. which: completes "blocks of 128 bytes, which ..."; then: "run 'foretrace
 * replay -b 64,128' on the same ...". */
int ft_block_list_check(const uint64_t *sizes, size_t count, const struct ft_machine *machine,
                        const char *which, const char *then, struct ft_diag *diag);
/* The same of a model. */
int ft_predict_check_sizes(const struct ft_model *model, const struct ft_machine *machine,
                           struct ft_diag *diag);

#endif
