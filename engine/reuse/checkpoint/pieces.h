/*
 * Pieces of a replay that was interrupted, or that others do: of the log of one stack, what was
 * replayed between two places, to be joined with the rest. A list that is shared by all threads of
 * ours, written to a file and read again. Of stacks that threads share there is one piece each, of
 * no places: how far it came stands with the reading of their logs.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_PIECES_H
#define FT_ENGINE_REUSE_CHECKPOINT_PIECES_H

#include "engine/reuse/checkpoint/piece_key.h"
#include "engine/reuse/checkpoint/readings.h"
#include "engine/reuse/stacks/segment.h"
#include "formats/base/sealed_file.h"
#include "formats/trace/trace.h"

struct ft_checkpoint_piece {
    struct ft_piece_key key;
    struct ft_log_place from, to;
    struct ft_segment segment;
    int64_t *strides; /* [stride_count], those of the log's reader */
    uint32_t stride_count;
    struct ft_execution_counts counts; /* units and loop_entries NULL where nothing was counted */
    uint64_t unit_count;               /* the highest id */
};
void ft_checkpoint_piece_fini(struct ft_checkpoint_piece *piece);

struct ft_checkpoint_pieces {
    struct ft_checkpoint_piece *pieces;
    size_t count, capacity;
    struct ft_checkpoint_readings readings;
};
void ft_checkpoint_pieces_fini(struct ft_checkpoint_pieces *kept);
/* Takes the piece over, also where it fails. */
int ft_checkpoint_pieces_put(struct ft_checkpoint_pieces *kept, struct ft_checkpoint_piece *piece,
                             struct ft_diag *diag);
/* Takes the pieces of a stack out of the list, in the order of its log; to be freed. key: all but
 * is_alone has to agree. */
int ft_checkpoint_pieces_take(struct ft_checkpoint_pieces *kept, const struct ft_piece_key *key,
                              struct ft_checkpoint_piece **ret_pieces, size_t *ret_count,
                              struct ft_diag *diag);
/* A key that pieces of a pass over these sizes of a trace have; false where there is none. */
bool ft_checkpoint_pieces_find(struct ft_checkpoint_pieces *kept, uint32_t trace,
                               uint32_t first_size, uint32_t size_count,
                               struct ft_piece_key *ret_key);
/* Drops all of a pass, which is given up. */
void ft_checkpoint_pieces_drop(struct ft_checkpoint_pieces *kept, uint32_t trace,
                               uint32_t first_size, uint32_t size_count);

void ft_checkpoint_pieces_write(const struct ft_checkpoint_pieces *kept,
                                struct ft_sealed_output *output);
/* Adds those of a file; sizes: all of them. FT_ERROR_DATA where they are inconsistent. */
int ft_checkpoint_pieces_read(struct ft_checkpoint_pieces *kept, const struct ft_block_sizes *sizes,
                              struct ft_sealed_input *input, struct ft_diag *diag);

#endif
