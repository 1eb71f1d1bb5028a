#include "formats/skeleton/skeleton.h"

#include <stdlib.h>
#include <string.h>

void ft_thread_skeleton_fini(struct ft_thread_skeleton *thread)
{
    ft_nest_fini(&thread->nest);
    for (size_t i = 0; i < thread->irregular_count; i++)
        ft_irregular_fini(&thread->irregulars[i]);
    free(thread->irregulars);
    free(thread->irregular_accesses);
    *thread = (struct ft_thread_skeleton){0};
}

void ft_skeleton_fini(struct ft_skeleton *skeleton)
{
    for (uint32_t t = 0; skeleton->threads && t < skeleton->thread_count; t++)
        ft_thread_skeleton_fini(&skeleton->threads[t]);
    free(skeleton->blocks.events);
    free(skeleton->memory.mapped);
    free(skeleton->threads);
    free(skeleton->routine_scopes);
    free(skeleton->loop_scopes);
    free(skeleton->loop_headers);
    free(skeleton->accesses);
    free(skeleton->references);
    ft_scopes_fini(&skeleton->scopes);
    *skeleton = (struct ft_skeleton){0};
}

void ft_skeleton_free(struct ft_skeleton *skeleton)
{
    if (skeleton)
        ft_skeleton_fini(skeleton);
    free(skeleton);
}

/* ---- copying ---- */

/* NULL: out of memory. */
static void *copy_of(const void *items, size_t count, size_t item_bytes)
{
    void *copy = malloc(count * item_bytes + 1);
    if (copy && count)
        memcpy(copy, items, count * item_bytes);
    return copy;
}

static bool copy_thread(const struct ft_thread_skeleton *thread, uint32_t reference_count,
                        struct ft_thread_skeleton *copy)
{
    struct ft_nest_span span = ft_nest_span(&thread->nest);
    copy->irregulars = calloc(thread->irregular_count + 1, sizeof *copy->irregulars);
    copy->irregular_accesses =
        copy_of(thread->irregular_accesses, reference_count, sizeof *copy->irregular_accesses);
    if (!copy->irregulars || !copy->irregular_accesses || !ft_nest_add(&copy->nest, &span))
        return false;
    copy->irregular_count = thread->irregular_count;
    for (size_t i = 0; i < thread->irregular_count; i++) {
        const struct ft_irregular *irregular = &thread->irregulars[i];
        copy->irregulars[i] = (struct ft_irregular){.context = irregular->context,
                                                    .token = irregular->token,
                                                    .entries = irregular->entries,
                                                    .iterations = irregular->iterations,
                                                    .accesses = irregular->accesses};
    }
    return true;
}

static bool copy_threads(const struct ft_skeleton *skeleton, struct ft_skeleton *copy)
{
    copy->threads = calloc(skeleton->thread_count + (size_t)1, sizeof *copy->threads);
    bool done = copy->threads != NULL;
    for (uint32_t t = 0; done && t < skeleton->thread_count; t++)
        done = copy_thread(&skeleton->threads[t], skeleton->reference_count, &copy->threads[t]);
    return done;
}

int ft_skeleton_copy(const struct ft_skeleton *skeleton, struct ft_skeleton *ret_copy,
                     struct ft_diag *diag)
{
    struct ft_skeleton copy = *skeleton;
    copy.scopes = (struct ft_scopes){0};
    const uint32_t references = skeleton->reference_count;
    const size_t routines = skeleton->routine_count, loops = skeleton->loop_count;
    copy.references = copy_of(skeleton->references, references, sizeof *copy.references);
    copy.accesses = copy_of(skeleton->accesses, references, sizeof *copy.accesses);
    copy.routine_scopes = copy_of(skeleton->routine_scopes, routines, sizeof *copy.routine_scopes);
    copy.loop_scopes = copy_of(skeleton->loop_scopes, loops, sizeof *copy.loop_scopes);
    copy.loop_headers = copy_of(skeleton->loop_headers, loops, sizeof *copy.loop_headers);
    copy.blocks.event_capacity = skeleton->blocks.event_count;
    copy.blocks.events =
        copy_of(skeleton->blocks.events, skeleton->blocks.event_count, sizeof *copy.blocks.events);
    copy.memory.mapped =
        copy_of(skeleton->memory.mapped, skeleton->memory.mapped_count, sizeof *copy.memory.mapped);
    int status = copy_threads(skeleton, &copy) && copy.references && copy.accesses &&
                         copy.routine_scopes && copy.loop_scopes && copy.loop_headers &&
                         copy.blocks.events && copy.memory.mapped
                     ? ft_scopes_copy(&skeleton->scopes, &copy.scopes, diag)
                     : ft_fail_memory(diag, "a skeleton");
    if (status) {
        ft_skeleton_fini(&copy);
        return status;
    }
    *ret_copy = copy;
    return FT_OK;
}
