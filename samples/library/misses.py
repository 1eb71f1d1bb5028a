#!/usr/bin/python3
"""Reuse distances from Python, without foretrace (docs/library.md):

    misses.py HISTOGRAMS BLOCK_BYTES CACHE_BYTES

prints the touches of each scope and its misses in a fully associative LRU cache, trace by trace.
Needs h5py (Debian: python3-h5py).
"""
import csv
import sys

import h5py
import numpy

EXACT, PER_OCTAVE = 64, 16  # distances below 64 blocks have a bin each, then an octave has 16


def bin_low(number):
    """The lowest distance in a bin, in blocks."""
    octave, step = divmod(number - EXACT, PER_OCTAVE)
    return numpy.where(number < EXACT, number, (PER_OCTAVE + step) << numpy.maximum(octave + 2, 0))


def scope_misses(trace, block_bytes, capacity_blocks):
    """Accesses, touches and misses by scope, those in scopes inside it among them."""
    sizes = list(trace['block_sizes']['block_bytes'])
    if block_bytes not in sizes:
        sys.exit(f'misses.py: the trace was not replayed with blocks of {block_bytes} bytes')
    rows, bins = trace['histograms'][:], trace['bins'][:]
    # A row for each reference and block size; their bins one behind the other.
    ends = numpy.cumsum(rows['bin_count'].astype(int))
    number = bins['bin'].astype(numpy.int64)
    low, end = bin_low(number), bin_low(number + 1)
    beyond = numpy.clip((end - capacity_blocks) / (end - low), 0, 1) * bins['count']
    sums = numpy.concatenate([[0], numpy.cumsum(beyond)])
    misses = rows['cold'] + sums[ends] - sums[ends - rows['bin_count'].astype(int)]

    scopes = trace['scopes/scopes'][:]
    found = numpy.zeros((len(scopes), 3))
    own = slice(sizes.index(block_bytes), None, len(sizes))
    for scope, *counts in zip(trace['scopes/references']['scope'], trace['references']['accesses'],
                              rows['touches'][own], misses[own]):
        found[scope] += counts
    for scope in range(len(scopes) - 1, 0, -1):  # parents come before what is in them
        found[scopes['parent'][scope]] += found[scope]
    return zip(found, scopes['name'])


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    path, block_bytes, cache_bytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    out = csv.writer(sys.stdout, lineterminator='\n')
    out.writerow(['entry', 'touches', 'misses', 'scope'])
    with h5py.File(path) as file:
        for entry in range(sum(name.startswith('trace_') for name in file)):
            trace = file[f'trace_{entry}']
            for (_, touches, misses), name in scope_misses(trace, block_bytes,
                                                        cache_bytes // block_bytes):
                out.writerow([entry, int(touches), round(misses), name.decode()])


if __name__ == '__main__':
    main()
