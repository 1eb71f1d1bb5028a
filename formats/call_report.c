#include "formats/call_report.h"

#include <inttypes.h>

#include "formats/trace/kernel_calls.h"

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
