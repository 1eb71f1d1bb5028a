#include "formats/commands/call_report.h"

#include <inttypes.h>
#include <string.h>

#include "formats/expand/kernel_calls.h"

void ft_kernel_call_print(const struct ft_record *record, FILE *stream)
{
    const uint64_t *values = record->values;
    const struct ft_kernel_call *call = ft_kernel_call_find(values[0]);
    if (call)
        fprintf(stream, "%s", call->name);
    else
        fprintf(stream, "call_%" PRIu64, values[0]);
    fprintf(stream, " 0x%" PRIx64 " %" PRIu64 " = ", values[1], values[2]);
    bool is_address = call && call->extent == FT_KERNEL_NOTHING && (int64_t)values[3] >= 0;
    if (is_address)
        fprintf(stream, "0x%" PRIx64, values[3]);
    else
        fprintf(stream, "%" PRId64, (int64_t)values[3]);
    uint64_t bytes = call ? ft_kernel_call_bytes(call, values[2], values[3]) : 0;
    if (bytes)
        fprintf(stream, ", %s %" PRIu64,
                call->direction == FT_KERNEL_READS    ? "reads"
                : call->direction == FT_KERNEL_WRITES ? "writes"
                                                      : "reads and writes",
                bytes);
    fputc('\n', stream);
}

/* Which arguments of an allocation function are addresses. */
static bool is_address(const struct ft_library_call *call, unsigned argument)
{
    const struct ft_library_function *function = call->function;
    if (!function || function->class != FT_LIBRARY_ALLOCATION)
        return true;
    bool takes_one = function->result == FT_LIBRARY_NO_RESULT ||
                     function->result == FT_LIBRARY_STORED_POINTER ||
                     strncmp(call->name, "realloc", 7) == 0;
    return takes_one && argument == 0;
}

void ft_library_call_print(const struct ft_library_call *call, FILE *stream)
{
    const struct ft_library_function *function = call->function;
    fprintf(stream, "%s", call->name);
    for (unsigned i = 0; i < call->argument_count; i++)
        fprintf(stream, is_address(call, i) ? " 0x%" PRIx64 : " %" PRIu64, call->arguments[i]);
    if (call->has_result && function && function->result == FT_LIBRARY_POINTER)
        fprintf(stream, " = 0x%" PRIx64, call->result);
    else if (call->has_result)
        fprintf(stream, " = %" PRId32, (int32_t)call->result);
    else if (!function || function->result != FT_LIBRARY_NO_RESULT)
        fprintf(stream, " = ?");
    if (call->pointer && call->has_result)
        fprintf(stream, ", stored 0x%" PRIx64, call->pointer);
    fputc('\n', stream);
}
