/*
 * The markers of foretrace.h as functions, for Fortran.
 */
#include "trace-capture/markers/foretrace.h"

void foretrace_start(void);
void foretrace_stop(void);

void foretrace_start(void)
{
    FORETRACE_START();
}

void foretrace_stop(void)
{
    FORETRACE_STOP();
}
