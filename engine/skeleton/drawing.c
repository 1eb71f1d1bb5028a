/*
 * Each path has the values that its numbers had last, as some follow others, or stay. Of a loop
 * that is cut an iteration is drawn where its first piece is asked for; the others follow from what
 * is left of it.
 */
#include "engine/skeleton/drawing.h"

#include <math.h>
#include <stdlib.h>

#include "formats/base/splitmix.h"
#include "formats/skeleton/irregular.h"

struct path_state {
    double share;        /* of the iterations; in sum 1 */
    uint64_t executions; /* so far */
    uint64_t *values;    /* [number] */
    uint64_t *starts;    /* [number]: drawn for this entry */
    uint64_t entry;      /* for which that was */
};

struct loop_state {
    struct path_state *paths;
    uint64_t entries, iteration; /* entered so far; in this entry */
    uint64_t executions;         /* of all paths */
    bool is_cut, is_left;        /* a cut one: no entry of the loop around was begun */
    struct ft_nest_span left;    /* likewise: of the iteration's pieces */
};

struct ft_drawing {
    const struct ft_drawn_loop *loops;
    struct loop_state *states;
    size_t loop_count;
    bool has_cuts;
    uint64_t random;
};

/* ---- start and end ---- */

static bool make_path(const struct ft_drawn_path *path, struct path_state *ret_state)
{
    ret_state->values = calloc(path->number_count + 1, sizeof *ret_state->values);
    ret_state->starts = calloc(path->number_count + 1, sizeof *ret_state->starts);
    return ret_state->values && ret_state->starts;
}

static bool make_loop(const struct ft_drawn_loop *loop, struct loop_state *ret_state)
{
    ret_state->paths = calloc(loop->path_count + 1, sizeof *ret_state->paths);
    if (!ret_state->paths)
        return false;
    double all = 0;
    for (size_t p = 0; p < loop->path_count; p++) {
        all += loop->paths[p].share;
        ret_state->paths[p].share = loop->paths[p].share;
        if (!make_path(&loop->paths[p], &ret_state->paths[p]))
            return false;
    }
    for (size_t p = 0; p < loop->path_count; p++)
        ret_state->paths[p].share /= all;
    return true;
}

int ft_drawing_create(const struct ft_drawn_loop *loops, size_t loop_count, uint64_t seed,
                      struct ft_drawing **ret_drawing, struct ft_diag *diag)
{
    struct ft_drawing *drawing = calloc(1, sizeof *drawing);
    if (!drawing)
        return ft_fail_memory(diag, "drawing loops");
    *drawing = (struct ft_drawing){.loops = loops,
                                   .states = calloc(loop_count + 1, sizeof *drawing->states),
                                   .loop_count = loop_count,
                                   .random = seed};
    bool done = drawing->states != NULL;
    for (size_t i = 0; done && i < loop_count; i++) {
        done = make_loop(&loops[i], &drawing->states[i]);
        drawing->states[i].is_cut = ft_drawn_loop_is_cut(&loops[i], (uint32_t)i);
        drawing->has_cuts = drawing->has_cuts || drawing->states[i].is_cut;
    }
    if (!done) {
        ft_drawing_destroy(drawing);
        return ft_fail_memory(diag, "drawing loops");
    }
    *ret_drawing = drawing;
    return FT_OK;
}

void ft_drawing_destroy(struct ft_drawing *drawing)
{
    if (!drawing)
        return;
    for (size_t i = 0; drawing->states && i < drawing->loop_count; i++) {
        struct path_state *paths = drawing->states[i].paths;
        for (size_t p = 0; paths && p < drawing->loops[i].path_count; p++) {
            free(paths[p].values);
            free(paths[p].starts);
        }
        free(paths);
    }
    free(drawing->states);
    free(drawing);
}

/* ---- iterations ---- */

bool ft_drawing_draws(const struct ft_drawing *drawing, uint32_t loop)
{
    return loop < drawing->loop_count && drawing->loops[loop].path_count > 0 &&
           drawing->loops[loop].iterations[0] > 0;
}

uint64_t ft_drawing_enter(struct ft_drawing *drawing, uint32_t loop)
{
    if (loop >= drawing->loop_count) /* files have none at all where none is drawn */
        return 0;
    const struct ft_drawn_loop *drawn = &drawing->loops[loop];
    struct loop_state *state = &drawing->states[loop];
    const double mean = drawn->iterations[0], least = (double)drawn->iterations_min;
    state->entries++;
    state->iteration = 0;
    if (!ft_drawing_draws(drawing, loop))
        return 0;
    if (!drawn->varies || mean <= least)
        return (uint64_t)(mean + ft_splitmix_uniform(&drawing->random));
    return (uint64_t)(least + 2 * (mean - least) * ft_splitmix_uniform(&drawing->random) + 0.5);
}

static uint64_t start_of(const struct ft_drawn_number *number, uint64_t n)
{
    const uint64_t moved = n * number->parts[FT_DRAWN_STEP], span = number->parts[FT_DRAWN_SPAN];
    if (span == 0)
        return moved;
    return moved >> 63 ? 0 - (0 - moved) % span : moved % span;
}

static uint64_t grain_of(const struct ft_drawn_number *number)
{
    const uint64_t step = number->parts[FT_DRAWN_STEP];
    const bool has_start =
        number->kind == FT_DRAWN_IN_BLOCKS || number->kind == FT_DRAWN_ABOVE_ENTRY;
    return step && !has_start ? step : number->grain;
}

static uint64_t draw_of(struct ft_drawing *drawing, const struct ft_drawn_number *number,
                        uint64_t choices)
{
    return choices > 1 ? grain_of(number) * (ft_splitmix(&drawing->random) % choices) : 0;
}

static uint64_t draw(struct ft_drawing *drawing, const struct ft_drawn_number *number)
{
    return draw_of(drawing, number, number->parts[FT_DRAWN_CHOICES]);
}

/* Whether a number that is drawn in each execution stays as it is in this one. */
static bool stays(const struct ft_drawn_number *number, uint64_t executions)
{
    const uint64_t each = number->parts[FT_DRAWN_SLOPE];
    return each > 1 && each >> 63 == 0 && executions % each != 0;
}

static uint64_t progress_of(const struct ft_drawn_number *number, uint64_t iteration)
{
    return ft_irregular_progress(number->parts[FT_DRAWN_SLOPE], number->slope_per, iteration);
}

/* From the entry's start on to the end of the range. */
static uint64_t draw_above_entry(struct ft_drawing *drawing, const struct ft_drawn_number *number,
                                 uint64_t entry, bool is_first)
{
    const uint64_t start = start_of(number, entry), all = number->parts[FT_DRAWN_CHOICES];
    const uint64_t below = start >> 63 ? 0 : start / number->grain;
    return number->parts[FT_DRAWN_FIRST] + start +
           (is_first || below >= all ? 0 : draw_of(drawing, number, all - below));
}

/* From another number on to the end of the range. */
static uint64_t draw_above_number(struct ft_drawing *drawing, const struct ft_drawn_number *number,
                                  uint64_t other)
{
    const uint64_t first = other + number->parts[FT_DRAWN_FIRST];
    const uint64_t last = number->parts[FT_DRAWN_SPAN];
    const int64_t left = (int64_t)(last - first);
    return left <= 0 ? last
                     : first + draw_of(drawing, number, (uint64_t)left / grain_of(number) + 1);
}

static uint64_t value_of(struct ft_drawing *drawing, const struct ft_drawn_path *path,
                         const struct loop_state *loop, struct path_state *state, size_t k)
{
    const struct ft_drawn_number *number = &path->numbers[k];
    const uint64_t first = number->parts[FT_DRAWN_FIRST];
    switch (number->kind) {
    case FT_DRAWN_FOLLOWS:
        return first + state->values[number->leader];
    case FT_DRAWN_BY_EXECUTION:
        return first + start_of(number, state->executions);
    case FT_DRAWN_EACH:
        return stays(number, state->executions) ? state->values[k] : first + draw(drawing, number);
    case FT_DRAWN_ABOVE_ENTRY: {
        const bool is_first = state->entry != loop->entries;
        return !is_first && stays(number, state->executions)
                   ? state->values[k]
                   : draw_above_entry(drawing, number, loop->entries - 1, is_first);
    }
    case FT_DRAWN_ABOVE_NUMBER:
        return stays(number, state->executions)
                   ? state->values[k]
                   : draw_above_number(drawing, number, state->values[k - 1]);
    case FT_DRAWN_IN_BLOCKS: {
        const uint64_t each = number->parts[FT_DRAWN_SLOPE];
        return first + start_of(number, each ? state->executions / each : 0) +
               draw(drawing, number);
    }
    case FT_DRAWN_START:
        if (state->entry != loop->entries)
            state->starts[k] = draw(drawing, number);
        return first + state->starts[k] + progress_of(number, loop->iteration);
    case FT_DRAWN_BY_ENTRY:
        break;
    }
    return first + start_of(number, loop->entries - 1) + progress_of(number, loop->iteration);
}

/* The path furthest behind its share of the executions, so that paths that take turns do. */
static size_t next_path(const struct ft_drawn_loop *drawn, const struct loop_state *state)
{
    size_t chosen = 0;
    double most = -INFINITY;
    for (size_t p = 0; p < drawn->path_count; p++) {
        const double behind = state->paths[p].share * (double)(state->executions + 1) -
                              (double)state->paths[p].executions;
        if (behind > most) {
            most = behind;
            chosen = p;
        }
    }
    return chosen;
}

struct ft_nest_span ft_drawing_iterate(struct ft_drawing *drawing, uint32_t loop)
{
    const struct ft_drawn_loop *drawn = &drawing->loops[loop];
    struct loop_state *state = &drawing->states[loop];
    const size_t p = next_path(drawn, state);
    const struct ft_drawn_path *path = &drawn->paths[p];
    struct path_state *own = &state->paths[p];
    for (size_t k = 0; k < path->number_count; k++)
        own->values[k] = value_of(drawing, path, state, own, k);
    own->entry = state->entries;
    own->executions++;
    state->executions++;
    state->iteration++;
    return (struct ft_nest_span){path->tokens, path->token_count, own->values, path->number_count};
}

/* ---- loops that are cut ---- */

bool ft_drawing_has_cuts(const struct ft_drawing *drawing)
{
    return drawing->has_cuts;
}

bool ft_drawing_is_cut(const struct ft_drawing *drawing, uint32_t loop)
{
    return loop < drawing->loop_count && drawing->states[loop].is_cut;
}

void ft_drawing_enter_cut(struct ft_drawing *drawing, uint32_t loop)
{
    drawing->states[loop].is_left = true;
}

struct ft_nest_span ft_drawing_next_piece(struct ft_drawing *drawing, uint32_t loop)
{
    struct loop_state *state = &drawing->states[loop];
    struct ft_nest_span *left = &state->left;
    if (left->token_count == 0) { /* of the iteration before */
        if (state->is_left || state->entries == 0) {
            state->entries++;
            state->iteration = 0;
        }
        state->is_left = false;
        *left = ft_drawing_iterate(drawing, loop);
    }
    struct ft_nest_span piece = {left->tokens, 0, left->numbers, 0};
    const uint32_t end = ft_nest_token(FT_NEST_IRREGULAR, loop);
    while (piece.token_count < left->token_count && piece.tokens[piece.token_count] != end) {
        const uint32_t *tokens = piece.tokens + piece.token_count;
        const struct ft_nest_element element = ft_nest_element(tokens);
        piece.number_count += ft_nest_element_numbers(&element, tokens);
        piece.token_count += element.head + element.length;
    }
    const size_t behind = piece.token_count + (piece.token_count < left->token_count);
    *left = (struct ft_nest_span){left->tokens + behind, left->token_count - behind,
                                  left->numbers + piece.number_count,
                                  left->number_count - piece.number_count};
    return piece;
}
