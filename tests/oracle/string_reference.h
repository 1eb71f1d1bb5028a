/*
 * The rule by which a repeated string instruction makes accesses (docs/trace-format.md, "String
 * instructions"), byte by byte: the reference for what foretrace computes.
 */
#ifndef FT_TESTS_ORACLE_STRING_REFERENCE_H
#define FT_TESTS_ORACLE_STRING_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct string_reference {
    uint64_t addresses[2]; /* of the first elements */
    unsigned operand_count;
    uint32_t size_bytes; /* of an element */
    bool is_down;
    uint64_t count; /* of elements */
};

typedef void string_reference_visitor(void *context, unsigned operand, uint64_t address,
                                      uint32_t size_bytes);
void string_reference_run(const struct string_reference *string, string_reference_visitor *visit,
                          void *context);

#endif
