/*
 * Functions of an ELF object by the names that people use: the symbol's name, or for C++ and Rust
 * the demangled one, with its arguments ("ns::f(int)") or without ("ns::f": all overloads). Symbols
 * are those of the object and of its debug file. Nothing else is read, so this is fast enough to do
 * before the object's code runs.
 */
#ifndef FT_TRACE_CAPTURE_MODULES_FUNCTION_NAMES_H
#define FT_TRACE_CAPTURE_MODULES_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls `found` for each function of the object at `path` that has one of the names, with the
 * name's index and the address in the object. A file that cannot be read has none. */
typedef void ft_function_found(void *context, size_t name, uint64_t offset);
void ft_functions_find(const char *path, const char *const *names, size_t name_count,
                       ft_function_found *found, void *context);

/* The names most similar to one that was not found, best first, collected over several objects. */
#define FT_NEAR_NAMES_MAX 3
struct ft_near_names {
    const char *wanted;
    char *names[FT_NEAR_NAMES_MAX]; /* NULL after the last */
    size_t distances[FT_NEAR_NAMES_MAX];
};
void ft_near_names_add(struct ft_near_names *near, const char *path);
void ft_near_names_fini(struct ft_near_names *near);

#endif
