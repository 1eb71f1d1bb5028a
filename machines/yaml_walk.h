/*
 * What libcyaml does not tell of a file that it has read: the line of a key, and what it skips
 * (tags, further documents, characters behind a NUL or a number), which would change what a value
 * means.
 * Private to machines/.
 */
#ifndef FT_MACHINES_YAML_WALK_H
#define FT_MACHINES_YAML_WALK_H

#include <stddef.h>

#include "formats/base/status.h"

struct cyaml_schema_value;

/* FT_ERROR_DATA without the file's name: "line 3: core.clock_ghz: ...". The schema tells which
 * values are numbers. */
int ft_yaml_check(const char *text, size_t bytes, const struct cyaml_schema_value *schema,
                  struct ft_diag *diag);

/* The line of "caches[2].ways" (entries count from 1), or of what of it is there; 0: nothing. */
unsigned ft_yaml_line_of(const char *text, size_t bytes, const char *path);

#endif
