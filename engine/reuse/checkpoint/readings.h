/*
 * Readings of an interrupted replay: of the logs of all threads that are read side by side, for the
 * stacks of one content, how far each was read, what was read and not given yet, and whose turn it
 * was; and the timestamps that say so, which take a reading of the whole trace to find. What it
 * gave is in the pieces of the stacks (pieces.h). A list that is shared by all threads of ours.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_READINGS_H
#define FT_ENGINE_REUSE_CHECKPOINT_READINGS_H

#include "engine/reuse/checkpoint/piece_key.h"
#include "engine/streams/interleaving.h"
#include "formats/base/sealed_file.h"
#include "formats/trace/thread_order.h"

/* What a thread's reader has come to. */
struct ft_checkpoint_reader {
    struct ft_log_place place; /* behind what was read */
    uint64_t accesses;         /* that were read */
    int64_t *strides;          /* [stride_count] */
    uint32_t stride_count;
    struct ft_execution_counts counts; /* units and loop_entries NULL where nothing was read */
    uint64_t unit_count;               /* the highest id */
};

struct ft_checkpoint_reading {
    struct ft_piece_key key; /* its plan is the content */
    struct ft_interleaving_state state;
    struct ft_thread_order order;         /* of as many threads */
    struct ft_checkpoint_reader *readers; /* likewise */
};
void ft_checkpoint_reading_fini(struct ft_checkpoint_reading *reading);

struct ft_checkpoint_readings {
    struct ft_checkpoint_reading *readings;
    size_t count, capacity;
};
void ft_checkpoint_readings_fini(struct ft_checkpoint_readings *kept);
/* Takes the reading over, also where it fails. */
int ft_checkpoint_readings_put(struct ft_checkpoint_readings *kept,
                               struct ft_checkpoint_reading *reading, struct ft_diag *diag);
/* Takes the one with this key out of the list; false where there is none. */
bool ft_checkpoint_readings_take(struct ft_checkpoint_readings *kept,
                                 const struct ft_piece_key *key,
                                 struct ft_checkpoint_reading *ret_reading);
/* Drops all of a pass, which is given up. */
void ft_checkpoint_readings_drop(struct ft_checkpoint_readings *kept, uint32_t trace,
                                 uint32_t first_size, uint32_t size_count);

void ft_checkpoint_readings_write(const struct ft_checkpoint_readings *kept,
                                  struct ft_sealed_output *output);
/* Adds those of a file. FT_ERROR_DATA where they are inconsistent. */
int ft_checkpoint_readings_read(struct ft_checkpoint_readings *kept, struct ft_sealed_input *input,
                                struct ft_diag *diag);

#endif
