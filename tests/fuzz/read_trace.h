/*
 * Reads all of a trace that may be anything, in each way that commands read it, and compares the
 * ways where all of them find nothing wrong.
 */
#ifndef FT_TESTS_FUZZ_READ_TRACE_H
#define FT_TESTS_FUZZ_READ_TRACE_H

#include "formats/trace/trace.h"

/* Opens and reads the file as one that was cut off. */
void fuzz_read_trace(const char *path);

#endif
