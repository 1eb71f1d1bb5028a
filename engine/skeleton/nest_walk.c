/*
 * A stack of loops, each with its body's numbers in the iteration at hand. A loop whose body has no
 * loops is not pushed, but is a run.
 */
#include "engine/skeleton/nest_walk.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/array.h"

#define NOT_DRAWN UINT32_MAX

struct active_loop {
    const uint32_t *body;
    size_t length, at; /* tokens */
    uint64_t *numbers; /* in this iteration */
    size_t number_count, number_capacity, number_at;
    const uint64_t *steps; /* of the numbers, in the loop around */
    bool is_back;          /* these are to be taken off */
    const uint64_t *rows;  /* geometric: all of its numbers, in the loop around; else NULL */
    uint64_t iteration;    /* likewise */
    uint64_t iterations_left;
    size_t last_length; /* of the last iteration */
    bool last_differs;
    uint32_t drawn; /* the irregular loop of which this is an iteration, or NOT_DRAWN */
};

struct ft_nest_walk {
    struct active_loop *loops; /* those beyond loop_count keep their memory */
    size_t loop_count, loop_capacity, loops_made;
    uint32_t irregular;         /* that was just told of, or NOT_DRAWN */
    struct ft_drawing *drawing; /* or NULL */
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the accesses of a loop nest");
}

/* An iteration of a loop: its body, and numbers in it. */
static bool start_body(struct active_loop *loop, const struct ft_nest_span *body)
{
    if (!FT_RESERVE(loop->numbers, loop->number_capacity, body->number_count))
        return false;
    if (body->number_count)
        memcpy(loop->numbers, body->numbers, body->number_count * sizeof *loop->numbers);
    loop->body = body->tokens;
    loop->length = body->token_count;
    loop->number_count = body->number_count;
    loop->at = loop->number_at = 0;
    return true;
}

static int push_loop(struct ft_nest_walk *walk, const struct ft_nest_span *body,
                     struct ft_diag *diag)
{
    if (!FT_RESERVE(walk->loops, walk->loop_capacity, walk->loop_count + 1))
        return no_memory(diag);
    if (walk->loop_count == walk->loops_made)
        walk->loops[walk->loops_made++] = (struct active_loop){0};
    struct active_loop *loop = &walk->loops[walk->loop_count];
    if (!start_body(loop, body))
        return no_memory(diag);
    loop->iterations_left = 1;
    loop->last_length = loop->length;
    loop->steps = loop->rows = NULL;
    loop->is_back = loop->last_differs = false;
    loop->drawn = NOT_DRAWN;
    walk->loop_count++;
    return FT_OK;
}

/* The numbers of the next iteration. */
static void change(struct active_loop *loop)
{
    if (!loop->rows) {
        for (size_t k = 0; k < loop->number_count; k++)
            loop->numbers[k] += loop->is_back ? 0 - loop->steps[k] : loop->steps[k];
        return;
    }
    const struct ft_nest_element element = {
        .kind = FT_NEST_GEOMETRIC, .body = loop->number_count, .counts = 1};
    loop->iteration++;
    for (size_t k = 0; k < loop->number_count; k++)
        loop->numbers[k] = ft_nest_number_at(&element, loop->rows, k, loop->iteration);
}

/* The body is done: the next iteration, or the end of the loop. */
static int end_body(struct ft_nest_walk *walk, struct active_loop *loop, struct ft_walk_step *step,
                    struct ft_diag *diag)
{
    if (--loop->iterations_left == 0) {
        walk->loop_count--;
        step->event = walk->loop_count ? FT_WALK_LEAVE : FT_WALK_END;
        return FT_OK;
    }
    step->event = FT_WALK_ITERATE;
    if (loop->drawn != NOT_DRAWN) {
        const struct ft_nest_span body = ft_drawing_iterate(walk->drawing, loop->drawn);
        return start_body(loop, &body) ? FT_OK : no_memory(diag);
    }
    change(loop);
    if (loop->iterations_left == 1)
        loop->length = loop->last_length;
    loop->at = loop->number_at = 0;
    return FT_OK;
}

static bool is_innermost(const uint32_t *body, size_t length)
{
    for (size_t at = 0; at < length;) {
        struct ft_nest_element element = ft_nest_element(body + at);
        if (element.counts || element.kind == FT_NEST_IRREGULAR)
            return false;
        at += element.head;
    }
    return true;
}

/* Starts a cycle: its first time may begin, and its last one end, in the middle. */
static void start_cycle(struct active_loop *loop, const struct ft_nest_element *element,
                        const uint64_t *numbers)
{
    const struct ft_nest_time first = ft_nest_time(element, loop->body, numbers, 0);
    const struct ft_nest_time last = ft_nest_time(element, loop->body, numbers, numbers[0] - 1);
    for (size_t k = 0; k < element->body; k++)
        loop->numbers[k] = ft_nest_number_at(element, numbers, k, 0);
    loop->at = first.at;
    loop->number_at = first.number;
    loop->length = first.end;
    loop->last_length = last.end;
    loop->last_differs = last.end != element->length;
    loop->is_back = element->id == FT_NEST_FROM_LAST;
}

static int take_repeat(struct ft_nest_walk *walk, struct active_loop *around,
                       const struct ft_nest_element *element, struct ft_walk_step *step,
                       struct ft_diag *diag)
{
    const uint32_t *body = around->body + around->at + element->head;
    const uint64_t *numbers = around->numbers + around->number_at;
    const uint64_t *first = numbers + element->counts;
    around->number_at += ft_nest_repeat_numbers(element);
    around->at += element->head + element->length;
    if (numbers[0] == 0 || numbers[0] >> 63) /* a law's, or drawn: less than none is none */
        return FT_OK;
    if (numbers[0] > 1 && element->kind == FT_NEST_REPEAT && is_innermost(body, element->length)) {
        *step = (struct ft_walk_step){FT_WALK_RUN, body, element->length, numbers, element->body};
        return FT_OK;
    }
    const struct ft_nest_span span = {body, element->length, first, element->body};
    FT_TRY(push_loop(walk, &span, diag));
    struct active_loop *loop = &walk->loops[walk->loop_count - 1];
    loop->iterations_left = numbers[0];
    loop->steps = first + element->body;
    if (element->kind == FT_NEST_CYCLE)
        start_cycle(loop, element, numbers);
    if (element->kind == FT_NEST_GEOMETRIC) {
        loop->rows = numbers;
        loop->iteration = 0;
    }
    step->event = FT_WALK_ENTER;
    return FT_OK;
}

/* Behind its event: its first iteration, if it is drawn. */
static int enter_irregular(struct ft_nest_walk *walk, uint32_t id, bool *ret_entered,
                           struct ft_diag *diag)
{
    if (walk->drawing && ft_drawing_is_cut(walk->drawing, id)) {
        const struct ft_nest_span piece = ft_drawing_draws(walk->drawing, id)
                                              ? ft_drawing_next_piece(walk->drawing, id)
                                              : (struct ft_nest_span){0};
        *ret_entered = piece.token_count > 0;
        return *ret_entered ? push_loop(walk, &piece, diag) : FT_OK;
    }
    const uint64_t iterations = walk->drawing ? ft_drawing_enter(walk->drawing, id) : 0;
    *ret_entered = iterations > 0;
    if (iterations == 0)
        return FT_OK;
    const struct ft_nest_span body = ft_drawing_iterate(walk->drawing, id);
    FT_TRY(push_loop(walk, &body, diag));
    struct active_loop *loop = &walk->loops[walk->loop_count - 1];
    loop->iterations_left = iterations;
    loop->drawn = id;
    return FT_OK;
}

/* A loop whose iterations are cut is entered. */
static void enter_cuts(const struct ft_nest_walk *walk, const uint32_t *tokens, size_t token_count)
{
    for (size_t at = 0; at < token_count;) {
        const struct ft_nest_element element = ft_nest_element(tokens + at);
        if (element.kind == FT_NEST_IRREGULAR && ft_drawing_is_cut(walk->drawing, element.id))
            ft_drawing_enter_cut(walk->drawing, element.id);
        at += element.head + (element.kind == FT_NEST_LOOP ? element.length : 0);
    }
}

/* step: its event stays END where there is nothing to tell. */
static int take_element(struct ft_nest_walk *walk, struct active_loop *loop,
                        struct ft_walk_step *step, struct ft_diag *diag)
{
    const uint32_t *tokens = loop->body + loop->at;
    struct ft_nest_element element = ft_nest_element(tokens);
    switch (element.kind) {
    case FT_NEST_REPEAT:
    case FT_NEST_CYCLE:
    case FT_NEST_GEOMETRIC:
        return take_repeat(walk, loop, &element, step, diag);
    case FT_NEST_ACCESS:
        *step = (struct ft_walk_step){FT_WALK_ACCESS, tokens, element.head,
                                      loop->numbers + loop->number_at++, 1};
        break;
    case FT_NEST_IRREGULAR:
        *step = (struct ft_walk_step){FT_WALK_IRREGULAR, tokens, element.head, NULL, 0};
        walk->irregular = element.id;
        break;
    case FT_NEST_LOOP:
        if (walk->drawing && ft_drawing_has_cuts(walk->drawing))
            enter_cuts(walk, tokens + element.head, element.length);
        break;
    default: /* brackets */
        break;
    }
    loop->at += element.head;
    return FT_OK;
}

int ft_nest_walk_next(struct ft_nest_walk *walk, struct ft_walk_step *ret_step,
                      struct ft_diag *diag)
{
    struct ft_walk_step step = {.event = FT_WALK_END};
    if (walk->irregular != NOT_DRAWN) {
        bool entered;
        FT_TRY(enter_irregular(walk, walk->irregular, &entered, diag));
        walk->irregular = NOT_DRAWN;
        step.event = entered ? FT_WALK_ENTER : FT_WALK_END;
    }
    while (step.event == FT_WALK_END && walk->loop_count) {
        struct active_loop *loop = &walk->loops[walk->loop_count - 1];
        if (loop->at == loop->length)
            FT_TRY(end_body(walk, loop, &step, diag));
        else
            FT_TRY(take_element(walk, loop, &step, diag));
    }
    *ret_step = step;
    return FT_OK;
}

/* ---- for who follows ---- */

size_t ft_nest_walk_depth(const struct ft_nest_walk *walk)
{
    return walk->loop_count - 1;
}

struct ft_walked_loop ft_nest_walk_loop(const struct ft_nest_walk *walk, size_t depth)
{
    const struct active_loop *loop = &walk->loops[depth];
    return (struct ft_walked_loop){
        .body = {loop->body, loop->length, loop->numbers, loop->number_count},
        .steps = loop->drawn == NOT_DRAWN && !loop->rows ? loop->steps : NULL,
        .is_back = loop->is_back,
        .iterations_left = loop->iterations_left,
        .alike_left = loop->iterations_left - loop->last_differs,
    };
}

void ft_nest_walk_skip(struct ft_nest_walk *walk, uint64_t iterations)
{
    struct active_loop *loop = &walk->loops[walk->loop_count - 1];
    if (iterations == loop->iterations_left) { /* it ends */
        loop->iterations_left = 1;
        loop->at = loop->length;
        return;
    }
    loop->iterations_left -= iterations;
    loop->at = loop->number_at = 0; /* of a cycle, the first time may start elsewhere */
    for (size_t k = 0; k < loop->number_count; k++)
        loop->numbers[k] += iterations * (loop->is_back ? 0 - loop->steps[k] : loop->steps[k]);
    if (loop->iterations_left == 1)
        loop->length = loop->last_length;
}

bool ft_nest_walk_draws(const struct ft_nest_walk *walk, uint32_t irregular)
{
    return walk->drawing && ft_drawing_draws(walk->drawing, irregular);
}

/* ---- start and end ---- */

void ft_nest_walk_destroy(struct ft_nest_walk *walk)
{
    if (!walk)
        return;
    for (size_t i = 0; i < walk->loops_made; i++)
        free(walk->loops[i].numbers);
    free(walk->loops);
    ft_drawing_destroy(walk->drawing);
    free(walk);
}

int ft_nest_walk_create(const struct ft_nest *nest, struct ft_drawing *drawing,
                        struct ft_nest_walk **ret_walk, struct ft_diag *diag)
{
    struct ft_nest_walk *walk = calloc(1, sizeof *walk);
    if (!walk) {
        ft_drawing_destroy(drawing);
        return no_memory(diag);
    }
    walk->drawing = drawing;
    walk->irregular = NOT_DRAWN;
    const struct ft_nest_span whole = ft_nest_span(nest);
    int status = push_loop(walk, &whole, diag);
    if (status) {
        ft_nest_walk_destroy(walk);
        return status;
    }
    *ret_walk = walk;
    return FT_OK;
}
