/*
 * Demangled names of routines: C++ and gfortran.
 */
#ifndef FT_FORMATS_BASE_DEMANGLE_H
#define FT_FORMATS_BASE_DEMANGLE_H

/* A malloc'ed text: the C++, Rust or D name that a symbol stands for, with its arguments; of a
 * procedure in a Fortran module, as gfortran names it, module::procedure; or a copy
 * of the symbol where it is none of those. NULL when out of memory. */
char *ft_demangle(const char *symbol);

#endif
