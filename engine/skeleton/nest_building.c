/*
 * A frame per active loop: the terms of its iterations so far, and the iteration at hand, in which
 * routines are brackets. A loop that is left becomes a bracket in the frame around it. The frame at
 * the bottom is the thread's, whose one iteration is the result.
 *
 * A frame of an irregular loop hands its iterations to the loop's summary, and leaves a token. A
 * frame that has outgrown the limit is spoilt: what it holds is dropped, and so is what comes until
 * it is left. A routine that is active already is summed up, too, with all that it calls, unless
 * each activation calls itself once, outside of loops.
 */
#include "engine/skeleton/nest_building.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/irregular_search.h"
#include "engine/skeleton/loop_cuts.h"
#include "formats/base/array.h"

#define NO_IRREGULAR  UINT32_MAX
#define NO_LOOP_TOKEN UINT32_MAX
/* A thread may hold so many times what a loop may: it does not repeat. */
#define THREAD_FACTOR 32U
/* Of a routine that calls itself, inside each other. */
#define ACTIVATIONS_MAX 32U
/* So few iterations of a loop outgrow the limit only if they are long. */
#define LONG_ITERATIONS_MAX 4U

struct level {
    struct ft_nest_context context;
    size_t place; /* routines: in the iteration at hand; SIZE_MAX: not in it */
    bool has_called_itself;
};

struct frame {
    struct ft_nest_context loop;
    uint64_t entry;                /* number of this entry, over all loops */
    uint32_t irregular;            /* its summary, or NO_IRREGULAR */
    const struct ft_cut_loop *cut; /* or NULL */
    bool is_spoilt, has_accesses;
    struct ft_nest iteration;
    struct ft_folding folding;
};

struct ft_nest_builder {
    struct level *levels;
    size_t level_count, level_capacity;
    struct frame *frames; /* those beyond frame_count keep their memory */
    size_t frame_count, frame_capacity, frames_made;
    uint32_t *activations; /* [routine]: how many are active */
    uint64_t entries;
    size_t loop_words;
    size_t summed_level;       /* all from this level on is summed up; 0: none */
    uint32_t summed_irregular; /* there */
    bool must_restart;
    struct ft_irregular *irregulars;
    size_t irregular_count, irregular_capacity;
    struct ft_hash_table by_context;
    uint64_t *irregular_accesses; /* [reference] */
    uint64_t *kept_runs;          /* contexts of loops */
    size_t kept_run_count, kept_run_capacity;
    struct ft_loop_cuts cuts; /* complete before the first event */
    uint32_t reference_count;
    struct ft_fold_scratch scratch;
};

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "the loop nest of a thread");
}

/* ---- irregular loops ---- */

static uint32_t find_irregular(const struct ft_nest_builder *builder, uint64_t context)
{
    uint32_t i;
    for (size_t probe = context; ft_hash_next(&builder->by_context, context, &probe, &i);)
        if (builder->irregulars[i].context == context)
            return i;
    return NO_IRREGULAR;
}

static int add_irregular(struct ft_nest_builder *builder, struct ft_nest_context loop,
                         struct ft_diag *diag)
{
    size_t count = builder->irregular_count;
    if (count > FT_NEST_ID_MAX ||
        !FT_RESERVE(builder->irregulars, builder->irregular_capacity, count + 1) ||
        !ft_hash_table_add(&builder->by_context, loop.hash, (uint32_t)count))
        return no_memory(diag);
    builder->irregulars[count] = (struct ft_irregular){.context = loop.hash, .token = loop.token};
    builder->irregular_count++;
    return FT_OK;
}

static int found_irregular(void *context, struct ft_nest_context loop, struct ft_diag *diag)
{
    struct ft_nest_builder *builder = context;
    if (find_irregular(builder, loop.hash) != NO_IRREGULAR)
        return FT_OK;
    if (loop.token == NO_LOOP_TOKEN)
        return FT_OK; /* the thread itself */
    builder->must_restart = true;
    return add_irregular(builder, loop, diag);
}

/* ---- loops whose runs are kept ---- */

static bool keeps_runs(const struct ft_nest_builder *builder, struct ft_nest_context loop)
{
    for (size_t i = 0; i < builder->kept_run_count; i++)
        if (builder->kept_runs[i] == loop.hash)
            return true;
    return false;
}

int ft_nest_builder_keeps_runs(struct ft_nest_builder *builder, struct ft_nest_context loop,
                               struct ft_diag *diag)
{
    if (keeps_runs(builder, loop))
        return FT_OK;
    if (!FT_RESERVE(builder->kept_runs, builder->kept_run_capacity, builder->kept_run_count + 1))
        return no_memory(diag);
    builder->kept_runs[builder->kept_run_count++] = loop.hash;
    return FT_OK;
}

/* ---- loops that are cut ---- */

int ft_nest_builder_cuts(struct ft_nest_builder *builder, struct ft_nest_context loop,
                         struct ft_loop_cut *cut, struct ft_diag *diag)
{
    const struct ft_nest_context paths = ft_loop_cut_context(loop);
    if (cut->cut && find_irregular(builder, paths.hash) == NO_IRREGULAR)
        FT_TRY(add_irregular(builder, paths, diag));
    const struct ft_cut_loop added = {loop.hash, cut, find_irregular(builder, paths.hash)};
    if (!ft_loop_cuts_find(&builder->cuts, loop.hash) && !ft_loop_cuts_add(&builder->cuts, &added))
        return no_memory(diag);
    return FT_OK;
}

/* ---- frames ---- */

static struct frame *top(const struct ft_nest_builder *builder)
{
    return &builder->frames[builder->frame_count - 1];
}

static int push_frame(struct ft_nest_builder *builder, struct ft_nest_context loop,
                      struct ft_diag *diag)
{
    if (!FT_RESERVE(builder->frames, builder->frame_capacity, builder->frame_count + 1))
        return no_memory(diag);
    if (builder->frame_count == builder->frames_made)
        builder->frames[builder->frames_made++] = (struct frame){0};
    struct frame *frame = &builder->frames[builder->frame_count++];
    frame->loop = loop;
    frame->entry = ++builder->entries;
    frame->irregular = find_irregular(builder, loop.hash);
    frame->cut = ft_loop_cuts_find(&builder->cuts, loop.hash);
    frame->is_spoilt = frame->has_accesses = false;
    ft_nest_clear(&frame->iteration);
    ft_folding_clear(&frame->folding);
    frame->folding.keeps_runs = keeps_runs(builder, loop);
    return FT_OK;
}

/* Ends the brackets of routines that are active in the top frame. */
static void close_brackets(struct ft_nest_builder *builder)
{
    struct ft_nest *iteration = &top(builder)->iteration;
    for (size_t i = builder->level_count; i > 0; i--) {
        const struct level *level = &builder->levels[i - 1];
        if (ft_nest_kind(level->context.token) == FT_NEST_LOOP)
            break;
        if (level->place != SIZE_MAX)
            iteration->tokens[level->place + 1] =
                (uint32_t)(iteration->token_count - level->place - 2);
    }
}

/* A few long iterations outgrow the limit by what is in them, be they alike or not: the loop there
 * that takes most of the longest, or the frame's own. */
static struct ft_nest_context search_long_iterations(const struct frame *frame)
{
    const struct ft_folding *folding = &frame->folding;
    const struct ft_fold_term *longest = NULL;
    for (size_t i = 0; i < folding->term_count && folding->term_count <= LONG_ITERATIONS_MAX; i++)
        if (!longest || folding->terms[i].token_count > longest->token_count)
            longest = &folding->terms[i];
    if (!longest)
        return frame->loop;
    const struct ft_nest body = {.tokens = longest->tokens, .token_count = longest->token_count};
    return ft_irregular_search_body(&body, frame->loop);
}

/* What keeps the top frame, which has outgrown the limit, from folding. */
static int find_cause(struct ft_nest_builder *builder, struct ft_diag *diag)
{
    const struct frame *frame = top(builder);
    close_brackets(builder);
    const struct ft_nest_context inside = search_long_iterations(frame);
    if (inside.hash != frame->loop.hash)
        return found_irregular(builder, inside, diag);
    FT_TRY(ft_irregular_search_terms(&frame->folding, frame->loop, found_irregular, builder, diag));
    if (builder->must_restart)
        return FT_OK;
    FT_TRY(
        found_irregular(builder, ft_irregular_search_body(&frame->iteration, frame->loop), diag));
    return builder->must_restart
               ? FT_OK
               : ft_fail(diag, FT_ERROR_UNSUPPORTED,
                         "code outside of loops makes too many accesses to be kept");
}

/* Drops what the top frame holds where that is too much, once it is known why. */
static int check_size(struct ft_nest_builder *builder, struct ft_diag *diag)
{
    struct frame *frame = top(builder);
    size_t words =
        frame->folding.words + frame->iteration.token_count + frame->iteration.number_count;
    size_t limit = builder->loop_words * (builder->frame_count == 1 ? THREAD_FACTOR : 1);
    if (frame->is_spoilt || words <= limit)
        return FT_OK;
    FT_TRY(find_cause(builder, diag));
    frame->is_spoilt = true;
    ft_nest_clear(&frame->iteration);
    ft_folding_clear(&frame->folding);
    return FT_OK;
}

/* The top frame's iteration; what is kept of it is folded. */
static int cut_iteration(struct ft_nest_builder *builder, struct ft_diag *diag)
{
    struct frame *frame = top(builder);
    const struct ft_cut_loop *loop = frame->cut;
    if (!loop->cut->cut)
        return loop->cut->watch(loop->cut->watching, &frame->iteration, diag);
    FT_TRY(ft_loop_cuts_apply(&builder->cuts, loop, &frame->iteration,
                              &builder->irregulars[loop->irregular], builder->irregular_accesses,
                              diag));
    return ft_folding_add(&frame->folding, &builder->cuts.kept, &builder->scratch, diag);
}

static int end_iteration(struct ft_nest_builder *builder, struct ft_diag *diag)
{
    struct frame *frame = top(builder);
    if (frame->iteration.token_count == 0)
        return FT_OK;
    frame->has_accesses = true;
    if (frame->irregular != NO_IRREGULAR)
        FT_TRY(ft_irregular_add(&builder->irregulars[frame->irregular], &frame->iteration,
                                builder->irregular_accesses, diag));
    else if (frame->cut)
        FT_TRY(cut_iteration(builder, diag));
    else
        FT_TRY(ft_folding_add(&frame->folding, &frame->iteration, &builder->scratch, diag));
    ft_nest_clear(&frame->iteration);
    return check_size(builder, diag);
}

/* The top frame, whose last iteration has ended, becomes a part of the iteration of the one
 * below. */
static int pop_frame(struct ft_nest_builder *builder, struct ft_diag *diag)
{
    struct frame *frame = top(builder), *below = frame - 1;
    builder->frame_count--;
    if (below->is_spoilt || frame->is_spoilt)
        return FT_OK;
    if (frame->irregular != NO_IRREGULAR) {
        ft_irregular_end_entry(&builder->irregulars[frame->irregular]);
        if (frame->has_accesses && !ft_nest_add_irregular(&below->iteration, frame->irregular))
            return no_memory(diag);
        return FT_OK;
    }
    if (frame->cut)
        FT_TRY(ft_loop_cuts_leave(frame->cut, builder->irregulars, diag));
    size_t place;
    if (!ft_nest_open(&below->iteration, FT_NEST_LOOP, ft_nest_id(frame->loop.token), &place))
        return no_memory(diag);
    FT_TRY(ft_folding_end(&frame->folding, &below->iteration, &builder->scratch, diag));
    ft_nest_close(&below->iteration, place);
    return check_size(builder, diag);
}

/* ---- events ---- */

static int open_routine(struct frame *frame, struct level *level, uint32_t routine,
                        struct ft_diag *diag)
{
    if (!frame->is_spoilt &&
        !ft_nest_open(&frame->iteration, FT_NEST_ROUTINE, routine, &level->place))
        return no_memory(diag);
    return FT_OK;
}

/* Whether a routine that is entered again is so by itself, and so was each of its activations, as
 * goes down the levels of a grid. */
static bool goes_down(struct ft_nest_builder *builder, uint32_t routine)
{
    if (builder->level_count < 2 || builder->activations[routine] > ACTIVATIONS_MAX)
        return false;
    struct level *level = &builder->levels[builder->level_count - 1], *caller = level - 1;
    if (caller->context.token != level->context.token || caller->has_called_itself)
        return false;
    caller->has_called_itself = true;
    return true;
}

static int enter_routine(struct ft_nest_builder *builder, struct level *level, uint32_t routine,
                         struct ft_diag *diag)
{
    struct frame *frame = top(builder);
    if (builder->activations[routine]++) {
        struct ft_nest_context itself =
            ft_nest_context_inside((struct ft_nest_context){0}, level->context.token);
        uint32_t irregular = find_irregular(builder, itself.hash);
        if (irregular == NO_IRREGULAR && goes_down(builder, routine))
            return open_routine(frame, level, routine, diag);
        if (irregular == NO_IRREGULAR) {
            FT_TRY(found_irregular(builder, itself, diag));
            irregular = (uint32_t)builder->irregular_count - 1;
        }
        builder->summed_irregular = irregular;
        builder->summed_level = builder->level_count;
        builder->irregulars[irregular].entries++;
        if (!frame->is_spoilt && !ft_nest_add_irregular(&frame->iteration, irregular))
            return no_memory(diag);
        return FT_OK;
    }
    return open_routine(frame, level, routine, diag);
}

int ft_nest_builder_enter(struct ft_nest_builder *builder, enum ft_nest_kind kind, uint32_t id,
                          struct ft_diag *diag)
{
    if (!FT_RESERVE(builder->levels, builder->level_capacity, builder->level_count + 1))
        return no_memory(diag);
    struct ft_nest_context around = {0};
    if (builder->level_count)
        around = builder->levels[builder->level_count - 1].context;
    struct level *level = &builder->levels[builder->level_count++];
    *level =
        (struct level){ft_nest_context_inside(around, ft_nest_token(kind, id)), SIZE_MAX, false};
    if (builder->summed_level)
        return FT_OK;
    return kind == FT_NEST_LOOP ? push_frame(builder, level->context, diag)
                                : enter_routine(builder, level, id, diag);
}

int ft_nest_builder_iterate(struct ft_nest_builder *builder, struct ft_diag *diag)
{
    return builder->summed_level ? FT_OK : end_iteration(builder, diag);
}

static int leave_level(struct ft_nest_builder *builder, struct ft_diag *diag)
{
    const size_t depth = builder->level_count;
    const struct level *level = &builder->levels[depth - 1];
    const uint32_t token = level->context.token;
    bool is_summed = builder->summed_level != 0;
    if (ft_nest_kind(token) == FT_NEST_LOOP && !is_summed)
        FT_TRY(end_iteration(builder, diag)); /* before close_brackets takes it for left */
    builder->level_count--;
    if (builder->summed_level == depth)
        builder->summed_level = 0;
    if (ft_nest_kind(token) == FT_NEST_LOOP)
        return is_summed ? FT_OK : pop_frame(builder, diag);
    if (!is_summed || !builder->summed_level)
        builder->activations[ft_nest_id(token)]--;
    if (!is_summed && level->place != SIZE_MAX && !top(builder)->is_spoilt)
        ft_nest_close(&top(builder)->iteration, level->place);
    return FT_OK;
}

int ft_nest_builder_leave(struct ft_nest_builder *builder, size_t depth, struct ft_diag *diag)
{
    while (builder->level_count > depth)
        FT_TRY(leave_level(builder, diag));
    return FT_OK;
}

int ft_nest_builder_access(struct ft_nest_builder *builder, uint32_t reference, uint64_t address,
                           struct ft_diag *diag)
{
    if (builder->summed_level)
        return ft_irregular_add_access(&builder->irregulars[builder->summed_irregular], reference,
                                       address, builder->irregular_accesses, diag);
    struct frame *frame = top(builder);
    if (frame->is_spoilt)
        return FT_OK;
    return ft_nest_add_access(&frame->iteration, reference, address) ? FT_OK : no_memory(diag);
}

int ft_nest_builder_string(struct ft_nest_builder *builder, const struct ft_nest_span *body,
                           const uint64_t *strides, uint64_t iterations, bool *ret_taken,
                           struct ft_diag *diag)
{
    struct frame *frame = top(builder);
    *ret_taken = !builder->summed_level;
    if (builder->summed_level || frame->is_spoilt)
        return FT_OK;
    return ft_nest_add_repeat(&frame->iteration, body, iterations, strides) ? FT_OK
                                                                            : no_memory(diag);
}

int ft_nest_builder_add(struct ft_nest_builder *builder, const struct ft_nest_span *span,
                        struct ft_diag *diag)
{
    return ft_nest_add(&top(builder)->iteration, span) ? FT_OK : no_memory(diag);
}

int ft_nest_builder_begin_with(struct ft_nest_builder *builder,
                               const struct ft_thread_skeleton *thread, struct ft_diag *diag)
{
    for (size_t i = 0; i < thread->irregular_count; i++) {
        const struct ft_irregular *loop = &thread->irregulars[i];
        const struct ft_nest_context context = {loop->context, loop->token};
        FT_TRY(add_irregular(builder, context, diag));
        if (!ft_irregular_copy(loop, &builder->irregulars[i]))
            return no_memory(diag);
    }
    if (builder->reference_count)
        memcpy(builder->irregular_accesses, thread->irregular_accesses,
               builder->reference_count * sizeof *builder->irregular_accesses);
    return FT_OK;
}

int ft_nest_builder_is_irregular(struct ft_nest_builder *builder, struct ft_nest_context loop,
                                 struct ft_diag *diag)
{
    return find_irregular(builder, loop.hash) == NO_IRREGULAR ? add_irregular(builder, loop, diag)
                                                              : FT_OK;
}

/* ---- pieces of work that repeat ---- */

void ft_nest_mark_fini(struct ft_nest_mark *mark)
{
    ft_nest_fini(&mark->unfinished);
    ft_nest_fini(&mark->steps);
}

/* By how much the iteration at hand differs from that of the mark; false: in more than numbers. */
static bool compare_unfinished(const struct ft_nest *now, const struct ft_nest *before,
                               struct ft_nest *steps)
{
    if (now->token_count != before->token_count ||
        (now->token_count &&
         memcmp(now->tokens, before->tokens, now->token_count * sizeof *now->tokens) != 0))
        return false;
    for (size_t k = 0; k < now->number_count; k++)
        steps->numbers[k] = now->numbers[k] - before->numbers[k];
    return true;
}

/* Looks at the iteration at hand only where the loop goes on: it may be long. */
int ft_nest_builder_mark(const struct ft_nest_builder *builder, struct ft_nest_mark *mark,
                         struct ft_diag *diag)
{
    const struct frame *frame = top(builder);
    const struct ft_folding *folding = &frame->folding;
    const struct ft_fold_term *last =
        folding->term_count ? &folding->terms[folding->term_count - 1] : NULL;
    bool is_same = mark->entry == frame->entry && mark->level_count == builder->level_count &&
                   !builder->summed_level;
    bool goes_on = is_same && last && last->block == 0 && !last->is_geometric &&
                   mark->term_count == folding->term_count && last->count > mark->iterations;
    uint64_t progress = goes_on ? last->count - mark->iterations : 0;
    mark->is_idle = is_same && frame->is_spoilt;
    mark->is_steady = goes_on && progress == mark->progress &&
                      compare_unfinished(&frame->iteration, &mark->unfinished, &mark->steps);
    mark->progress = progress;
    mark->entry = frame->entry;
    mark->level_count = builder->level_count;
    mark->term_count = folding->term_count;
    mark->iterations = last ? last->count : 0;
    if (!goes_on || mark->is_steady)
        return FT_OK;
    const struct ft_nest_span now = ft_nest_span(&frame->iteration);
    ft_nest_clear(&mark->unfinished);
    ft_nest_clear(&mark->steps); /* as many numbers */
    return ft_nest_add(&mark->unfinished, &now) && ft_nest_add(&mark->steps, &now)
               ? FT_OK
               : no_memory(diag);
}

bool ft_nest_builder_repeat(struct ft_nest_builder *builder, const struct ft_nest_mark *mark,
                            uint64_t pieces)
{
    if (mark->is_idle)
        return true;
    if (!mark->is_steady)
        return false;
    struct frame *frame = top(builder);
    frame->folding.terms[frame->folding.term_count - 1].count += pieces * mark->progress;
    for (size_t k = 0; k < frame->iteration.number_count; k++)
        frame->iteration.numbers[k] += pieces * mark->steps.numbers[k];
    return true;
}

/* ---- from start to end ---- */

int ft_nest_builder_create(uint32_t reference_count, size_t routine_count,
                           struct ft_nest_builder **ret_builder, struct ft_diag *diag)
{
    struct ft_nest_builder *builder = calloc(1, sizeof *builder);
    if (!builder)
        return no_memory(diag);
    *builder = (struct ft_nest_builder){
        .activations = calloc(routine_count + 1, sizeof *builder->activations),
        .irregular_accesses = calloc(reference_count + (size_t)1, sizeof(uint64_t)),
        .reference_count = reference_count,
        .loop_words = FT_NEST_LOOP_WORDS};
    int status = builder->activations && builder->irregular_accesses
                     ? push_frame(builder, (struct ft_nest_context){0, NO_LOOP_TOKEN}, diag)
                     : no_memory(diag);
    if (status) {
        ft_nest_builder_destroy(builder);
        return status;
    }
    *ret_builder = builder;
    return FT_OK;
}

void ft_nest_builder_destroy(struct ft_nest_builder *builder)
{
    if (!builder)
        return;
    for (size_t i = 0; i < builder->frames_made; i++) {
        ft_nest_fini(&builder->frames[i].iteration);
        ft_folding_fini(&builder->frames[i].folding);
    }
    for (size_t i = 0; i < builder->irregular_count; i++)
        ft_irregular_fini(&builder->irregulars[i]);
    ft_fold_scratch_fini(&builder->scratch);
    ft_hash_table_fini(&builder->by_context);
    ft_loop_cuts_fini(&builder->cuts);
    free(builder->levels);
    free(builder->frames);
    free(builder->activations);
    free(builder->irregulars);
    free(builder->irregular_accesses);
    free(builder->kept_runs);
    free(builder);
}

void ft_nest_builder_limit(struct ft_nest_builder *builder, size_t loop_words)
{
    builder->loop_words = loop_words;
}

bool ft_nest_builder_must_restart(const struct ft_nest_builder *builder)
{
    return builder->must_restart;
}

/* Nothing is active. */
static void forget_levels(struct ft_nest_builder *builder)
{
    for (size_t i = 0; i < builder->level_count; i++)
        if (ft_nest_kind(builder->levels[i].context.token) == FT_NEST_ROUTINE)
            builder->activations[ft_nest_id(builder->levels[i].context.token)] = 0;
    builder->level_count = builder->summed_level = 0;
}

void ft_nest_builder_restart(struct ft_nest_builder *builder)
{
    forget_levels(builder);
    for (size_t i = 0; i < builder->irregular_count; i++)
        ft_irregular_clear(&builder->irregulars[i]);
    memset(builder->irregular_accesses, 0,
           builder->reference_count * sizeof *builder->irregular_accesses);
    builder->frame_count = 1;
    builder->frames[0].is_spoilt = false;
    ft_nest_clear(&builder->frames[0].iteration);
    builder->must_restart = false;
}

int ft_nest_builder_end(struct ft_nest_builder *builder, struct ft_thread_skeleton *ret_thread,
                        struct ft_diag *diag)
{
    FT_TRY(ft_nest_builder_leave(builder, 0, diag));
    *ret_thread = (struct ft_thread_skeleton){.nest = builder->frames[0].iteration,
                                              .irregulars = builder->irregulars,
                                              .irregular_count = builder->irregular_count,
                                              .irregular_accesses = builder->irregular_accesses};
    builder->frames[0].iteration = (struct ft_nest){0};
    builder->irregulars = NULL;
    builder->irregular_count = builder->irregular_capacity = 0;
    builder->irregular_accesses = NULL;
    return FT_OK;
}
