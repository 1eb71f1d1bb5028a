"""usage: mpi_calls.py halo RANKS N STEPS CSV | ring RANKS ELEMENTS STEPS CSV

The messages, collectives and bytes that samples/halo.c and ring_sample.f90 must make, in closed
form, against what 'foretrace info --mpi --csv' says. Prints differences."""

import csv
import sys

PARTS = {2: (2, 1, 1), 4: (2, 2, 1), 8: (2, 2, 2)}  # MPI_Dims_create
DOUBLE = INT2 = 8


def halo(ranks, points, steps):
    """{(rank, function, peer): (calls, sent, bytes, received, bytes)}"""
    rows = {}
    parts = PARTS[ranks]

    def extent(direction, place):
        return points * (place + 1) // parts[direction] - points * place // parts[direction]

    places = [(r // (parts[1] * parts[2]), r // parts[2] % parts[1], r % parts[2])
              for r in range(ranks)]
    for rank, place in enumerate(places):
        size = [extent(d, place[d]) for d in range(3)]
        outside = 0
        for d in range(3):
            for side in (-1, 1):
                other = list(place)
                other[d] += side
                if not 0 <= other[d] < parts[d]:
                    outside += steps
                    continue
                peer = str(places.index(tuple(other)))
                face = size[0] * size[1] * size[2] // size[d] * DOUBLE
                rows[rank, "MPI_Isend", peer] = (steps, steps, steps * face, 0, 0)
                rows[rank, "MPI_Irecv", peer] = (steps, 0, 0, steps, steps * face)
        if outside:
            rows[rank, "MPI_Isend", "none"] = rows[rank, "MPI_Irecv", "none"] = (outside, 0, 0, 0, 0)
        in_plane = [r for r in range(ranks) if places[r][0] == place[0]]
        is_root = rank == max(in_plane)  # the key of the split is -rank
        rows[rank, "MPI_Bcast", ""] = (1, 0, 0 if rank else INT2, 0, INT2 if rank else 0)
        rows[rank, "MPI_Allreduce", ""] = (steps, 0, steps * DOUBLE, 0, steps * DOUBLE)
        rows[rank, "MPI_Gather", ""] = (1, 0, DOUBLE, 0, len(in_plane) * DOUBLE if is_root else 0)
        rows[rank, "MPI_Waitall", ""] = (steps, 0, 0, 0, 0)
    return rows


def ring(ranks, elements, steps):
    rows = {}
    for rank in range(ranks):
        after, before = str((rank + 1) % ranks), str((rank - 1) % ranks)
        half, whole = steps * elements * DOUBLE, steps * 2 * elements * DOUBLE
        rows[rank, "MPI_Send_init", after] = (1, steps, half, 0, 0)
        rows[rank, "MPI_Recv_init", "any"] = (1, 0, 0, 0, 0)
        rows[rank, "MPI_Recv_init", before] = (0, 0, 0, steps, half)
        if after == before:
            rows[rank, "MPI_Sendrecv", after] = (steps, steps, whole, steps, whole)
        else:
            rows[rank, "MPI_Sendrecv", after] = (steps, steps, whole, 0, 0)
            rows[rank, "MPI_Sendrecv", before] = (0, 0, 0, steps, whole)
        rows[rank, "MPI_Allgatherv", ""] = (1, 0, (rank + 1) * DOUBLE, 0,
                                            ranks * (ranks + 1) // 2 * DOUBLE)
        rows[rank, "MPI_Gather", ""] = (1, 0, DOUBLE, 0, 0 if rank else ranks * DOUBLE)
        rows[rank, "MPI_Startall", ""] = rows[rank, "MPI_Waitall", ""] = (steps, 0, 0, 0, 0)
    return rows


def main():
    sample, ranks, size, steps, path = sys.argv[1:]
    expected = {"halo": halo, "ring": ring}[sample](int(ranks), int(size), int(steps))
    functions = {key[1] for key in expected}
    found, unknown = {}, 0
    with open(path) as table:
        for row in csv.DictReader(table):
            key = int(row["rank"]), row["function"], row["peer"]
            unknown += int(row["unfinished_messages"]) + int(row["unknown_bytes"])
            if row["function"] in functions:
                found[key] = tuple(int(row[k]) for k in (
                    "calls", "sent_messages", "sent_bytes", "received_messages", "received_bytes"))
    for key in sorted(set(expected) | set(found)):
        if expected.get(key) != found.get(key):
            print(key, "expected", expected.get(key), "found", found.get(key))
    if unknown:
        print(unknown, "unfinished or unknown")


main()
