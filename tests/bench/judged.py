"""Forecasts held against exact simulation, level by level, and what they come to: for
tests/bench/hard-cases, the test of a few of its cases, and the runs of tests/bench/unseen and
tests/bench/synthesis."""
import json
import os

from forecasts import BLOCKS, FORETRACE, attempt, capture, keep, machine, quantile, run

SURE = 0.01
FEW_MISSES = 8
MATTERS = 0.001  # misses, as a share of the accesses
COUNTS = ['accesses', 'instructions']
KINDS = {'fully_associative': 'fully assoc.', 'set_associative': 'set assoc.'}


def count(folder, trace):
    """Accesses and instructions."""
    told = json.loads(run(folder, FORETRACE, 'info', '--json', trace))
    return {what: told[what] for what in COUNTS}


def simulate(folder, trace, on=None):
    """The levels of the machine of that name, else of many, with their misses."""
    path = trace.replace('.h5', f'.{on}.simulated.json' if on else '.simulated.json')
    if not os.path.exists(path):
        text = run(folder, FORETRACE, 'simulate', '--machine', on or machine(), '--json', trace)
        keep(path, text)
    with open(path) as file:
        return json.load(file)['total']['levels']


def kinds_of(level):
    """The kinds of misses that a level has, by their keys."""
    is_full = level['ways'] * level['block_bytes'] == level['capacity_bytes']
    return [key for key in KINDS if key == 'fully_associative' or not is_full]


def forecast(folder, name, case):
    """The figures of the program in a report, from histograms and a model in a folder of that name;
    none where fit refuses."""
    parameter, training, target, command = case
    own = f'{folder}/{"-".join(name.replace(":", "").split())}'
    os.makedirs(own, exist_ok=True)
    histograms, model = own + '/histograms.h5', own + '/model.h5'
    if not os.path.exists(histograms):
        traces = [capture(folder, parameter, size, command) for size in training]
        run(own, FORETRACE, 'replay', '-b', BLOCKS, '-o', histograms, *traces)
    code, _ = attempt(own, FORETRACE, 'fit', histograms, '-o', model)
    if code:
        return None
    return json.loads(run(own, FORETRACE, 'predict', model, '--at', f'{parameter}={target}',
                          '--machine', machine(), '--json'))['total']


def judge(folder, name, case):
    """The case's figures, none where fit refuses."""
    parameter, _, target, command = case
    total = forecast(folder, name, case)
    if total is None:
        return None
    trace = capture(folder, parameter, target, command)
    counted, simulated = count(folder, trace), simulate(folder, trace)
    figures = Figures()
    for what in COUNTS:
        figures.add_count(what, total[what], total[what + '_interval'], counted[what])
    for level, check in zip(total['levels'], simulated):
        figures.add_level(level, check['simulated_fully_associative'], counted['accesses'])
    return figures


class Figures:
    """What a case, or all of them, comes to."""

    def __init__(self):
        self.errors, self.bare, self.guesses, self.unknown = [], [], 0, 0
        self.counts = []

    def add_level(self, level, simulated, accesses):
        predicted = level['predicted_fully_associative']
        self.guesses += not level['resolved']
        self.unknown += level['resolved'] and predicted is None
        if not level['resolved'] or predicted is None or not simulated:
            return
        found = {'name': level['name'], 'error': (predicted - simulated) / simulated,
                 'matters': simulated > MATTERS * accesses}
        low, high = level['fully_associative_interval'] or (None, None)
        if low is None:
            self.bare.append(found)
            return
        outside = max(low - simulated, simulated - high, 0)
        found.update(covered=outside == 0, width=(high - low) / 2 / max(predicted, 1),
                     wrong=outside > max(SURE * simulated, FEW_MISSES))
        self.errors.append(found)

    def add_count(self, what, predicted, interval, counted):
        if predicted is None:
            self.counts.append({'name': what, 'text': 'unknown', 'wrong': False})
            return
        found = {'name': what, 'error': (predicted - counted) / counted, 'wrong': False,
                 'matters': True}
        found['text'] = f'{100 * found["error"]:+.1f} %'
        if interval:
            outside = max(interval[0] - counted, counted - interval[1])
            found.update(width=(interval[1] - interval[0]) / 2 / max(predicted, 1),
                         wrong=outside > SURE * counted)
            found['text'] += ' wrong' if found['wrong'] else ''
        self.counts.append(found)

    def add(self, other):
        self.errors += other.errors
        self.bare += other.bare
        self.counts += other.counts
        self.guesses += other.guesses
        self.unknown += other.unknown

    def wrong(self):
        """Levels, then counts."""
        return [error for error in self.errors + self.counts if error['wrong']]

    def print(self, name):
        def share(values, choose):
            return f'{100 * choose(values):.1f} %' if values else '-'
        errors, wrong = self.errors, [error for error in self.errors if error['wrong']]
        cells = [len(errors), self.guesses, self.unknown, len(self.bare)]
        cells += [share([abs(error['error']) for error in errors + self.bare], max),
                  share([abs(error['error']) for error in errors + self.bare if error['matters']],
                        max),
                  share([error['covered'] for error in errors], lambda all: sum(all) / len(all)),
                  share([error['width'] for error in errors], lambda all: quantile(all, 0.5)),
                  len(wrong), sum(error['matters'] for error in wrong)]
        cells = [f'{cell:>9}' for cell in cells]
        for what in COUNTS:
            counts = [count for count in self.counts if count['name'] == what]
            text = counts[0]['text'] if len(counts) == 1 else \
                f'{sum(count["wrong"] for count in counts)} wrong'
            cells.append(f'{text:>15}')
        row = f'{name:21}' + ''.join(cells)
        print(row.rstrip(), flush=True)


def describe(error):
    """One level, or count, that is wrong."""
    return (f'{error["name"]}: {100 * error["error"]:+.1f} % beside +-{100 * error["width"]:.1f} %'
            f'{"" if error["matters"] else ", few misses"}')
