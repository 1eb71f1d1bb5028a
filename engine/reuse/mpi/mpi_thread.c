/*
 * One lock and one condition variable: every change wakes all, since there are at most two threads.
 */
#include "engine/reuse/mpi/mpi_thread.h"

#include <pthread.h>
#include <stdlib.h>

struct ft_mpi_thread {
    const struct ft_ranks_module *module;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_started, ends;
    unsigned number, count;
    void (*job)(void *context); /* NULL: none, or it is done */
    void *context;
};

static void *serve(void *context)
{
    struct ft_mpi_thread *thread = context;
    unsigned number, count;
    thread->module->begin(&number, &count);
    pthread_mutex_lock(&thread->lock);
    thread->number = number;
    thread->count = count;
    thread->has_started = true;
    pthread_cond_broadcast(&thread->changed);
    while (thread->job || !thread->ends) {
        if (!thread->job) {
            pthread_cond_wait(&thread->changed, &thread->lock);
            continue;
        }
        pthread_mutex_unlock(&thread->lock);
        thread->job(thread->context);
        pthread_mutex_lock(&thread->lock);
        thread->job = NULL;
        pthread_cond_broadcast(&thread->changed);
    }
    pthread_mutex_unlock(&thread->lock);
    thread->module->end();
    return NULL;
}

int ft_mpi_thread_create(const struct ft_ranks_module *module, struct ft_mpi_thread **ret_thread,
                         struct ft_diag *diag)
{
    struct ft_mpi_thread *thread = calloc(1, sizeof *thread);
    if (!thread)
        return ft_fail_memory(diag, "the thread of MPI");
    thread->module = module;
    pthread_mutex_init(&thread->lock, NULL);
    pthread_cond_init(&thread->changed, NULL);
    if (pthread_create(&thread->thread, NULL, serve, thread) != 0) {
        pthread_cond_destroy(&thread->changed);
        pthread_mutex_destroy(&thread->lock);
        free(thread);
        return ft_fail(diag, FT_ERROR_IO, "cannot start a thread for MPI");
    }
    *ret_thread = thread;
    return FT_OK;
}

void ft_mpi_thread_destroy(struct ft_mpi_thread *thread)
{
    if (!thread)
        return;
    pthread_mutex_lock(&thread->lock);
    thread->ends = true;
    pthread_cond_broadcast(&thread->changed);
    pthread_mutex_unlock(&thread->lock);
    pthread_join(thread->thread, NULL);
    pthread_cond_destroy(&thread->changed);
    pthread_mutex_destroy(&thread->lock);
    free(thread);
}

void ft_mpi_thread_numbers(struct ft_mpi_thread *thread, unsigned *ret_number, unsigned *ret_count)
{
    pthread_mutex_lock(&thread->lock);
    while (!thread->has_started)
        pthread_cond_wait(&thread->changed, &thread->lock);
    *ret_number = thread->number;
    *ret_count = thread->count;
    pthread_mutex_unlock(&thread->lock);
}

static void wait_for_job(struct ft_mpi_thread *thread)
{
    while (thread->job)
        pthread_cond_wait(&thread->changed, &thread->lock);
}

void ft_mpi_thread_start(struct ft_mpi_thread *thread, void (*job)(void *context), void *context)
{
    pthread_mutex_lock(&thread->lock);
    wait_for_job(thread);
    thread->job = job;
    thread->context = context;
    pthread_cond_broadcast(&thread->changed);
    pthread_mutex_unlock(&thread->lock);
}

void ft_mpi_thread_wait(struct ft_mpi_thread *thread)
{
    pthread_mutex_lock(&thread->lock);
    wait_for_job(thread);
    pthread_mutex_unlock(&thread->lock);
}

bool ft_mpi_thread_is_mine(const struct ft_mpi_thread *thread)
{
    return pthread_equal(thread->thread, pthread_self()) != 0;
}
