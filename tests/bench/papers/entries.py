"""The entries of docs/papers.md: which figures and tables they are of, and the commands there."""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# The papers, by their headings, and how many figures and tables each has.
PAPERS = {
    'Marin & Mellor-Crummey 2004': ('marin-2004', 8, 0),
    'Marin & Mellor-Crummey 2005': ('marin-2005', 7, 1),
    'Zhong et al. 2007': ('zhong-2007', 15, 2),
    'Tikir et al. 2007': ('tikir-2007', 13, 11),
}


class Entry:
    """What stands below one heading: `figures` and `tables` of a paper, and commands."""

    def __init__(self, heading, paper):
        self.heading, self.paper, self.commands, self.text = heading, paper, [], []
        self.numbers = {'figure': [], 'table': []}
        match = re.match(r'(Figure|Table)s? (\d+)(?: to (\d+))?\b', heading)
        if match:
            first, last = int(match[2]), int(match[3] or match[2])
            self.numbers[match[1].lower()] = list(range(first, last + 1))

    def name(self):
        words = re.sub(r'[^a-z0-9]+', '-', self.heading.split(':')[0].lower()).strip('-')
        return f'{self.paper}-{words}' if self.paper else words


def read(path=ROOT + '/docs/papers.md'):
    """All entries that are of a figure or table, or have commands, in order."""
    entries, paper, open_command = [], None, False
    with open(path) as file:
        for line in file:
            if line.startswith('## '):
                paper = PAPERS.get(line[3:].strip(), (None,))[0]
            if line.startswith(('## ', '### ')):
                entries.append(Entry(line.lstrip('#').strip(), paper))
            elif entries and line.startswith('    $ '):
                entries[-1].commands.append(line[6:].rstrip('\n'))
            elif entries and line.startswith('    > '):
                entries[-1].commands[-1] += '\n' + line[6:].rstrip('\n')
            elif entries:
                entries[-1].text.append(line.strip())
    return [entry for entry in entries if entry.commands or any(entry.numbers.values())]


def missing(entries):
    """Figures and tables that no entry is of, or more than one."""
    for paper, figures, tables in PAPERS.values():
        for kind, count in (('figure', figures), ('table', tables)):
            found = [number for entry in entries if entry.paper == paper
                     for number in entry.numbers[kind]]
            for number in range(1, count + 1):
                if found.count(number) != 1:
                    yield f'{paper}, {kind} {number}: {found.count(number)} entries'
            yield from (f'{paper} has no {kind} {number}' for number in found
                        if not 1 <= number <= count)
