/*
 * The calls in a trace as lines of text, for `dump`: system calls with what the kernel touched,
 * library functions with arguments and result.
 */
#ifndef FT_FORMATS_COMMANDS_CALL_REPORT_H
#define FT_FORMATS_COMMANDS_CALL_REPORT_H

#include <stdio.h>

#include "formats/trace/library_calls.h"

/* The record of a FT_ESCAPE_KERNEL: "read 0x7ffe0010 4096 = 10, writes 10". */
void ft_kernel_call_print(const struct ft_record *record, FILE *stream);
/* "malloc 100 = 0x55550010"; addresses and sizes as the function has them. */
void ft_library_call_print(const struct ft_library_call *call, FILE *stream);

#endif
