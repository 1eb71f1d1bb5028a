#include "formats/base/text_append.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ft_text_append(char *text, size_t bytes, const char *format, ...)
{
    const size_t length = strnlen(text, bytes);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + length, bytes - length, format, arguments);
    va_end(arguments);
}
