/*
 * When a replay with --checkpoint stops: at the first SIGTERM or ctrl-C, to end, and now and then,
 * to save its state and go on. One flag for the whole process; any thread may call all of these.
 */
#ifndef FT_ENGINE_REUSE_CHECKPOINT_REPLAY_STOP_H
#define FT_ENGINE_REUSE_CHECKPOINT_REPLAY_STOP_H

#include <stdatomic.h>
#include <stdbool.h>

/* From here on the first SIGTERM or SIGINT makes the flag true; a second one ends the process. */
const atomic_bool *ft_stop_on_signals(void);
/* Makes it true until ft_stop_is_final. */
void ft_stop_to_save(void);
/* Whether a signal has asked for the stop; where none has, the flag is false again. */
bool ft_stop_is_final(void);

#endif
