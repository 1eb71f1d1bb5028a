/*
 * Folding: loops of the machine code that a compiler made from one source loop (a vectorised and a
 * scalar one, the results of fission or peeling) become one scope. They are recognised by their
 * lines: loops with the same parent, inlined calls and file whose line ranges overlap (Marin &
 * Mellor-Crummey 2004, section 3).
 */
#ifndef FT_ENGINE_PROGRAM_GRAPH_LOOP_FOLDING_H
#define FT_ENGINE_PROGRAM_GRAPH_LOOP_FOLDING_H

#include "engine/program/graph/program_loops.h"

/* Sets same_as of all loops; the first loop of a source loop gets the combined range and end. Loops
 * without lines are not folded. False when out of memory. */
bool ft_loops_fold(struct ft_program_loops *loops);

#endif
