/*
 * Chunks whose frames and checksums are right and whose payloads are anything (make_trace.h).
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/make_trace.h"
#include "tests/fuzz/read_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const char *path = fuzz_make_trace(data, bytes);
    if (path)
        fuzz_read_trace(path);
    return 0;
}
