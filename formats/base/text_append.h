/*
 * Texts that grow in a buffer of a given size; what does not fit is cut off.
 */
#ifndef FT_FORMATS_BASE_TEXT_APPEND_H
#define FT_FORMATS_BASE_TEXT_APPEND_H

#include <stddef.h>

/* Appends to text, a string in a buffer of so many bytes, what printf would print. */
__attribute__((format(printf, 3, 4))) void ft_text_append(char *text, size_t bytes,
                                                          const char *format, ...);

#endif
