#include "formats/skeleton/irregular.h"

#include <stdlib.h>
#include <string.h>

#include "formats/skeleton/nest.h"

void ft_irregular_clear(struct ft_irregular *irregular)
{
    for (size_t i = 0; i < irregular->path_count; i++) {
        free(irregular->paths[i].tokens);
        free(irregular->paths[i].numbers);
    }
    irregular->path_count = irregular->reference_count = 0;
    irregular->entries = irregular->iterations = irregular->accesses = 0;
    irregular->entry_iterations = irregular->iterations_min = irregular->iterations_max = 0;
    ft_hash_table_clear(&irregular->by_shape);
    ft_hash_table_clear(&irregular->by_reference);
}

void ft_irregular_fini(struct ft_irregular *irregular)
{
    ft_irregular_clear(irregular);
    free(irregular->paths);
    free(irregular->references);
    ft_hash_table_fini(&irregular->by_shape);
    ft_hash_table_fini(&irregular->by_reference);
}

static bool copy_path(const struct ft_irregular_path *path, struct ft_irregular_path *copy)
{
    *copy = *path;
    copy->tokens = malloc(path->token_count * sizeof *path->tokens + 1);
    copy->numbers = malloc(path->number_count * sizeof *path->numbers + 1);
    if (!copy->tokens || !copy->numbers)
        return false;
    memcpy(copy->tokens, path->tokens, path->token_count * sizeof *path->tokens);
    memcpy(copy->numbers, path->numbers, path->number_count * sizeof *path->numbers);
    return true;
}

bool ft_irregular_copy(const struct ft_irregular *irregular, struct ft_irregular *ret_copy)
{
    *ret_copy = *irregular;
    ret_copy->by_shape = ret_copy->by_reference = (struct ft_hash_table){0};
    ret_copy->path_count = ret_copy->path_capacity = 0;
    ret_copy->reference_capacity = irregular->reference_count;
    ret_copy->paths = calloc(irregular->path_count + 1, sizeof *ret_copy->paths);
    ret_copy->references = malloc(irregular->reference_count * sizeof *ret_copy->references + 1);
    if (!ret_copy->paths || !ret_copy->references)
        return false;
    if (irregular->reference_count)
        memcpy(ret_copy->references, irregular->references,
               irregular->reference_count * sizeof *ret_copy->references);
    ret_copy->path_capacity = irregular->path_count;
    for (size_t p = 0; p < irregular->path_count; p++) {
        ret_copy->path_count++;
        if (!copy_path(&irregular->paths[p], &ret_copy->paths[p]))
            return false;
    }
    return true;
}

bool ft_irregular_is_cut(const struct ft_irregular *irregular, uint32_t id)
{
    const struct ft_irregular_path *path = irregular->paths;
    return irregular->path_count > 0 && path->token_count > 0 &&
           path->tokens[path->token_count - 1] == ft_nest_token(FT_NEST_IRREGULAR, id);
}
