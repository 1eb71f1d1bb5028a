/*
 * Which system calls of the program the host must see, and the emitted code that they run through.
 * All others run at full speed inside the translation.
 */
#ifndef FT_TRACE_CAPTURE_TRANSLATE_SYSCALL_ROUTES_H
#define FT_TRACE_CAPTURE_TRANSLATE_SYSCALL_ROUTES_H

#include "trace-capture/translate/code_cache.h"

/* Emits the routes into the first zone and fills the tables of the context. */
int ft_syscall_routes_emit(struct ft_code_cache *cache, struct ft_diag *diag);

/* There is more than one thread: from now on the calls by which threads wait for each other get
 * timestamps. */
void ft_syscall_routes_timestamp(struct ft_code_cache *cache);

#endif
