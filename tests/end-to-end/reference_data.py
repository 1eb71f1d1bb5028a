"""usage: reference_data.py TRACE PROGRAM DATA.json HISTOGRAMS.json

A reference for `foretrace structure --data --json` on a trace of one thread, from what `dump`
prints and nm says of the program: each access is looked for in a list of all live blocks, then in
that of the program's variables, then in the list of the calls that are open. Blocks are told apart
by their sizes. The distance of each touch is found by a search through a list of all blocks of 64
bytes in the order of their last touches; touches, first touches and distances of each object are
compared with those of `foretrace info --json` of a histogram file. Prints what differs; nothing
where all is the same.
"""
import collections
import json
import re
import subprocess
import sys

trace, program, document, histograms = sys.argv[1:]


def foretrace(*arguments):
    return subprocess.run(['foretrace', 'dump', *arguments, trace], check=True,
                          capture_output=True, text=True).stdout.splitlines()


events = collections.defaultdict(list)  # number of the access: what happens before it
for line in foretrace('--calls'):
    match = re.match(r'(\d+) thread 0 library (\w+) (.*)$', line)
    if not match:
        continue
    at, name, rest = int(match[1]), match[2], match[3]
    result = re.search(r'= 0x([0-9a-f]+)', rest)
    words = rest.split(' = ')[0].split()
    if name == 'free':
        events[at].append(('free', int(words[0], 16)))
    elif name == 'realloc':
        events[at].append(('move', int(words[0], 16), int(result[1], 16), int(words[1])))
    elif result and int(result[1], 16):
        sizes = {'malloc': lambda w: int(w[0]), 'calloc': lambda w: int(w[0]) * int(w[1])}
        events[at].append(('new', int(result[1], 16), sizes.get(name, lambda w: int(w[1]))(words)))

bias = None
for line in foretrace('--events'):
    if 'module_mapped 0x0 ' in line:
        code = int(line.split()[5], 16)
header = subprocess.run(['readelf', '-lW', program], check=True, capture_output=True, text=True)
for line in header.stdout.splitlines():
    words = line.split()
    if words[:1] == ['LOAD'] and 'E' in words[6:8]:
        bias = code - int(words[2], 16) // 4096 * 4096
variables, routines = [], []
for line in subprocess.run(['nm', '-S', program], check=True, capture_output=True,
                           text=True).stdout.splitlines():
    words = line.split()
    if len(words) == 4:
        start, size = bias + int(words[0], 16), int(words[1], 16)
        (routines if words[2] in 'tT' else variables).append((start, start + size, words[3]))


def routine_at(pc):
    for start, end, name in routines:
        if start <= pc < end:
            return name
    return None


blocks, calls, found, number = [], [], collections.Counter(), 0
recent, reuse = [], collections.defaultdict(lambda: [0, 0, 0])  # touches, cold, distances
moves = []  # old blocks that realloc is copying from: until the call is over they live
pc = mnemonic = None
top = None  # the first stack pointer
for line in foretrace():
    match = re.match(r'0x([0-9a-f]+)  (\w+)', line)
    if match:
        pc, mnemonic = int(match[1], 16), match[2]
        continue
    match = re.match(r'    (load|store)\S* +0x([0-9a-f]+) (\d+)', line)
    if not match:
        continue
    kind, address = match[1], int(match[2], 16)
    for event in events.pop(number, []):
        if event[0] == 'free':
            blocks = [b for b in blocks if b[0] != event[1]]
        elif event[0] == 'move':
            if event[1] != event[2]:
                moves.append((event[1], len(calls)))
            blocks = [b for b in blocks if b[0] != event[2]] + [(event[2], event[2] + event[3])]
        else:
            blocks.append((event[1], event[1] + event[2]))
    for old, depth in list(moves):
        if len(calls) < depth:
            blocks = [b for b in blocks if b[0] != old]
            moves.remove((old, depth))
    if top is None:
        top = address + 8
    label = None
    for start, end in blocks:
        if start <= address < end:
            label = ('heap', end - start)
    if label is None:
        for start, end, name in variables:
            if start <= address < end:
                label = ('variable', name)
    if label is None and top - (8 << 20) <= address < top:
        at = pc
        for place, back in reversed(calls):
            if place > address:
                break
            at = back - 1
        if routine_at(at):
            label = ('stack', routine_at(at))
    found[label] += 1
    for block in range(address // 64, (address + int(match[3]) - 1) // 64 + 1):
        distance = recent.index(block) if block in recent else None
        reuse[label][0] += 1
        reuse[label][1] += distance is None
        reuse[label][2] += distance or 0
        if distance is not None:
            del recent[distance]
        recent.insert(0, block)
    if mnemonic == 'call' and kind == 'store':
        calls = [c for c in calls if c[0] > address]
        # calls of five bytes, or of two and six through a register and memory: all lead back here
        calls.append((address, pc + 2))
    elif mnemonic == 'ret':
        calls = [c for c in calls if c[0] > address]
    number += 1

told = collections.Counter()
data = json.load(open(document))
module = program.rsplit('/', 1)[-1]
named = {name for start, end, name in routines}  # those of a known size
for item in data['data']:
    if item['kind'] == 'heap':
        assert item['least_block_bytes'] == item['most_block_bytes'], item
        told[('heap', item['least_block_bytes'])] += item['accesses']
    elif item['module'] == module and (item['kind'] == 'variable' or item['name'] in named):
        told[(item['kind'], item['name'])] += item['accesses']
of_data = collections.defaultdict(lambda: [0, 0, 0])
for item in json.load(open(histograms))['traces'][0]['data']:
    label = (item['kind'], item['name'])
    if item['kind'] == 'heap':
        label = ('heap', item['bytes'] // item['blocks'])
    elif item['module'] != module or not (item['kind'] == 'variable' or item['name'] in named):
        continue
    lines = item['block_sizes'][0]
    assert lines['block_bytes'] == 64
    for i, figure in enumerate((lines['touches'], lines['cold'],
                                sum(b['distance_sum'] for b in lines['distances']))):
        of_data[label][i] += figure
assert number == data['accesses'] == sum(item['accesses'] for item in data['data'])
del found[None]
for label in sorted(set(found) | set(told), key=str):
    if found[label] != told[label]:
        print(label, 'reference', found[label], 'foretrace', told[label])
    if reuse[label] != of_data[label]:
        print(label, 'reference', reuse[label], 'histograms', of_data[label])
print(len(told), 'objects', sum(told.values()), 'accesses', file=sys.stderr)
