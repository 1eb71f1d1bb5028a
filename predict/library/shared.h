/*
 * What the parts of the library share: failures and scopes as its header has them.
 */
#ifndef FT_PREDICT_LIBRARY_SHARED_H
#define FT_PREDICT_LIBRARY_SHARED_H

#include "formats/base/status.h"
#include "formats/scopes/scopes.h"
#include "formats/trace/metadata.h"
#include "predict/library/libforetrace.h"

/* Gives what a failure says to the caller, who may not want to know; returns status. */
int ft_library_fail(struct foretrace_error *error, int status, const struct ft_diag *diag);

struct foretrace_scope ft_library_scope(const struct ft_scopes *scopes, size_t scope);

/* Of the parameters of a trace. */
int ft_library_parameter(const struct ft_metadata *metadata, const char *name, double *ret_value,
                         struct foretrace_error *error);

#endif
