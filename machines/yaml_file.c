#include "machines/yaml_file.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machines/yaml_error.h"
#include "machines/yaml_walk.h"

#define FILE_BYTES_MAX (1U << 20)

static const cyaml_config_t quiet = {.log_level = CYAML_LOG_ERROR, .mem_fn = cyaml_mem};

int ft_yaml_file_read(const char *path, struct ft_yaml_file *ret_file, struct ft_diag *diag)
{
    int status = FT_OK;
    size_t bytes = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return ft_fail(diag, FT_ERROR_IO, "%s: cannot open: %s", path, strerror(errno));
    char *text = malloc(FILE_BYTES_MAX + 1);
    if (!text)
        status = ft_fail_memory(diag, path);
    else if ((bytes = fread(text, 1, FILE_BYTES_MAX + 1, file)) > FILE_BYTES_MAX)
        status =
            ft_fail(diag, FT_ERROR_DATA, "%s: more than %u KiB: is no machine, core or network",
                    path, FILE_BYTES_MAX >> 10);
    else if (ferror(file))
        status = errno == EISDIR
                     ? ft_fail(diag, FT_ERROR_IO, "%s: is a folder; expected a YAML file", path)
                     : ft_fail(diag, FT_ERROR_IO, "%s: cannot read: %s", path, strerror(errno));
    (void)fclose(file);
    if (status != FT_OK) {
        free(text);
        return status;
    }
    *ret_file = (struct ft_yaml_file){.path = path, .text = text, .bytes = bytes};
    return FT_OK;
}

int ft_yaml_file_load(const struct ft_yaml_file *file, const struct cyaml_schema_value *schema,
                      void **ret_data, struct ft_diag *diag)
{
    struct ft_yaml_error error = {0};
    struct ft_diag why;
    void *data = NULL;
    cyaml_config_t config = quiet;
    config.log_fn = ft_yaml_error_note;
    config.log_ctx = &error;
    const cyaml_err_t code =
        cyaml_load_data((const uint8_t *)file->text, file->bytes, &config, schema, &data, NULL);
    if (code != CYAML_OK)
        return ft_yaml_error_fail(file->path, &error, code, diag);
    int status = FT_OK;
    if (!data)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: the file is empty", file->path);
    else if (ft_yaml_check(file->text, file->bytes, schema, &why) != FT_OK)
        status = ft_fail(diag, why.status, "%s: %s", file->path, why.message);
    if (status == FT_OK)
        *ret_data = data;
    else
        ft_yaml_free(schema, data);
    return status;
}

void ft_yaml_free(const struct cyaml_schema_value *schema, void *data)
{
    if (data)
        cyaml_free(&quiet, schema, data, 0);
}

int ft_yaml_file_check_version(const struct ft_yaml_file *file, unsigned version, unsigned last,
                               struct ft_diag *diag)
{
    return version <= last ? FT_OK
                           : ft_fail(diag, FT_ERROR_UNSUPPORTED,
                                     "%s: version %u is newer than %u, the last known", file->path,
                                     version, last);
}

int ft_yaml_file_fail(const struct ft_yaml_file *file, const char *key, const char *what,
                      struct ft_diag *diag)
{
    const unsigned line = ft_yaml_line_of(file->text, file->bytes, key);
    return line ? ft_fail(diag, FT_ERROR_DATA, "%s: line %u: %s: %s", file->path, line, key, what)
                : ft_fail(diag, FT_ERROR_DATA, "%s: %s: %s", file->path, key, what);
}
