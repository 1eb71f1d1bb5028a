/*
 * The accesses of Apex-MAP (Strohmaier & Shan, MASCOTS 2004): runs of `length` elements of 8 bytes
 * from random starts in an array. alpha 1: starts are uniform; towards 0 they crowd at its
 * beginning. The starts of a point are always the same, used again and again in their order, so
 * that its accesses can be simulated. Pure.
 */
#ifndef FT_MACHINES_PROBE_APEX_MAP_H
#define FT_MACHINES_PROBE_APEX_MAP_H

#include <stdint.h>

#define FT_APEX_ELEMENT_BYTES 8

/* How many starts there are: a power of two, of a million accesses or more. */
uint64_t ft_apex_count(uint64_t length);
/* The starts, in elements: multiples of length. size_bytes: room for one at least; alpha: above 0,
 * to 1. */
void ft_apex_starts(uint64_t size_bytes, double alpha, uint64_t length, uint32_t *ret_starts);

#endif
