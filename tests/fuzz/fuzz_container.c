/*
 * The bytes of a file as they are: carving, frames, descriptions.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/read_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_read_trace(fuzz_file(data, bytes));
    return 0;
}
