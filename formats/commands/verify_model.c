#include "formats/commands/verify_model.h"

#include <stdio.h>

#include "formats/cli/json.h"
#include "formats/cli/table.h"
#include "formats/model/model.h"

static int print_text(const char *path, const struct ft_model_file *file, struct ft_diag *diag)
{
    struct ft_table *table = ft_table_create();
    if (!table)
        return ft_fail_memory(diag, "a table");
    printf("%s: %zu model%s; intact\n", path, file->count, file->count == 1 ? "" : "s");
    ft_table_column(table, "model", "model", false);
    ft_table_column(table, "training sizes", "training_sizes", true);
    ft_table_column(table, "block sizes", "block_sizes", true);
    ft_table_column(table, "groups", "groups", true);
    ft_table_column(table, "replicas", "replicas", true);
    for (size_t i = 0; i < file->count; i++) {
        const struct ft_model *model = &file->models[i];
        ft_table_text(table, model->name);
        ft_table_count(table, (double)model->training_count);
        ft_table_count(table, (double)model->size_count);
        ft_table_count(table, (double)model->group_count);
        ft_table_count(table, (double)model->replica_count);
    }
    const int status = ft_table_write(table, stdout, false, diag);
    ft_table_destroy(table);
    return status;
}

static int print_json(const char *path, const struct ft_model_file *file, struct ft_diag *diag)
{
    json_t *models = json_array();
    for (size_t i = 0; i < file->count; i++) {
        const struct ft_model *model = &file->models[i];
        ft_json_append(&models,
                       json_pack("{s:o, s:I, s:I, s:I, s:I}", "name", ft_json_text(model->name),
                                 "training_sizes", (json_int_t)model->training_count, "block_sizes",
                                 (json_int_t)model->size_count, "groups",
                                 (json_int_t)model->group_count, "replicas",
                                 (json_int_t)model->replica_count));
    }
    return ft_json_write(
        json_pack("{s:s, s:o, s:o}", "kind", "model", "path", ft_json_text(path), "models", models),
        stdout, diag);
}

int ft_verify_model(const char *path, bool as_json, struct ft_diag *diag)
{
    struct ft_model_file file;
    FT_TRY(ft_model_file_read(path, &file, diag));
    const int status = as_json ? print_json(path, &file, diag) : print_text(path, &file, diag);
    ft_model_file_fini(&file);
    return status;
}
