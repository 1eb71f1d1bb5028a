/*
 * What the name of a vector or x87 instruction says about its work: class, type of number, and
 * operations on each lane. Names spell this ("vfmadd231pd"); each is parsed once.
 * Thread safe.
 */
#ifndef FT_FORMATS_X86_NAMED_OPERATIONS_H
#define FT_FORMATS_X86_NAMED_OPERATIONS_H

#include "formats/x86/instruction.h"

struct ft_named_operation {
    uint8_t mix_class;   /* FT_MIX_COUNT where the name tells none */
    uint8_t number_type; /* enum ft_number_type */
    uint8_t a_lane;      /* operations a lane; of the whole instruction where it is scalar */
    bool is_scalar;
};

struct ft_named_operation ft_named_operation(ZydisMnemonic mnemonic);

#endif
