/*
 * The accesses that runs stand for, one by one and in order.
 */
#ifndef FT_TESTS_SUPPORT_RUN_ACCESSES_H
#define FT_TESTS_SUPPORT_RUN_ACCESSES_H

#include "formats/expand/runs.h"

typedef void access_visitor(void *context, uint32_t reference, uint64_t address);
/* Calls `visit` for every access of a batch in order. */
void visit_batch(const struct ft_run_batch *batch, access_visitor *visit, void *context);
/* The same of a source. */
void visit_accesses(struct ft_run_source *source, access_visitor *visit, void *context);

#endif
