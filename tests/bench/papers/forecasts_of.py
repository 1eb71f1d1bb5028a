"""What the scripts of this folder share: foretrace as JSON, sizes of traces, work, errors."""
import json
import os
import re
import statistics
import subprocess
import sys


def foretrace(*words):
    result = subprocess.run(['foretrace', *words], stdout=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(f'foretrace {" ".join(words)} failed')
    return json.loads(result.stdout)


def simulate(trace, machine):
    """`simulate --json` of a trace, which is kept beside it."""
    path = f'{trace[:-3]}.{machine}.json'
    if not os.path.exists(path):
        with open(path + '.partial', 'w') as file:
            json.dump(foretrace('simulate', '-q', '--json', '-m', machine, trace), file)
        os.rename(path + '.partial', path)
    with open(path) as file:
        return json.load(file)


def size_of(trace):
    """The size of a trace that `train` made: NAME-SIZE.h5."""
    return int(re.search(r'-(\d+)\.h5$', trace)[1])


def work_at(work, size):
    """Cells and time steps, as in 6*N^3."""
    return eval(work.replace('^', '**'), {'N': size})  # pylint: disable=eval-used


def relative(predicted, measured):
    """None where one is unknown, or nothing was measured."""
    return None if predicted is None or not measured else (predicted - measured) / measured


def percent(value, sign='+', digits=1):
    return '-' if value is None else f'{100 * value:{sign}.{digits}f} %'


def mean_and_deviation(errors, digits=1):
    """Of the sizes of errors, as text."""
    errors = [abs(error) for error in errors if error is not None]
    if not errors:
        return '-'
    deviation = statistics.stdev(errors) if len(errors) > 1 else 0
    return f'{100 * statistics.mean(errors):.{digits}f} % ({100 * deviation:.{digits}f})'
