#!/usr/bin/python3
"""compare_formats.py CSV FORMAT FILE: whether a file that `export` wrote says the same as
the CSV that it wrote of the same trace: of oracleGeneral, blocks of 64 bytes and which record of a
block is next; of pinatrace, pcs, kinds and addresses; of champsim, instructions with their accesses,
and that branches go where the next record is. Prints a summary; exit code 0 where they agree.

With FORMAT lru, FILE of oracleGeneral and a number of blocks: the misses of a fully associative LRU
cache, as a simulator of such files counts them."""
import collections
import csv
import struct
import sys


def rows(path):
    with open(path, newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            yield int(row["pc"], 16), int(row["address"], 16), int(row["size"]), row["kind"]


def check(condition, message):
    if not condition:
        sys.exit(message)


def oracle_general(path):
    with open(path, "rb") as file:
        return list(struct.iter_unpack("<IQIq", file.read()))


def compare_oracle_general(csv_path, path):
    blocks = [
        block
        for _, address, size, kind in rows(csv_path)
        if kind not in ("instruction", "prefetch")
        for block in range(address // 64, (address + size - 1) // 64 + 1)
    ]
    next_record, expected = {}, []
    for number in range(len(blocks), 0, -1):
        block = blocks[number - 1]
        expected.append((0, block, 64, next_record.get(block, -1)))
        next_record[block] = number
    expected.reverse()
    records = oracle_general(path)
    check(records == expected, "records are not those of the accesses")
    return f"{len(records)} records, {len(next_record)} blocks"


def compare_pinatrace(csv_path, path):
    expected = [
        f"{pc:#x}: {'R' if kind == 'load' else 'W'} {address:#x}"
        for pc, address, _, kind in rows(csv_path)
        if kind not in ("instruction", "prefetch")
    ]
    with open(path, encoding="ascii") as file:
        lines = file.read().split("\n")
    check(lines == expected + ["#eof", ""], "lines are not those of the accesses")
    return f"{len(expected)} lines"


def branch_kind(written, read):
    """As ChampSim finds it (inc/instruction.h): by which of the stack pointer, the flags, the pc and
    other registers a branch reads and writes."""
    reads_other = bool(read - {0, 6, 25, 26})
    reads = 6 in read, 26 in read, 25 in read
    if 6 in written:
        return {(True, True, False): "call", (True, False, False): "return"}.get(reads)
    if reads == (False, True, True):
        return "conditional"
    if reads == (False, False, False):
        return "indirect jump" if reads_other else "jump"
    return None


def compare_champsim(csv_path, path):
    expected = []  # [pc, length, loads, stores]
    for pc, address, size, kind in rows(csv_path):
        if kind == "instruction":
            expected.append([pc, size, [], []])
        elif kind != "prefetch":
            expected[-1][2 if kind == "load" else 3].append(address)
    with open(path, "rb") as file:
        records = list(struct.iter_unpack("<Q2B2B4B2Q4Q", file.read()))
    at = branches = taken = 0
    kinds = collections.Counter()
    for number, (pc, length, loads, stores) in enumerate(expected):
        first = records[at]
        found_loads, found_stores = [], []
        while True:
            record = records[at]
            check(record[0] == pc, f"record {at}: pc {record[0]:#x}, not {pc:#x}")
            found_stores += [address for address in record[9:11] if address]
            found_loads += [address for address in record[11:15] if address]
            at += 1
            if len(found_loads) >= len(loads) and len(found_stores) >= len(stores):
                break
        check(found_loads == loads and found_stores == stores, f"record {at}: other accesses")
        written, read = set(first[3:5]), set(first[5:9])
        check((26 in written) == (first[1] == 1), f"record {at}: writes the pc: {first}")
        if not first[1]:
            continue
        branches += 1
        taken += first[2]
        goes_on = number + 1 < len(expected) and expected[number + 1][0] == pc + length
        kind = branch_kind(written, read)
        check(kind, f"record {at}: no kind of branch: {first}")
        check(first[2] == 1 or goes_on, f"record {at}: not taken, but does not go on")
        check(kind != "conditional" or first[2] == (not goes_on) or number + 1 == len(expected),
              f"record {at}: taken is wrong")
        if kind == "return":
            check(len(loads) == 1 and not stores, f"record {at}: a return with {loads} {stores}")
        elif kind == "call":
            check(len(stores) == 1, f"record {at}: a call with {stores}")
        kinds[kind] += 1
    check(at == len(records), f"{len(records) - at} records too many")
    check(kinds["conditional"] and kinds["call"], f"few kinds: {kinds}")
    return f"{len(records)} records, {branches} branches, {taken} taken; {dict(kinds)}"


def lru(path, blocks):
    cache, misses = collections.OrderedDict(), 0
    for _, block, _, _ in oracle_general(path):
        if block in cache:
            cache.move_to_end(block)
            continue
        misses += 1
        cache[block] = True
        if len(cache) > blocks:
            cache.popitem(last=False)
    return misses


if sys.argv[2] == "lru":
    print(lru(sys.argv[1], int(sys.argv[3])))
else:
    compare = {
        "oracleGeneral": compare_oracle_general,
        "pinatrace": compare_pinatrace,
        "champsim": compare_champsim,
    }[sys.argv[2]]
    print(compare(sys.argv[1], sys.argv[3]))
