/*
 * Columns are tried by folding the nest again with nothing but them in the loop, and the loops
 * around it: those that progress leave a few parts. Accesses, and what only some iterations have,
 * are halved until those that do not are alone; inner loops are tried one by one, as they have more
 * parts where they run the last few times. What is drawn may not have many paths.
 */
#include "fit/skeletons/cut_search.h"

#include <stdlib.h>

#include "engine/skeleton/refolding.h"
#include "fit/skeletons/cut_columns.h"
#include "fit/skeletons/size_law.h"
#include "formats/base/array.h"

/* Parts of an entry: a first one, those that go on, a last one. */
#define PARTS_MAX 3U
/* Likewise, with inner loops: shorter than a vector they have others. */
#define LOOP_PARTS_MAX 16U
/* Entries of the loop in the nest around it, which is folded. */
#define ENTRIES_MAX 16U
/* Beyond these what is drawn is not understood. */
#define PATHS_MAX 16U
/* Tokens around what is in a part: its own, and those of loops around. */
#define AROUND 8U

void ft_sized_cuts_fini(struct ft_sized_cuts *cuts)
{
    for (size_t i = 0; i < cuts->count; i++)
        ft_iteration_cut_fini(&cuts->cuts[i].cut);
    free(cuts->cuts);
    *cuts = (struct ft_sized_cuts){0};
}

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "loops that are cut");
}

/* ---- ids ---- */

/* The size's own token for one of the largest size's; UINT32_MAX: it has none. */
static uint32_t own_token(const struct ft_nest *nest, const uint32_t *names, uint32_t token)
{
    for (size_t at = 0; at < nest->token_count; at += ft_nest_element(nest->tokens + at).head)
        if (names[at] == token)
            return nest->tokens[at];
    return UINT32_MAX;
}

bool ft_sized_cut_at(const struct ft_drawn_training *training, size_t size,
                     const struct ft_iteration_cut *cut, struct ft_iteration_cut *ret_cut)
{
    if (!ft_iteration_cut_copy(cut, ret_cut))
        return false;
    for (size_t i = 0; i < ret_cut->anchor_count; i++)
        ret_cut->anchors[i].token =
            own_token(&training->skeletons[size]->threads[0].nest, training->renamed[size].tokens,
                      ret_cut->anchors[i].token);
    return true;
}

/* ---- trials ---- */

struct searching {
    const struct ft_drawn_training *training;
    uint64_t context;
    struct ft_iteration_cut cut;
    struct ft_cut_column *columns;
    size_t structure; /* tokens with no columns, at the largest size */
};

/* A nest with the loop alone. */
struct trial {
    size_t tokens, entries, longest; /* longest: what is kept of an iteration */
    uint64_t kept, drawn;            /* accesses */
    uint64_t iterations;
    size_t paths;
    bool has_strays;
};

static void count_kept(void *context, const uint32_t *token, uint64_t count)
{
    struct trial *trial = context;
    trial->kept += count;
    (void)token;
}

static int look_at(const struct ft_thread_skeleton *thread, size_t irregular, struct trial *trial,
                   struct ft_diag *diag)
{
    const struct ft_nest *nest = &thread->nest;
    const struct ft_nest_span span = ft_nest_span(nest);
    if (irregular >= thread->irregular_count)
        return FT_OK; /* this size has no such loop */
    const struct ft_irregular *paths = &thread->irregulars[irregular];
    trial->tokens = nest->token_count;
    for (size_t at = 0; at < nest->token_count; at += ft_nest_element(nest->tokens + at).head)
        trial->entries += nest->tokens[at] == paths->token;
    trial->drawn = paths->accesses;
    trial->iterations = paths->iterations;
    trial->paths = paths->path_count;
    trial->has_strays = paths->reference_count > 0;
    return ft_nest_count(&span, count_kept, trial, diag);
}

/* A size's nest with nothing but the loop, and what is around it. */
static int refold(const struct searching *searching, size_t size, struct ft_loop_cut *loop,
                  struct ft_thread_skeleton *ret_thread, struct ft_diag *diag)
{
    const struct ft_skeleton *skeleton = searching->training->skeletons[size];
    const struct ft_refolding refolding = {.thread = &skeleton->threads[0],
                                           .reference_count = skeleton->reference_count,
                                           .routine_count = skeleton->routine_count,
                                           .names = searching->training->renamed[size].tokens,
                                           .cuts = loop,
                                           .cut_count = 1,
                                           .only_cuts = true};
    return ft_nest_refold(&refolding, ret_thread, diag);
}

/* cut: by the size's ids. */
static int try(const struct searching *searching, size_t size, const struct ft_iteration_cut *cut,
               struct trial *ret_trial, struct ft_diag *diag)
{
    struct ft_loop_cut loop = {.context = searching->context, .cut = cut};
    struct ft_thread_skeleton thread = {0};
    *ret_trial = (struct trial){0};
    FT_TRY(refold(searching, size, &loop, &thread, diag));
    int status = look_at(&thread, searching->training->skeletons[size]->threads[0].irregular_count,
                         ret_trial, diag);
    ret_trial->longest = loop.longest;
    ft_thread_skeleton_fini(&thread);
    return status;
}

/* Whether a trial leaves so many parts of each entry at most; structure: tokens without columns. */
static bool folds(const struct trial *trial, size_t structure, size_t parts)
{
    return trial->entries > 0 && trial->entries <= ENTRIES_MAX &&
           trial->tokens <= structure + parts * trial->entries * (trial->longest + AROUND);
}

static bool is_bracket(const struct searching *searching, size_t column)
{
    const struct ft_cut_element *anchor = &searching->cut.anchors[column / 2];
    return column % 2 && (anchor->is_open || anchor->closes);
}

static bool is_inner_loop(const struct searching *searching, size_t column)
{
    return column % 2 && ft_nest_kind(searching->cut.anchors[column / 2].token) == FT_NEST_LOOP;
}

/* All columns but the starts and ends of activations. */
static void set_uses(const struct searching *searching, enum ft_cut_use use)
{
    for (size_t c = 0; c < ft_cut_columns(&searching->cut); c++)
        searching->cut.uses[c] = is_bracket(searching, c) ? FT_CUT_KEPT : use;
}

/* ---- which columns progress ---- */

/* What was found of a column: kept where it folds. */
static int try_columns(const struct searching *searching, const size_t *columns, size_t count,
                       size_t parts, enum ft_cut_use *found, struct ft_diag *diag)
{
    struct trial trial;
    set_uses(searching, FT_CUT_DROPPED);
    for (size_t i = 0; i < count; i++)
        searching->cut.uses[columns[i]] = FT_CUT_KEPT;
    FT_TRY(try(searching, searching->training->count - 1, &searching->cut, &trial, diag));
    const bool is_kept = folds(&trial, searching->structure, parts);
    if (is_kept || count == 1) {
        for (size_t i = 0; i < count; i++)
            found[columns[i]] = is_kept ? FT_CUT_KEPT : FT_CUT_DRAWN;
        return FT_OK;
    }
    FT_TRY(try_columns(searching, columns, count / 2, parts, found, diag));
    return try_columns(searching, columns + count / 2, count - count / 2, parts, found, diag);
}

/* *ret_is_regular: all progress. */
static int find_uses(struct searching *searching, size_t *columns, enum ft_cut_use *found,
                     bool *ret_is_regular, struct ft_diag *diag)
{
    const size_t all = ft_cut_columns(&searching->cut);
    size_t count = 0;
    for (size_t c = 0; c < all; c++) {
        found[c] = FT_CUT_KEPT;
        if (is_inner_loop(searching, c))
            FT_TRY(try_columns(searching, &c, 1, LOOP_PARTS_MAX, found, diag));
        else if (searching->columns[c].is_there && !is_bracket(searching, c))
            columns[count++] = c;
    }
    if (count)
        FT_TRY(try_columns(searching, columns, count, PARTS_MAX, found, diag));
    *ret_is_regular = true;
    for (size_t c = 0; c < all; c++) {
        searching->cut.uses[c] = found[c];
        *ret_is_regular = *ret_is_regular && found[c] == FT_CUT_KEPT;
    }
    return FT_OK;
}

/* ---- all sizes ---- */

/* The largest size's cut at a size. */
static int try_size(const struct searching *searching, size_t size, struct trial *ret_trial,
                    bool *ret_folds, struct ft_diag *diag)
{
    struct ft_iteration_cut own, nothing = {0};
    struct searching at = *searching;
    struct trial without = {0};
    if (!ft_sized_cut_at(searching->training, size, &searching->cut, &own))
        return no_memory(diag);
    int status = try(searching, size, &own, ret_trial, diag);
    if (!status && ft_iteration_cut_copy(&own, &nothing)) {
        at.cut = nothing;
        set_uses(&at, FT_CUT_DROPPED);
        status = try(searching, size, &nothing, &without, diag);
    } else if (!status) {
        status = no_memory(diag);
    }
    *ret_folds = !status && folds(ret_trial, without.tokens, LOOP_PARTS_MAX) &&
                 ret_trial->paths > 0 && ret_trial->paths <= PATHS_MAX && !ret_trial->has_strays &&
                 ret_trial->kept > 0;
    ft_iteration_cut_fini(&own);
    ft_iteration_cut_fini(&nothing);
    return status;
}

static int try_sizes(const struct searching *searching, bool *ret_folds, struct ft_diag *diag)
{
    const struct ft_drawn_training *training = searching->training;
    double iterations[FT_SIZED_SIZES_MAX], law[FT_SIZED_COEFFICIENTS];
    *ret_folds = true;
    for (size_t s = training->count; *ret_folds && s-- > 0;) {
        struct trial trial;
        FT_TRY(try_size(searching, s, &trial, ret_folds, diag));
        iterations[s] = (double)trial.iterations;
    }
    *ret_folds = *ret_folds && ft_size_law_find(training->sizes, iterations, training->count, law);
    return FT_OK;
}

/* ---- loops ---- */

/* The anchors; what is in the columns. */
static int find_columns(struct searching *searching, bool *ret_found, struct ft_diag *diag)
{
    struct ft_cut_shapes shapes = {0};
    struct ft_loop_cut loop = {
        .context = searching->context, .watch = ft_cut_shapes_watch, .watching = &shapes};
    struct ft_thread_skeleton thread = {0};
    int status = refold(searching, searching->training->count - 1, &loop, &thread, diag);
    ft_thread_skeleton_fini(&thread);
    *ret_found = !status && !shapes.are_many;
    if (*ret_found)
        status = ft_cut_shapes_anchors(&shapes, &searching->cut, diag);
    *ret_found = *ret_found && !status && searching->cut.anchor_count > 0;
    if (*ret_found)
        status = ft_cut_shapes_columns(&shapes, &searching->cut, &searching->columns, diag);
    ft_cut_shapes_fini(&shapes);
    return status;
}

/* What a loop is. */
enum finding { STAYS, IS_CUT, IS_REGULAR };

static int find_cut(struct searching *searching, enum finding *ret_finding, struct ft_diag *diag)
{
    struct trial trial;
    bool found = false, is_regular = false;
    *ret_finding = STAYS;
    FT_TRY(find_columns(searching, &found, diag));
    if (!found)
        return FT_OK;
    set_uses(searching, FT_CUT_DROPPED);
    FT_TRY(try(searching, searching->training->count - 1, &searching->cut, &trial, diag));
    searching->structure = trial.tokens;
    if (trial.entries == 0 || trial.entries > ENTRIES_MAX)
        return FT_OK;
    const size_t all = ft_cut_columns(&searching->cut);
    size_t *columns = calloc(all, sizeof *columns);
    enum ft_cut_use *uses = calloc(all, sizeof *uses);
    int status =
        columns && uses ? find_uses(searching, columns, uses, &is_regular, diag) : no_memory(diag);
    free(columns);
    free(uses);
    if (!status && !is_regular)
        status = try_sizes(searching, &found, diag);
    if (!status)
        *ret_finding = is_regular ? IS_REGULAR : found ? IS_CUT : STAYS;
    return status;
}

/* ---- loops inside of others ---- */

struct nesting {
    const struct ft_nest *nest;
    const struct ft_loop_contexts *irregular;
    struct ft_loop_contexts around; /* those that others of them are inside */
};

static int find_around(struct nesting *nesting, size_t at, size_t length,
                       struct ft_nest_context context, bool *ret_found, struct ft_diag *diag)
{
    for (size_t end = at + length; at < end;) {
        const struct ft_nest_element element = ft_nest_element(nesting->nest->tokens + at);
        struct ft_nest_context inside = context;
        bool found = false;
        if (element.kind == FT_NEST_LOOP || element.kind == FT_NEST_ROUTINE)
            inside = ft_nest_context_inside(context, nesting->nest->tokens[at]);
        FT_TRY(find_around(nesting, at + element.head, element.length, inside, &found, diag));
        const bool is_one =
            element.kind == FT_NEST_LOOP && ft_loop_contexts_have(nesting->irregular, inside.hash);
        if (is_one && found)
            FT_TRY(ft_loop_contexts_add(&nesting->around, inside.hash, diag));
        *ret_found = *ret_found || found || is_one;
        at += element.head + element.length;
    }
    return FT_OK;
}

static int add_cut(struct ft_sized_cuts *cuts, uint64_t context, struct ft_iteration_cut *cut,
                   struct ft_diag *diag)
{
    if (!FT_RESERVE(cuts->cuts, cuts->capacity, cuts->count + 1))
        return no_memory(diag);
    cuts->cuts[cuts->count++] = (struct ft_sized_cut){context, *cut};
    *cut = (struct ft_iteration_cut){0};
    return FT_OK;
}

static int find_one(const struct ft_drawn_training *training, uint64_t context,
                    struct ft_sized_cuts *cuts, enum finding *ret_finding, struct ft_diag *diag)
{
    struct searching searching = {.training = training, .context = context};
    int status = find_cut(&searching, ret_finding, diag);
    if (!status && *ret_finding == IS_CUT)
        status = add_cut(cuts, context, &searching.cut, diag);
    ft_iteration_cut_fini(&searching.cut);
    free(searching.columns);
    return status;
}

static bool have_cut(const struct ft_sized_cuts *cuts, uint64_t context)
{
    for (size_t i = 0; i < cuts->count; i++)
        if (cuts->cuts[i].context == context)
            return true;
    return false;
}

/* Of the loops of which none of the others is inside; *ret_more: some are regular, so that those
 * around them may be such loops now. */
static int find_innermost(const struct ft_drawn_training *training, const struct nesting *nesting,
                          struct ft_loop_contexts *others, struct ft_loop_contexts *irregular,
                          struct ft_sized_cuts *cuts, bool *ret_more, struct ft_diag *diag)
{
    size_t kept = 0;
    *ret_more = false;
    for (size_t i = 0; i < others->count; i++) {
        const uint64_t context = others->contexts[i];
        enum finding finding = STAYS;
        const bool is_around = ft_loop_contexts_have(&nesting->around, context);
        if (!is_around && !ft_loop_contexts_have(irregular, context) && !have_cut(cuts, context)) {
            FT_TRY(find_one(training, context, cuts, &finding, diag));
            if (finding == STAYS)
                FT_TRY(ft_loop_contexts_add(irregular, context, diag));
        }
        *ret_more = *ret_more || finding == IS_REGULAR;
        if (finding != IS_REGULAR)
            others->contexts[kept++] = context;
    }
    others->count = kept;
    return FT_OK;
}

int ft_sized_cuts_find(const struct ft_drawn_training *training, struct ft_loop_contexts *irregular,
                       struct ft_sized_cuts *cuts, struct ft_diag *diag)
{
    const struct ft_nest *nest = &training->skeletons[training->count - 1]->threads[0].nest;
    struct ft_loop_contexts others = *irregular; /* and these, but for the regular ones */
    struct nesting nesting = {.nest = nest, .irregular = &others};
    int status = FT_OK;
    *irregular = (struct ft_loop_contexts){0};
    for (bool more = true; !status && more;) {
        bool found = false;
        nesting.around.count = 0;
        status =
            find_around(&nesting, 0, nest->token_count, (struct ft_nest_context){0}, &found, diag);
        if (!status)
            status = find_innermost(training, &nesting, &others, irregular, cuts, &more, diag);
    }
    ft_loop_contexts_fini(&nesting.around);
    ft_loop_contexts_fini(&others);
    return status;
}
