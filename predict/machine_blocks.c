#include "predict/machine_blocks.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE_BYTES_MAX 256U /* larger blocks are pages */
#define LINE_BYTES     64U

bool ft_block_list_has(const uint64_t *sizes, size_t count, uint64_t block_bytes)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i] == block_bytes)
            return true;
    return false;
}

void ft_block_list_insert(uint64_t *sizes, size_t *count, uint64_t block_bytes)
{
    size_t at = *count;
    for (; at > 0 && sizes[at - 1] > block_bytes; at--)
        sizes[at] = sizes[at - 1];
    sizes[at] = block_bytes;
    ++*count;
}

int ft_block_list_add_machine(uint64_t *sizes, size_t *count, size_t room,
                              const struct ft_machine *machine, struct ft_diag *diag)
{
    for (size_t i = 0; i < machine->level_count; i++) {
        const uint64_t bytes = machine->levels[i].block_bytes;
        if (ft_block_list_has(sizes, *count, bytes))
            continue;
        if (*count + 1 >= room)
            return ft_fail(diag, FT_ERROR_USAGE, "%s has more than %zu block sizes", machine->name,
                           room - 1);
        ft_block_list_insert(sizes, count, bytes);
    }
    if (*count == 0 || sizes[0] > LINE_BYTES_MAX)
        ft_block_list_insert(sizes, count, LINE_BYTES);
    return FT_OK;
}

void ft_block_list_text(char *text, size_t room, const uint64_t *sizes, size_t count)
{
    static const char *const units[] = {"", "K", "M", "G"};
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < count && used < room; i++) {
        uint64_t size = sizes[i];
        size_t unit = 0;
        for (; size >= 1024 && size % 1024 == 0 && unit < 3; unit++)
            size /= 1024;
        int length = snprintf(text + used, room - used, "%s%llu%s", i ? "," : "",
                              (unsigned long long)size, units[unit]);
        used += length > 0 ? (size_t)length : 0;
    }
}

int ft_block_list_check(const uint64_t *sizes, size_t count, const struct ft_machine *machine,
                        const char *which, const char *then, struct ft_diag *diag)
{
    size_t missing_count = 0, wanted_count = 0;
    uint64_t *missing = calloc(machine->level_count + 1, sizeof *missing);
    uint64_t *wanted = calloc(machine->level_count + count + 1, sizeof *wanted);
    int status = missing && wanted ? FT_OK : ft_fail_memory(diag, "block sizes");
    for (size_t i = 0; status == FT_OK && i < count; i++)
        ft_block_list_insert(wanted, &wanted_count, sizes[i]);
    for (size_t i = 0; status == FT_OK && i < machine->level_count; i++)
        if (!ft_block_list_has(wanted, wanted_count, machine->levels[i].block_bytes)) {
            ft_block_list_insert(missing, &missing_count, machine->levels[i].block_bytes);
            ft_block_list_insert(wanted, &wanted_count, machine->levels[i].block_bytes);
        }
    if (missing_count > 0) {
        char lacks[256], all[512];
        ft_block_list_text(lacks, sizeof lacks, missing, missing_count);
        ft_block_list_text(all, sizeof all, wanted, wanted_count);
        status = ft_fail(diag, FT_ERROR_USAGE,
                         "%s has blocks of %s bytes, which %s: run 'foretrace replay -b %s' on the "
                         "same %s",
                         machine->name, lacks, which, all, then);
    }
    free(missing);
    free(wanted);
    return status;
}

int ft_predict_check_sizes(const struct ft_model *model, const struct ft_machine *machine,
                           struct ft_diag *diag)
{
    return ft_block_list_check(model->block_bytes, model->size_count, machine,
                               "the model was not replayed with", "traces, and fit again", diag);
}
