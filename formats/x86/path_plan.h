/*
 * Plans paths: units that ran one after another, again and again, as one unit, with the module of
 * the first. What is planned has id 0 and a copy of the code; the caller ends it with ft_unit_fini.
 * Thread safe.
 */
#ifndef FT_FORMATS_X86_PATH_PLAN_H
#define FT_FORMATS_X86_PATH_PLAN_H

#include "formats/x86/unit.h"

/* Plans a path through units that ran one after another, none of them a loop: what it knows of one
 * costs no value in the next. Where an indirect branch or a return leads on, all is known that a
 * prefix without it needs. FT_ERROR_UNSUPPORTED where the units cannot be one path: a system call,
 * popf or a counted branch before the end, one unit that does not follow on the other, or too many
 * instructions or values. */
int ft_path_plan(const struct ft_unit *const *units, size_t count, struct ft_unit *ret_path,
                 struct ft_diag *diag);
/* The same of units that come back to the start of the first one: a loop path. Also refused where a
 * iteration repeats strings, or registers hold what neither is known at the head nor can be worked
 * out where the loop is left. */
int ft_loop_path_plan(const struct ft_unit *const *units, size_t count, struct ft_unit *ret_loop,
                      struct ft_diag *diag);
#define FT_PATH_RECORD_BYTES_MAX 2048
/* Whether a unit may be part of a path, and whether one may go on behind it. */
bool ft_path_takes(const struct ft_unit *unit);
bool ft_path_goes_on_behind(const struct ft_unit *unit);

#endif
