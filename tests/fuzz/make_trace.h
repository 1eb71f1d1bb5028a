/*
 * A trace out of anything: the chunks are whole, their payloads are what the fuzzer gives. The
 * input is a row of: u8 kind, u8 thread, u8 sequence, u16 bytes of payload, payload.
 */
#ifndef FT_TESTS_FUZZ_MAKE_TRACE_H
#define FT_TESTS_FUZZ_MAKE_TRACE_H

#include <stddef.h>
#include <stdint.h>

/* Gives the path of the trace (as one that was cut off), or NULL where the input makes no chunk. */
const char *fuzz_make_trace(const uint8_t *data, size_t bytes);

#endif
