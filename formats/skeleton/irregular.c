#include "formats/skeleton/irregular.h"

#include <stdlib.h>

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
