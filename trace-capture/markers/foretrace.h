/*
 * Marks the part of a C or C++ program that `foretrace capture --markers` records:
 *
 *     FORETRACE_START();
 *     solve(a, b);
 *     FORETRACE_STOP();
 *
 * Each is one instruction that does nothing (a nop of seven bytes, with a number in its operand by
 * which it is recognised); the compiler moves no access to memory across it. Nothing needs to be
 * linked. In Fortran: foretrace.inc.
 */
#ifndef FORETRACE_H
#define FORETRACE_H

#define FORETRACE_START_NUMBER 0x7e46a501
#define FORETRACE_STOP_NUMBER  0x7e46a502

#define FORETRACE_TEXT_OF(number) #number
#define FORETRACE_NOP(number)                                                                      \
    __asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t.long " FORETRACE_TEXT_OF(number) : : : "memory")

#define FORETRACE_START() FORETRACE_NOP(FORETRACE_START_NUMBER)
#define FORETRACE_STOP()  FORETRACE_NOP(FORETRACE_STOP_NUMBER)

#endif
