/* Each byte is looked at in the order in which it is reached, without any arithmetic over many. */
#include "tests/oracle/string_reference.h"

enum { GRANULE = 32 };

/* The byte that an operand reaches as the n-th. */
static uint64_t byte_at(const struct string_reference *string, unsigned operand, uint64_t n)
{
    const uint64_t first = string->addresses[operand];
    return string->is_down ? first + string->size_bytes - 1 - n : first + n;
}

static bool same_granule(const struct string_reference *string, unsigned operand, uint64_t m,
                         uint64_t n)
{
    return byte_at(string, operand, m) / GRANULE == byte_at(string, operand, n) / GRANULE;
}

/* The access of what an operand touches of the granule that it has reached with the n-th byte. */
static void visit_granule(const struct string_reference *string, unsigned operand, uint64_t n,
                          string_reference_visitor *visit, void *context)
{
    const uint64_t length = string->count * string->size_bytes;
    uint64_t first = n, last = n;
    while (first > 0 && same_granule(string, operand, first - 1, n))
        first--;
    while (last + 1 < length && same_granule(string, operand, last + 1, n))
        last++;
    uint64_t low = byte_at(string, operand, string->is_down ? last : first);
    const uint64_t high = byte_at(string, operand, string->is_down ? 0 : length - 1);
    const bool is_whole = last - first + 1 == GRANULE;
    if (!is_whole && high - low < string->size_bytes - 1) /* only an element's end is in it */
        low = high - string->size_bytes + 1;
    visit(context, operand, low, is_whole ? GRANULE : string->size_bytes);
}

static void visit_step(const struct string_reference *string, uint64_t n,
                       string_reference_visitor *visit, void *context)
{
    for (unsigned operand = 0; operand < string->operand_count; operand++)
        visit_granule(string, operand, n, visit, context);
}

void string_reference_run(const struct string_reference *string, string_reference_visitor *visit,
                          void *context)
{
    const uint64_t length = string->count * string->size_bytes;
    bool is_first = true;
    for (uint64_t n = 0; n < length; n++) {
        if (n + 1 < length && same_granule(string, 0, n, n + 1))
            continue;
        if (is_first && string->operand_count > 1 && !same_granule(string, 1, 0, n))
            visit_step(string, 0, visit, context);
        visit_step(string, n, visit, context);
        is_first = false;
    }
}
