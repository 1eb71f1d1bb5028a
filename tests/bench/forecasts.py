"""What the benches of forecasts share: programs that are captured once, a machine of many levels,
and figures of errors."""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FORETRACE = os.environ.get('FORETRACE', ROOT + '/build/foretrace')
SAMPLES = os.environ.get('SAMPLES', ROOT + '/build/samples')
LISP = ROOT + '/samples/codes/lisp_'
CACHES = [('32K', 1 << 15), ('48K', 3 << 14), ('256K', 1 << 18), ('1M', 1 << 20), ('8M', 1 << 23),
          ('32M', 1 << 25)]
LINES = [32, 64, 128]
TLBS = [(64, '4K', 4096), (1536, '4K', 4096), (64, '2M', 1 << 21), (1536, '2M', 1 << 21)]
BLOCKS = '32,64,128,4K,2M'


def machine():
    """All levels in one line; latencies only rise, nothing here asks for time."""
    levels = [f'{name} of {line}:{name}:{line}:full'
              for name, _ in CACHES for line in LINES]
    levels = [f'{level}@{i + 1}' for i, level in enumerate(levels)]
    levels += [f'TLB of {entries} x {page}:{entries * size}:{page}:full@1'
               for entries, page, size in TLBS]
    return 'caches=' + ','.join(levels) + ',memory@100'


def attempt(folder, *command):
    """The exit code of a command and what it printed; the log of the folder has the rest."""
    with open(folder + '/log', 'a') as log:
        log.write('$ ' + ' '.join(command) + '\n')
        log.flush()
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=log, text=True)
    return result.returncode, result.stdout


def run(folder, *command):
    code, output = attempt(folder, *command)
    if code:
        sys.exit(f'{command[0]} {command[1]} failed: {folder}/log')
    return output


def capture(folder, parameter, size, command):
    """The trace of a command, in which {} is the size and whose program is a sample, or an absolute
    path. Traces are named by what was run, so that another table does not take them for its own."""
    size_file = f'{folder}/{size}.size'
    words = [word.replace('{size file}', size_file).replace('{}', str(size)) for word in command]
    trace = f'{folder}/{"-".join(os.path.basename(word) for word in words)}.h5'
    if not os.path.exists(trace):
        with open(size_file, 'w') as file:
            file.write(f'(define size {size})\n')
        run(folder, FORETRACE, 'capture', '-D', f'{parameter}={size}', '-o', trace, '--',
            os.path.join(SAMPLES, words[0]), *words[1:])
    return trace


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
