/*
 * Files of /proc and /sys, whose size is unknown before they are read. Pure but for reading them.
 */
#ifndef FT_MACHINES_HOST_SYSTEM_FILES_H
#define FT_MACHINES_HOST_SYSTEM_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole file, terminated by a zero that *ret_bytes does not count; the caller frees it. "" if
 * there is no such file or it may not be read, NULL when out of memory. */
char *ft_system_file_read(const char *path, size_t *ret_bytes);
/* The first line of a file, without its end; false where there is none. */
bool ft_system_file_line(const char *path, char *ret_line, size_t size);
/* The value of a key at the start of a line ("model name : x", "MemTotal: 8 kB") of a text; NULL:
 * of none. */
bool ft_find_value(const char *text, const char *key, char *ret_value, size_t size);

/* Bytes of memory that are free or can be freed; 0 where the kernel does not tell. */
uint64_t ft_available_memory_bytes(void);

#endif
