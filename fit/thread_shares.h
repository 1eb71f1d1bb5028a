/*
 * How threads divide the work of scopes (formats/model/model_threads.h), learned from the accesses
 * of each thread by itself.
 */
#ifndef FT_FIT_THREAD_SHARES_H
#define FT_FIT_THREAD_SHARES_H

#include "fit/fit_work.h"

/* Fills in the threads of work->model, but for its shared models; nothing where all traces are of
 * one thread. There are no shares where threads were not replayed apart. */
int ft_thread_shares_fit(const struct ft_fit_work *work, struct ft_diag *diag);

#endif
