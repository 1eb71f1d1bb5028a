/*
 * When a replay with --checkpoint stops: for good at the first SIGTERM or SIGINT, and at intervals
 * to save its state. One flag for the whole process; thread safe.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_REPLAY_STOP_H
#define FT_ENGINE_REUSE_CHECKPOINT_REPLAY_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

/* From now on the first SIGTERM or SIGINT sets the flag; a second one ends the process. */
const atomic_bool *ft_stop_on_signals(void);
/* Set by the signals alone: for work that is not saved in parts. */
const atomic_bool *ft_stop_for_good(void);
/* Sets the flag until the next ft_stop_is_final. */
void ft_stop_to_save(void);
/* Whether a signal asked for the stop; if not, clears the flag. */
bool ft_stop_is_final(void);

#endif
