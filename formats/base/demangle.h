/*
 * Demangled names of routines: C++ and gfortran.
 */
#ifndef FT_FORMATS_BASE_DEMANGLE_H
#define FT_FORMATS_BASE_DEMANGLE_H

/* The C++, Rust or D name of a symbol, with its arguments; module::procedure for a procedure of a
 * Fortran module as gfortran mangles it; a copy of any other symbol. malloc'ed; NULL when out of
 * memory. */
char *ft_demangle(const char *symbol);

#endif
