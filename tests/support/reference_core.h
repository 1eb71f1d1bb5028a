/*
 * The reference of the core simulation: the rules of docs/core.md as they stand there, by
 * loops over all operations in each cycle. For streams of up to REFERENCE_OPERATIONS_MAX
 * operations.
 */
#ifndef FT_TESTS_SUPPORT_REFERENCE_CORE_H
#define FT_TESTS_SUPPORT_REFERENCE_CORE_H

#include "engine/simulate/core/core_model.h"
#include "engine/simulate/core/executed.h"

#define REFERENCE_OPERATIONS_MAX 6000

/* ret_accounts: [account * FT_CORE_REASONS + reason], added to. The cycles of all. */
int64_t reference_core_run(const struct ft_core_model *model, const struct ft_executed *executed,
                           uint32_t count, double *ret_accounts);

#endif
