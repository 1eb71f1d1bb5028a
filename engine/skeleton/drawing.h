/*
 * Draws the iterations of irregular loops (formats/skeleton/drawn.h) from a generator of
 * pseudo-random numbers: the same for the same seed. One thread at a time.
 */
#ifndef FT_ENGINE_SKELETON_DRAWING_H
#define FT_ENGINE_SKELETON_DRAWING_H

#include "formats/skeleton/drawn.h"
#include "formats/skeleton/nest.h"

struct ft_drawing;
/* Loops at a size: parts and iterations[0] are taken as they are. They must outlive it. */
int ft_drawing_create(const struct ft_drawn_loop *loops, size_t loop_count, uint64_t seed,
                      struct ft_drawing **ret_drawing, struct ft_diag *diag);
void ft_drawing_destroy(struct ft_drawing *drawing);

/* Whether entering a loop may give iterations. */
bool ft_drawing_draws(const struct ft_drawing *drawing, uint32_t loop);
/* A loop is entered; its iterations, 0 where it is not drawn, or not there. */
uint64_t ft_drawing_enter(struct ft_drawing *drawing, uint32_t loop);
/* Its next iteration, until the next call of the same loop. */
struct ft_nest_span ft_drawing_iterate(struct ft_drawing *drawing, uint32_t loop);

/* Whether it is what depends on data in a loop that is cut (iteration_cut.h), and if so: the loop
 * is entered; and the next piece, which may be empty, until the next call. */
bool ft_drawing_is_cut(const struct ft_drawing *drawing, uint32_t loop);
void ft_drawing_enter_cut(struct ft_drawing *drawing, uint32_t loop);
struct ft_nest_span ft_drawing_next_piece(struct ft_drawing *drawing, uint32_t loop);
/* Whether any is. */
bool ft_drawing_has_cuts(const struct ft_drawing *drawing);

#endif
