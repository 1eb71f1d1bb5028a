#include "fit/commands/synthesised_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fit/skeletons/synthetic_trace.h"
#include "formats/text/text_import.h"

static int describe_origin(const char *path, struct ft_reference_origin *ret_origin,
                           struct ft_diag *diag)
{
    uint8_t sha256[FT_SHA256_BYTES];
    struct stat status;
    if (stat(path, &status) < 0)
        return ft_fail(diag, FT_ERROR_IO, "%s: %s", path, strerror(errno));
    FT_TRY(ft_sha256_of_file(path, sha256, diag));
    *ret_origin = (struct ft_reference_origin){
        .format = FT_TEXT_SYNTHESISED, .bytes = (uint64_t)status.st_size, .name = path};
    ft_sha256_text(sha256, ret_origin->sha256);
    return FT_OK;
}

int ft_synthesised_trace_write(const struct ft_arguments *arguments,
                               const struct ft_synthesis *synthesis,
                               const struct ft_metadata *about, struct ft_progress *progress,
                               uint64_t *ret_accesses, struct ft_diag *diag)
{
    const size_t count = ft_operand_count(arguments);
    struct ft_reference_origin *origins = calloc(count + 1, sizeof *origins);
    struct ft_metadata metadata = {0};
    int status = origins ? ft_metadata_copy(about, &metadata, diag)
                         : ft_fail_memory(diag, "the names of files");
    if (!status && !ft_metadata_begin_without_host(&metadata))
        status = ft_fail_memory(diag, "the metadata");
    for (size_t i = 0; !status && i < count; i++)
        status = describe_origin(ft_operands(arguments)[i], &origins[i], diag);
    if (!status)
        status = ft_synthesis_write(synthesis, ft_option_last(arguments, "output"), origins, count,
                                    &metadata, progress, diag);
    *ret_accesses = metadata.accesses;
    ft_metadata_fini(&metadata);
    free(origins);
    return status;
}
