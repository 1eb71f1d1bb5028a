/*
 * The summary that `replay` prints: accesses, blocks, memory and time of each trace, its stacks
 * where there are several, the heaviest pairs, and what the memory limit and capture windows
 * changed.
 */
#ifndef FT_ENGINE_COMMANDS_REPLAY_SUMMARY_H
#define FT_ENGINE_COMMANDS_REPLAY_SUMMARY_H

#include <stdio.h>

#include "engine/commands/replay/task.h"

int ft_replay_summary(const struct ft_replay_task *task, FILE *stream, struct ft_diag *diag);

#endif
