#include "engine/reuse/checkpoint/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND    "replay state"
#define VERSION 7U

static int read_hashes(struct ft_checkpoint *checkpoint, struct ft_sealed_input *input,
                       struct ft_diag *diag)
{
    uint64_t count = ft_sealed_get_u64(input);
    if (count != checkpoint->trace_count)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s is the state of a replay of %llu traces, not of %zu: give the same "
                       "traces, or another file with --checkpoint",
                       checkpoint->path, (unsigned long long)count, checkpoint->trace_count);
    for (size_t i = 0; i < count; i++) {
        char *hash = ft_sealed_get_text(input);
        if (!hash)
            return ft_fail(diag, FT_ERROR_DATA, "%s: the list of traces is truncated",
                           checkpoint->path);
        if (hash[0])
            checkpoint->hashes[i] = hash;
        else
            free(hash);
    }
    return FT_OK;
}

static int read_state(struct ft_checkpoint *checkpoint, struct ft_sealed_input *input,
                      const struct ft_block_sizes *sizes, struct ft_diag *diag)
{
    struct ft_diag inner = {0};
    char *options = ft_sealed_get_text(input);
    int status = FT_OK;
    if (!options)
        status = ft_fail(diag, FT_ERROR_DATA, "%s: the options are truncated", checkpoint->path);
    else if (strcmp(options, checkpoint->options) != 0)
        status = ft_fail(diag, FT_ERROR_USAGE,
                         "%s is the state of a replay with '%s', not with '%s': give the same "
                         "options, or another file with --checkpoint",
                         checkpoint->path, options, checkpoint->options);
    free(options);
    if (!status)
        status = read_hashes(checkpoint, input, diag);
    if (status)
        return status;
    status = ft_checkpoint_pieces_read(&checkpoint->kept, sizes, input, &inner);
    return status ? ft_fail(diag, status, "%s: %s", checkpoint->path, inner.message) : FT_OK;
}

int ft_checkpoint_open(struct ft_checkpoint *checkpoint, const char *path, const char *options,
                       size_t trace_count, const struct ft_block_sizes *sizes, struct ft_diag *diag)
{
    struct ft_sealed_input *input = NULL;
    struct ft_diag inner = {0};
    *checkpoint = (struct ft_checkpoint){
        .path = path,
        .options = options,
        .trace_count = trace_count,
        .hashes = calloc(trace_count + 1, sizeof(char *)),
    };
    if (!checkpoint->hashes)
        return ft_fail_memory(diag, path);
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return FT_OK;
    int status = ft_sealed_input_open(path, KIND, VERSION, &input, &inner);
    if (!status)
        status = read_state(checkpoint, input, sizes, &inner);
    ft_sealed_input_close(input);
    const char *advice = status == FT_ERROR_DATA ? "; remove it to start over" : "";
    return status ? ft_fail(diag, status, "%s%s", inner.message, advice) : FT_OK;
}

int ft_checkpoint_meet(struct ft_checkpoint *checkpoint, size_t trace, const char *hash,
                       struct ft_diag *diag)
{
    char **known = &checkpoint->hashes[trace];
    if (*known && strcmp(*known, hash) != 0)
        return ft_fail(diag, FT_ERROR_USAGE,
                       "%s is the state of a replay of another trace in this place (content %s, "
                       "not %s): give the same traces in the same order, or another file with "
                       "--checkpoint",
                       checkpoint->path, *known, hash);
    if (!*known && !(*known = strdup(hash)))
        return ft_fail_memory(diag, checkpoint->path);
    return FT_OK;
}

int ft_checkpoint_save(const struct ft_checkpoint *checkpoint, struct ft_diag *diag)
{
    struct ft_sealed_output *output = NULL;
    int status = ft_sealed_output_create(checkpoint->path, KIND, VERSION, &output, diag);
    if (status)
        return status;
    ft_sealed_put_text(output, checkpoint->options);
    ft_sealed_put_u64(output, checkpoint->trace_count);
    for (size_t i = 0; i < checkpoint->trace_count; i++)
        ft_sealed_put_text(output, checkpoint->hashes[i] ? checkpoint->hashes[i] : "");
    ft_checkpoint_pieces_write(&checkpoint->kept, output);
    status = ft_sealed_output_finish(output, diag);
    ft_sealed_output_destroy(output);
    return status;
}

void ft_checkpoint_remove(const struct ft_checkpoint *checkpoint)
{
    (void)unlink(checkpoint->path); /* mostly it is not there */
}

void ft_checkpoint_fini(struct ft_checkpoint *checkpoint)
{
    for (size_t i = 0; checkpoint->hashes && i < checkpoint->trace_count; i++)
        free(checkpoint->hashes[i]);
    free(checkpoint->hashes);
    ft_checkpoint_pieces_fini(&checkpoint->kept);
}
