/*
 * Small loops of machine code, made for one measurement: accesses at fixed displacements, so that a
 * stride costs no instruction of its own.
 *
 * Owned. Source: Intel SDM volume 2, chapter 2.
 */
#ifndef FT_MACHINES_PROBE_CODE_H
#define FT_MACHINES_PROBE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/status.h"

/* Runs the code `passes` times over memory at `from`, and for copies to `to`. */
typedef void ft_code_function(void *from, void *to, uint64_t passes);

enum ft_code_kind { FT_CODE_LOAD, FT_CODE_STORE, FT_CODE_COPY, FT_CODE_VECTOR_LOAD };

struct ft_code {
    uint8_t *bytes;
    size_t used;
    ft_code_function *run;
    uint64_t accesses; /* of a pass; a copy is one */
};

/* A pass makes accesses at 0, stride_bytes, 2 stride_bytes ... below size_bytes (at least one).
 * Vectors have 32 bytes, everything else 8. FT_ERROR_UNSUPPORTED: the system lets no code be made.
 */
int ft_code_strided(enum ft_code_kind kind, uint64_t size_bytes, uint64_t stride_bytes,
                    struct ft_code *ret_code, struct ft_diag *diag);
void ft_code_fini(struct ft_code *code);

#endif
