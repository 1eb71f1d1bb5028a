/*
 * The error of libcyaml for a bad file, as one sentence. Its only source is the log of libcyaml: an
 * error first, then a backtrace from the innermost value outwards. Private to machines/.
 */
#ifndef FT_MACHINES_YAML_ERROR_H
#define FT_MACHINES_YAML_ERROR_H

#include <cyaml/cyaml.h>

#include "formats/base/status.h"

struct ft_yaml_error {
    char what[256];
    char key[256]; /* "caches[1].latency_cycles"; entries count from 1 */
    unsigned line;
};

/* For cyaml_config_t's log_fn; context is a struct ft_yaml_error, zero at first. */
void ft_yaml_error_note(cyaml_log_t level, void *context, const char *format, va_list arguments);
/* Fails with what was noted. */
int ft_yaml_error_fail(const char *path, const struct ft_yaml_error *error, cyaml_err_t code,
                       struct ft_diag *diag);

#endif
