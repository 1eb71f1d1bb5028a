/*
 * YAML files of machines, cores and networks: their text, what libcyaml reads from it by a schema,
 * and errors as "FILE: line 12: caches[1].ways: ...". Private to machines/.
 */
#ifndef FT_MACHINES_YAML_FILE_H
#define FT_MACHINES_YAML_FILE_H

#include <stddef.h>

#include "formats/base/status.h"

struct cyaml_schema_value;

struct ft_yaml_file {
    const char *path; /* for messages; the caller's */
    char *text;
    size_t bytes;
};

/* The text has room for a byte behind its end. It is the caller's to free. */
int ft_yaml_file_read(const char *path, struct ft_yaml_file *ret_file, struct ft_diag *diag);

/* What the text says by a schema, never NULL; FT_ERROR_DATA names line and key, also of what
 * libcyaml would skip. Given up with ft_yaml_free. */
int ft_yaml_file_load(const struct ft_yaml_file *file, const struct cyaml_schema_value *schema,
                      void **ret_data, struct ft_diag *diag);
void ft_yaml_free(const struct cyaml_schema_value *schema, void *data);

/* FT_ERROR_UNSUPPORTED if the file's version is above the last one that is known. */
int ft_yaml_file_check_version(const struct ft_yaml_file *file, unsigned version, unsigned last,
                               struct ft_diag *diag);

/* FT_ERROR_DATA, with the line of the key, or of what of it is there. */
int ft_yaml_file_fail(const struct ft_yaml_file *file, const char *key, const char *what,
                      struct ft_diag *diag);

#endif
