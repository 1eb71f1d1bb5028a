/*
 * The state of an interrupted replay that reads the logs of all threads side by side, for the
 * stacks of one content: how far each log was read, what was read but not handed on, and which
 * thread was next; with the order of the threads, which takes a pass over the trace to find. What
 * was handed on is in the pieces of the stacks (pieces.h). A list shared by all threads.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_READINGS_H
#define FT_ENGINE_REUSE_CHECKPOINT_READINGS_H

#include "engine/reuse/checkpoint/piece_key.h"
#include "engine/streams/interleaving.h"
#include "formats/base/sealed_file.h"
#include "formats/histograms/entry.h"
#include "formats/trace/thread_order.h"

/* How far a thread's reader got. */
struct ft_checkpoint_reader {
    struct ft_log_place position;        /* where it continues */
    uint64_t accesses;                   /* that were read */
    struct ft_reference_motion *motions; /* [motion_count] */
    uint32_t motion_count;
    struct ft_execution_counts counts; /* units and loop_entries NULL where nothing was read */
    uint64_t unit_count;               /* the highest id */
};

struct ft_checkpoint_reading {
    struct ft_piece_key key; /* its layout is the content */
    struct ft_interleaving_state state;
    struct ft_thread_order order;         /* of the threads in state */
    struct ft_checkpoint_reader *readers; /* likewise */
};
void ft_checkpoint_reading_fini(struct ft_checkpoint_reading *reading);

struct ft_checkpoint_readings {
    struct ft_checkpoint_reading *readings;
    size_t count, capacity;
};
void ft_checkpoint_readings_fini(struct ft_checkpoint_readings *kept);
/* Takes ownership of the reading, on failure as well. */
int ft_checkpoint_readings_put(struct ft_checkpoint_readings *kept,
                               struct ft_checkpoint_reading *reading, struct ft_diag *diag);
/* Removes the reading with this key from the list; false if there is none. */
bool ft_checkpoint_readings_take(struct ft_checkpoint_readings *kept,
                                 const struct ft_piece_key *key,
                                 struct ft_checkpoint_reading *ret_reading);
/* Drops all readings of a pass that was abandoned. */
void ft_checkpoint_readings_drop(struct ft_checkpoint_readings *kept, uint32_t trace,
                                 uint32_t first_size, uint32_t size_count);

void ft_checkpoint_readings_write(const struct ft_checkpoint_readings *kept,
                                  struct ft_sealed_output *output);
/* Adds the readings in a file. FT_ERROR_DATA if they are inconsistent. */
int ft_checkpoint_readings_read(struct ft_checkpoint_readings *kept, struct ft_sealed_input *input,
                                struct ft_diag *diag);

#endif
