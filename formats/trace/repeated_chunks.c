#include "formats/trace/repeated_chunks.h"

void ft_repeated_chunks_write(const struct ft_repeated_chunks *repeated, struct ft_bytes *bytes)
{
    ft_put_varint(bytes, repeated->first);
    ft_put_varint(bytes, repeated->count);
    ft_put_varint(bytes, repeated->times);
}

int ft_repeated_chunks_read(struct ft_cursor *cursor, uint64_t sequence,
                            struct ft_repeated_chunks *ret_repeated, struct ft_diag *diag)
{
    struct ft_repeated_chunks repeated;
    repeated.first = ft_get_varint(cursor);
    repeated.count = ft_get_varint(cursor);
    repeated.times = ft_get_varint(cursor);
    if (cursor->failed || cursor->position != cursor->length || repeated.first >= sequence ||
        repeated.count == 0 || repeated.count > sequence - repeated.first || repeated.times == 0 ||
        repeated.times > FT_REPEATED_TIMES_MAX)
        return ft_fail(diag, FT_ERROR_DATA, "it does not repeat logs before it");
    *ret_repeated = repeated;
    return FT_OK;
}
