/*
 * The skeletons of smaller sizes get the ids of the largest one, and the nests of all become one
 * (nest_tree.h), with laws where these are exact (nest_laws.h). Loops that are irregular at one of
 * the sizes, or do not fold, become so at all of them, and all is done again, a few times if need
 * be.
 */
#include "fit/skeletons/sized_skeleton.h"

#include <stdlib.h>
#include <string.h>

#include "engine/skeleton/refolding.h"
#include "fit/skeletons/block_laws.h"
#include "fit/skeletons/common_irregulars.h"
#include "fit/skeletons/common_runs.h"
#include "fit/skeletons/common_steps.h"
#include "fit/skeletons/cut_search.h"
#include "fit/skeletons/drawn_laws.h"
#include "fit/skeletons/heap_calls.h"
#include "fit/skeletons/level_lists.h"
#include "fit/skeletons/nest_laws.h"
#include "fit/skeletons/same_code.h"
#include "fit/skeletons/size_law.h"
#include "fit/skeletons/sporadic_accesses.h"
#include "fit/skeletons/string_calls.h"
#include "fit/skeletons/string_folding.h"

/* Each may uncover an irregular loop around those of the one before. */
#define REFOLDINGS_MAX 8U
#define STEPS_DEPTH    4U /* of loops of steps in such loops */
/* Of the accesses that follow laws; so few may stay as recorded instead. */
#define RECORDED_MORE 0.01

static int no_memory(struct ft_diag *diag)
{
    return ft_fail_memory(diag, "a skeleton over sizes");
}

struct learning {
    struct ft_sized_skeleton *sized;
    const struct ft_skeleton *skeletons[FT_SIZED_SIZES_MAX]; /* by size: the caller's, or... */
    struct ft_skeleton *refolded; /* [size]: ...with more irregular loops, in a thread of its own */
    struct ft_renamed_thread renamed[FT_SIZED_SIZES_MAX];
    struct ft_loop_contexts kept_runs; /* loops whose runs are kept */
    bool has_irregular;                /* some were found here that do not fold */
    bool may_cut;                      /* loops may be cut, and... */
    size_t cuts;                       /* ...so many are */
    struct ft_nest_laws laws;
    uint64_t *left_out; /* [reference]: sporadic accesses of the largest that the laws leave out */
};

static struct ft_drawn_training training_of(const struct learning *learning)
{
    return (struct ft_drawn_training){learning->skeletons, learning->renamed,
                                      learning->sized->sizes, learning->sized->size_count};
}

/* ---- loops that are folded again ---- */

/* cuts: by the size's ids, or none. */
static int refold_cut(struct learning *learning, size_t size,
                      const struct ft_loop_contexts *irregular, struct ft_loop_cut *cuts,
                      size_t cut_count, bool has_new_runs, bool *ret_changed, struct ft_diag *diag)
{
    const struct ft_skeleton *skeleton = learning->skeletons[size];
    const struct ft_refolding refolding = {.thread = &skeleton->threads[0],
                                           .reference_count = skeleton->reference_count,
                                           .routine_count = skeleton->routine_count,
                                           .names = learning->renamed[size].tokens,
                                           .contexts = irregular->contexts,
                                           .context_count = irregular->count,
                                           .kept_runs = learning->kept_runs.contexts,
                                           .kept_run_count = learning->kept_runs.count,
                                           .cuts = cuts,
                                           .cut_count = cut_count};
    if (!has_new_runs && !ft_nest_must_refold(&refolding))
        return FT_OK;
    struct ft_skeleton *refolded = &learning->refolded[size];
    struct ft_thread_skeleton *thread = calloc(1, sizeof *thread);
    int status = thread ? ft_nest_refold(&refolding, thread, diag) : no_memory(diag);
    if (status) {
        free(thread);
        return status;
    }
    struct ft_thread_skeleton *former = refolded->threads;
    *refolded = *skeleton;
    refolded->threads = thread;
    learning->skeletons[size] = refolded;
    if (former)
        ft_thread_skeleton_fini(former);
    free(former);
    *ret_changed = true;
    return FT_OK;
}

static int refold(struct learning *learning, size_t size, const struct ft_loop_contexts *irregular,
                  const struct ft_sized_cuts *cuts, bool has_new_runs, bool *ret_changed,
                  struct ft_diag *diag)
{
    const struct ft_drawn_training training = training_of(learning);
    struct ft_loop_cut *loops = calloc(cuts->count + 1, sizeof *loops);
    struct ft_iteration_cut *own = calloc(cuts->count + 1, sizeof *own);
    bool done = loops && own;
    for (size_t i = 0; done && i < cuts->count; i++) {
        done = ft_sized_cut_at(&training, size, &cuts->cuts[i].cut, &own[i]);
        loops[i] = (struct ft_loop_cut){.context = cuts->cuts[i].context, .cut = &own[i]};
    }
    int status = done ? refold_cut(learning, size, irregular, loops, cuts->count, has_new_runs,
                                   ret_changed, diag)
                      : no_memory(diag);
    for (size_t i = 0; own && i < cuts->count; i++)
        ft_iteration_cut_fini(&own[i]);
    free(own);
    free(loops);
    return status;
}

/* Makes all that is irregular somewhere irregular everywhere; or else what does not fold, where
 * that is searched: it may do without the others. */
static int refold_all(struct learning *learning, bool searches, bool *ret_changed,
                      struct ft_diag *diag)
{
    const size_t last = learning->sized->size_count - 1;
    const struct ft_drawn_training training = training_of(learning);
    struct ft_loop_contexts common = {0};
    struct ft_sized_cuts cuts = {0};
    int status = FT_OK;
    *ret_changed = false;
    if (searches)
        status = ft_common_irregulars_search(&common, &learning->laws.nest, learning->laws.is_sized,
                                             diag);
    for (size_t s = 0; !status && !searches && s <= last; s++)
        status = ft_common_irregulars_add(&common, &learning->skeletons[s]->threads[0],
                                          &learning->renamed[s], diag);
    if (!status && searches && learning->may_cut)
        status = ft_sized_cuts_find(&training, &common, &cuts, diag);
    for (size_t s = 0; !status && s <= last; s++)
        status = refold(learning, s, &common, &cuts, false, ret_changed, diag);
    learning->cuts += cuts.count;
    learning->has_irregular = learning->has_irregular || (searches && *ret_changed);
    ft_sized_cuts_fini(&cuts);
    ft_loop_contexts_fini(&common);
    return status;
}

/* The nest of a size by the ids of the largest; the arrays stay those of the learning. */
static struct ft_nest renamed_nest(const struct learning *learning, size_t size)
{
    struct ft_nest nest = learning->skeletons[size]->threads[0].nest;
    nest.tokens = learning->renamed[size].tokens;
    return nest;
}

/* Keeps the runs of loops that are as long as the size says. */
static int refold_runs(struct learning *learning, bool *ret_changed, struct ft_diag *diag)
{
    const struct ft_loop_contexts none = {0};
    const struct ft_sized_cuts no_cuts = {0};
    const size_t sizes = learning->sized->size_count, before = learning->kept_runs.count;
    struct ft_nest nests[FT_SIZED_SIZES_MAX] = {0};
    for (size_t s = 0; s < sizes; s++)
        nests[s] = renamed_nest(learning, s);
    *ret_changed = false;
    FT_TRY(ft_common_runs_add(&learning->kept_runs, nests, sizes, diag));
    for (size_t s = 0; learning->kept_runs.count > before && s < sizes; s++)
        FT_TRY(refold(learning, s, &none, &no_cuts, true, ret_changed, diag));
    return FT_OK;
}

/* The nests as they are now, by the ids of the largest. */
static int rename_nests(struct learning *learning, struct ft_nest *ret_nests, struct ft_diag *diag)
{
    const size_t last = learning->sized->size_count - 1;
    for (size_t s = 0; s <= last; s++) {
        struct ft_renamed_thread *renamed = &learning->renamed[s];
        ft_renamed_thread_fini(renamed);
        FT_TRY(ft_skeleton_rename(learning->skeletons[s], 0, learning->skeletons[last], renamed,
                                  diag));
        ret_nests[s] = renamed_nest(learning, s);
    }
    return FT_OK;
}

/* Takes steps one by one that fold at some sizes alone. They may have loops of steps themselves. */
static int unfold_steps(struct learning *learning, struct ft_nest *nests, struct ft_diag *diag)
{
    const struct ft_loop_contexts none = {0};
    const struct ft_sized_cuts no_cuts = {0};
    struct ft_loop_contexts steps = {0};
    bool changed;
    int status = FT_OK;
    for (unsigned depth = 0; !status && depth < STEPS_DEPTH; depth++) {
        status = ft_common_steps_find(nests, learning->sized->size_count, &steps, diag);
        if (status || steps.count == 0)
            break;
        for (size_t s = 0; !status && s < learning->sized->size_count; s++)
            if (learning->skeletons[s] != &learning->refolded[s]) /* for a nest of its own */
                status = refold(learning, s, &none, &no_cuts, true, &changed, diag);
        if (!status)
            status = rename_nests(learning, nests, diag);
        for (size_t s = 0; !status && s < learning->sized->size_count; s++)
            status = ft_common_steps_unfold(&steps, learning->renamed[s].tokens,
                                            &learning->refolded[s].threads[0].nest, diag);
        if (!status)
            status = rename_nests(learning, nests, diag);
        ft_loop_contexts_fini(&steps);
    }
    ft_loop_contexts_fini(&steps);
    return status;
}

static void free_refolded(struct learning *learning)
{
    for (size_t s = 0; learning->refolded && s < learning->sized->size_count; s++) {
        if (learning->refolded[s].threads)
            ft_thread_skeleton_fini(learning->refolded[s].threads);
        free(learning->refolded[s].threads);
    }
    free(learning->refolded);
}

/* ---- learning ---- */

/* Nests as they are, or with lists of levels. */
static int learn_laws(const struct learning *learning, const struct ft_nest *nests,
                      struct ft_nest_laws *ret_laws, struct ft_diag *diag)
{
    const struct ft_sized_skeleton *sized = learning->sized;
    const struct ft_skeleton *largest = learning->skeletons[sized->size_count - 1];
    const struct ft_nest_ids ids = {largest->reference_count, largest->routine_count,
                                    largest->loop_count, largest->threads[0].irregular_count};
    struct ft_nest_tree tree = {0};
    struct ft_law_search *search;
    FT_TRY(ft_law_search_create(sized->sizes, sized->size_count, &search, diag));
    int status = ft_nest_tree_make(nests, sized->size_count, &ids, &tree, diag);
    if (!status)
        status = ft_nest_laws_learn(&tree, nests, search, ret_laws, diag);
    ft_nest_tree_fini(&tree);
    ft_law_search_destroy(search);
    return status;
}

/* Takes what other nests of the same sizes show, if more follows laws then. left_out: accesses that
 * the largest nest does not have. */
static int learn_others(struct learning *learning, const struct ft_nest *nests, double left_out,
                        bool *ret_taken, struct ft_diag *diag)
{
    struct ft_nest_laws laws = {0}, *kept = &learning->laws;
    struct ft_lawful_accesses with, without;
    int status = learn_laws(learning, nests, &laws, diag);
    if (!status)
        status = ft_nest_laws_count(&laws, &with, diag);
    if (!status)
        status = ft_nest_laws_count(kept, &without, diag);
    *ret_taken = !status && with.others + left_out < without.others;
    if (*ret_taken) {
        const struct ft_nest_laws former = *kept;
        *kept = laws;
        laws = former;
    }
    ft_nest_laws_fini(&laws);
    return status;
}

static void free_nests(struct ft_nest *nests, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ft_nest_fini(&nests[i]);
}

/* With lists of levels. */
static int learn_levels(struct learning *learning, const struct ft_nest *nests,
                        struct ft_diag *diag)
{
    const size_t sizes = learning->sized->size_count;
    struct ft_nest marked[FT_SIZED_SIZES_MAX];
    bool found;
    FT_TRY(ft_level_lists_mark(nests, learning->sized->sizes, sizes, marked, &found, diag));
    if (!found)
        return FT_OK;
    int status = learn_others(learning, marked, 0, &found, diag);
    free_nests(marked, sizes);
    return status;
}

/* With what calls of string routines do; ret_nests: the caller's, where they are taken. */
static int learn_string_calls(struct learning *learning,
                              const struct ft_string_templates *templates,
                              struct ft_nest *ret_nests, bool *ret_taken, struct ft_diag *diag)
{
    const size_t sizes = learning->sized->size_count;
    size_t written = 0;
    int status = FT_OK;
    bool found = false;
    while (!status && written < sizes) {
        status = ft_string_calls_write(templates, learning->skeletons[written],
                                       learning->renamed[written].tokens, &ret_nests[written],
                                       &found, diag);
        written += !status;
        if (!status && found)
            status = ft_string_calls_fold(templates, &learning->kept_runs, &ret_nests[written - 1],
                                          diag);
    }
    *ret_taken = false;
    if (!status && found)
        status = learn_others(learning, ret_nests, 0, ret_taken, diag);
    if (!*ret_taken)
        free_nests(ret_nests, written);
    return status;
}

/* With calls of malloc as the path that nearly all of them take; ret_nests: the caller's, where
 * they are taken. */
static int learn_heap_calls(struct learning *learning, const struct ft_nest *nests,
                            const struct ft_string_templates *memsets, struct ft_nest *ret_nests,
                            bool *ret_taken, struct ft_diag *diag)
{
    const size_t last = learning->sized->size_count - 1;
    struct ft_heap_templates templates;
    size_t written = 0;
    double changed = 0; /* of the largest */
    *ret_taken = false;
    FT_TRY(
        ft_heap_templates_find(learning->skeletons[last], &nests[last], memsets, &templates, diag));
    int status = FT_OK;
    while (!status && templates.count && written <= last) {
        status =
            ft_heap_calls_write(&templates, &nests[written], &learning->skeletons[written]->blocks,
                                &learning->kept_runs, &ret_nests[written], &changed, diag);
        written += !status;
    }
    if (!status && templates.count)
        status = learn_others(learning, ret_nests, changed, ret_taken, diag);
    if (!*ret_taken)
        free_nests(ret_nests, written);
    ft_heap_templates_fini(&templates);
    return status;
}

/* Without sporadic accesses; ret_nests: the caller's, where they are taken. */
static int learn_without(struct learning *learning, const struct ft_nest *nests,
                         const struct ft_sporadic_accesses *sporadic, struct ft_nest *ret_nests,
                         bool *ret_taken, struct ft_diag *diag)
{
    const size_t last = learning->sized->size_count - 1;
    const uint32_t references = learning->skeletons[last]->reference_count;
    size_t written = 0;
    double sum = 0;
    int status = FT_OK;
    while (!status && written <= last) { /* the largest one's count */
        memset(learning->left_out, 0, references * sizeof *learning->left_out);
        status = ft_sporadic_accesses_leave_out(sporadic, &learning->kept_runs, &nests[written],
                                                &ret_nests[written], learning->left_out, references,
                                                diag);
        written += !status;
    }
    for (uint32_t r = 0; r < references; r++)
        sum += (double)learning->left_out[r];
    if (!status)
        status = learn_others(learning, ret_nests, sum, ret_taken, diag);
    if (!*ret_taken) {
        memset(learning->left_out, 0, references * sizeof *learning->left_out);
        free_nests(ret_nests, written);
    }
    return status;
}

static int learn_without_sporadic(struct learning *learning, const struct ft_nest *nests,
                                  struct ft_nest *ret_nests, bool *ret_taken, struct ft_diag *diag)
{
    const size_t last = learning->sized->size_count - 1;
    const uint32_t references = learning->skeletons[last]->reference_count;
    struct ft_sporadic_accesses sporadic = {0};
    int status = FT_OK;
    *ret_taken = false;
    free(learning->left_out);
    learning->left_out = calloc(references + (size_t)1, sizeof *learning->left_out);
    if (!learning->left_out)
        return no_memory(diag);
    for (size_t s = 0; !status && s <= last; s++)
        status = ft_sporadic_accesses_find(&sporadic, &nests[s], diag);
    if (!status && sporadic.count)
        status = learn_without(learning, nests, &sporadic, ret_nests, ret_taken, diag);
    ft_sporadic_accesses_fini(&sporadic);
    return status;
}

/* The nests as they are now. */
static int learn_nests(struct learning *learning, struct ft_diag *diag)
{
    const size_t last = learning->sized->size_count - 1;
    struct ft_nest nests[FT_SIZED_SIZES_MAX];
    FT_TRY(rename_nests(learning, nests, diag));
    FT_TRY(unfold_steps(learning, nests, diag));
    ft_nest_laws_fini(&learning->laws);
    FT_TRY(learn_laws(learning, nests, &learning->laws, diag));
    struct ft_string_templates templates;
    struct ft_nest written[FT_SIZED_SIZES_MAX], calls[FT_SIZED_SIZES_MAX],
        without[FT_SIZED_SIZES_MAX];
    bool is_written = false, has_calls = false, is_without = false;
    FT_TRY(ft_string_templates_find(learning->skeletons[last], &templates, diag));
    int status = templates.count
                     ? learn_string_calls(learning, &templates, written, &is_written, diag)
                     : FT_OK;
    const struct ft_nest *now = is_written ? written : nests;
    if (!status)
        status = learn_heap_calls(learning, now, &templates, calls, &has_calls, diag);
    now = has_calls ? calls : now;
    if (!status)
        status = learn_without_sporadic(learning, now, without, &is_without, diag);
    if (!status)
        status = learn_levels(learning, is_without ? without : now, diag);
    if (is_without)
        free_nests(without, last + 1);
    if (has_calls)
        free_nests(calls, last + 1);
    if (is_written)
        free_nests(written, last + 1);
    ft_string_templates_fini(&templates);
    return status;
}

static int learn_drawn(struct learning *learning, struct ft_diag *diag)
{
    struct ft_sized_skeleton *sized = learning->sized;
    const struct ft_drawn_training training = training_of(learning);
    FT_TRY(ft_drawn_loops_learn(&training, &sized->drawn, diag));
    sized->drawn_count = learning->skeletons[sized->size_count - 1]->threads[0].irregular_count;
    return FT_OK;
}

/* Until no more loops are found that are irregular, or runs. */
static int learn_rounds(struct learning *learning, struct ft_diag *diag)
{
    learning->refolded = calloc(learning->sized->size_count, sizeof *learning->refolded);
    if (!learning->refolded)
        return no_memory(diag);
    FT_TRY(learn_nests(learning, diag));
    bool changed = true;
    for (unsigned round = 0; changed && round < REFOLDINGS_MAX; round++) {
        FT_TRY(refold_runs(learning, &changed, diag));
        if (!changed)
            FT_TRY(refold_all(learning, false, &changed, diag));
        if (!changed)
            FT_TRY(refold_all(learning, true, &changed, diag));
        if (changed)
            FT_TRY(learn_nests(learning, diag));
    }
    return FT_OK;
}

static void learning_fini(struct learning *learning)
{
    ft_nest_laws_fini(&learning->laws);
    for (size_t s = 0; s < learning->sized->size_count; s++)
        ft_renamed_thread_fini(&learning->renamed[s]);
    free_refolded(learning);
    ft_loop_contexts_fini(&learning->kept_runs);
    free(learning->left_out);
}

/* Takes what is learned where loops are cut rather than irregular as a whole, if more follows laws
 * then, and no more stays as recorded. */
static int learn_cuts(struct learning *learning, const struct ft_skeleton *const *skeletons,
                      struct ft_diag *diag)
{
    struct learning cut = {.sized = learning->sized, .may_cut = true};
    struct ft_lawful_accesses with, without;
    memcpy(cut.skeletons, skeletons, sizeof cut.skeletons);
    int status = learn_rounds(&cut, diag);
    if (!status && cut.cuts > 0)
        status = ft_nest_laws_count(&cut.laws, &with, diag);
    if (!status && cut.cuts > 0)
        status = ft_nest_laws_count(&learning->laws, &without, diag);
    if (!status && cut.cuts > 0 && with.lawful > without.lawful &&
        with.others <= without.others + RECORDED_MORE * with.lawful) {
        const struct learning former = *learning;
        *learning = cut;
        cut = former;
    }
    learning_fini(&cut);
    return status;
}

static int learn(struct learning *learning, struct ft_diag *diag)
{
    struct ft_sized_skeleton *sized = learning->sized;
    const struct ft_skeleton *skeletons[FT_SIZED_SIZES_MAX];
    memcpy(skeletons, learning->skeletons, sizeof skeletons);
    FT_TRY(learn_rounds(learning, diag));
    if (learning->has_irregular)
        FT_TRY(learn_cuts(learning, skeletons, diag));
    FT_TRY(ft_block_laws_learn(learning->skeletons, sized->sizes, sized->size_count, &sized->blocks,
                               diag));
    FT_TRY(learn_drawn(learning, diag));
    FT_TRY(ft_skeleton_copy(learning->skeletons[sized->size_count - 1], &sized->largest, diag));
    ft_nest_fini(&sized->largest.threads[0].nest);
    sized->largest.threads[0].nest = learning->laws.nest;
    for (uint32_t r = 0; r < sized->largest.reference_count; r++)
        sized->largest.threads[0].irregular_accesses[r] += learning->left_out[r];
    sized->is_sized = learning->laws.is_sized;
    sized->numbers = learning->laws.numbers;
    sized->number_count = learning->laws.number_count;
    learning->laws = (struct ft_nest_laws){0};
    return FT_OK;
}

/* By size; false where two are equal. */
static bool sort_sizes(const struct ft_skeleton **skeletons, double *sizes, size_t count)
{
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && sizes[j] <= sizes[j - 1]; j--) {
            if (sizes[j] == sizes[j - 1])
                return false;
            double size = sizes[j];
            sizes[j] = sizes[j - 1];
            sizes[j - 1] = size;
            const struct ft_skeleton *skeleton = skeletons[j];
            skeletons[j] = skeletons[j - 1];
            skeletons[j - 1] = skeleton;
        }
    return true;
}

static int check_sizes(const double *sizes, size_t count, struct ft_diag *diag)
{
    if (count < FT_SIZED_SIZES_MIN || count > FT_SIZED_SIZES_MAX)
        return ft_fail(diag, FT_ERROR_USAGE, "give traces of %u to %u sizes", FT_SIZED_SIZES_MIN,
                       FT_SIZED_SIZES_MAX);
    for (size_t s = 0; s < count; s++)
        if (!ft_is_sized_size(sizes[s]))
            return ft_fail(diag, FT_ERROR_USAGE, "the size %g is no integer", sizes[s]);
    return FT_OK;
}

int ft_sized_skeleton_learn(const struct ft_skeleton *const *skeletons, const double *sizes,
                            size_t size_count, struct ft_sized_skeleton *ret_sized,
                            struct ft_diag *diag)
{
    struct ft_sized_skeleton sized = {.size_count = size_count};
    struct learning learning = {.sized = &sized};
    FT_TRY(check_sizes(sizes, size_count, diag));
    sized.sizes = malloc(size_count * sizeof *sized.sizes);
    if (!sized.sizes)
        return no_memory(diag);
    memcpy(sized.sizes, sizes, size_count * sizeof *sizes);
    memcpy(learning.skeletons, skeletons, size_count * sizeof *skeletons);
    int status = sort_sizes(learning.skeletons, sized.sizes, size_count)
                     ? learn(&learning, diag)
                     : ft_fail(diag, FT_ERROR_USAGE, "two traces are of one size");
    learning_fini(&learning);
    if (status) {
        ft_sized_skeleton_fini(&sized);
        return status;
    }
    *ret_sized = sized;
    return FT_OK;
}
