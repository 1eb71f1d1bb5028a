/*
 * Source files of programs under study, as far as they are at hand, as they are now.
 */
#ifndef FT_PREDICT_COMMANDS_SOURCE_FILE_H
#define FT_PREDICT_COMMANDS_SOURCE_FILE_H

#include <stdio.h>

/* NULL where there is no such file, or one that is no text to read, such as a pipe. */
FILE *ft_source_open(const char *path);

#endif
