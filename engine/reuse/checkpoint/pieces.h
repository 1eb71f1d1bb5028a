/*
 * Pieces of a replay that was interrupted, or that other ranks did: what was replayed of one
 * stack's log between two positions, to be joined with the others. A list shared by all threads,
 * which can be written to a file and read back. A stack that threads share has one piece without
 * positions: how far it got is recorded with the reading of their logs (readings.h).
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_PIECES_H
#define FT_ENGINE_REUSE_CHECKPOINT_PIECES_H

#include "engine/reuse/checkpoint/piece_key.h"
#include "engine/reuse/checkpoint/readings.h"
#include "engine/reuse/stacks/segment.h"
#include "formats/base/sealed_file.h"
#include "formats/histograms/entry.h"
#include "formats/trace/trace.h"

struct ft_checkpoint_piece {
    struct ft_piece_key key;
    struct ft_log_place from, to;
    struct ft_segment segment;
    struct ft_reference_motion *motions; /* [motion_count], of the log's reader */
    uint32_t motion_count;
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
/* Takes ownership of the piece, on failure as well. */
int ft_checkpoint_pieces_put(struct ft_checkpoint_pieces *kept, struct ft_checkpoint_piece *piece,
                             struct ft_diag *diag);
/* Removes the pieces of a stack from the list, in log order; the caller frees them. key: all
 * members but is_alone have to agree. */
int ft_checkpoint_pieces_take(struct ft_checkpoint_pieces *kept, const struct ft_piece_key *key,
                              struct ft_checkpoint_piece **ret_pieces, size_t *ret_count,
                              struct ft_diag *diag);
/* Finds the key of a piece of a pass over these sizes of a trace; false if there is none. */
bool ft_checkpoint_pieces_find(struct ft_checkpoint_pieces *kept, uint32_t trace,
                               uint32_t first_size, uint32_t size_count,
                               struct ft_piece_key *ret_key);
/* Drops all pieces of a pass that was abandoned. */
void ft_checkpoint_pieces_drop(struct ft_checkpoint_pieces *kept, uint32_t trace,
                               uint32_t first_size, uint32_t size_count);

void ft_checkpoint_pieces_write(const struct ft_checkpoint_pieces *kept,
                                struct ft_sealed_output *output);
/* Adds the pieces in a file; sizes: of the whole replay. FT_ERROR_DATA if they are inconsistent. */
int ft_checkpoint_pieces_read(struct ft_checkpoint_pieces *kept, const struct ft_block_sizes *sizes,
                              struct ft_sealed_input *input, struct ft_diag *diag);

#endif
