"""What the benches of forecasts share: tables of codes, programs that are captured once, machines,
and figures of errors."""
import hashlib
import os
import resource
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FORETRACE = os.environ.get('FORETRACE', ROOT + '/build/foretrace')
SAMPLES = os.environ.get('SAMPLES', ROOT + '/build/samples')
UNSEEN = os.environ.get('UNSEEN', ROOT + '/build/tests/bench/unseen')
LISP = ROOT + '/samples/codes/lisp_'
CACHES = [('32K', 1 << 15), ('48K', 3 << 14), ('256K', 1 << 18), ('1M', 1 << 20), ('8M', 1 << 23),
          ('32M', 1 << 25)]
LINES = [32, 64, 128]
TLBS = [(64, '4K', 4096), (1536, '4K', 4096), (64, '2M', 1 << 21), (1536, '2M', 1 << 21)]
BLOCKS = '32,64,128,4K,2M'
# Those that are described, of very different kinds.
MACHINES = ['amd-zen5', 'intel-sapphire-rapids', 'origin2000-r12000']


def machine():
    """All levels in one line; latencies only rise, nothing here asks for time."""
    levels = [f'{name} of {line}:{name}:{line}:full'
              for name, _ in CACHES for line in LINES]
    levels = [f'{level}@{i + 1}' for i, level in enumerate(levels)]
    levels += [f'TLB of {entries} x {page}:{entries * size}:{page}:full@1'
               for entries, page, size in TLBS]
    return 'caches=' + ','.join(levels) + ',memory@100'


def attempt(folder, *command, errors=None):
    """The exit code of a command and what it printed; the log of the folder, or the open file
    `errors`, has the rest."""
    with open(folder + '/log', 'a') as log:
        log.write('$ ' + ' '.join(command) + '\n')
        log.flush()
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors or log, text=True)
    return result.returncode, result.stdout


def run(folder, *command):
    code, output = attempt(folder, *command)
    if code:
        sys.exit(f'{command[0]} {command[1]} failed: {folder}/log')
    return output


def read_codes(path, folder, sets):
    """Of each name in a table the set, the command, whose program is in the folder, training sizes
    and targets."""
    codes = {}
    with open(path) as file:
        for number, line in enumerate(file, 1):
            if line.startswith('#') or not line.strip():
                continue
            fields = [field.strip() for field in line.split('|')]
            if len(fields) != 5 or fields[1] not in sets or '{N}' not in fields[2]:
                sys.exit(f'{path}:{number}: NAME | {" or ".join(sets)} | PROGRAM {{N}} ... |'
                         f' TRAINING SIZES | TARGETS is needed')
            name, of_set, command, training, targets = fields
            program, *arguments = command.replace('{N}', '{}').split()
            codes[name] = {'set': of_set, 'command': [f'{folder}/{program}', *arguments],
                           'training': training.split(), 'targets': targets.split()}
    return codes


def choose_codes(codes, words, default):
    """The codes of a table that are named, or all those of the sets that are."""
    sets = {code['set'] for code in codes.values()} | {'all'}
    names = [word for word in words if word not in sets]
    unknown = [name for name in names if name not in codes]
    if unknown:
        sys.exit(f'{unknown[0]}: not one of {" ".join(codes)}')
    chosen = [word for word in words if word in sets] or default
    return {name: code for name, code in codes.items()
            if name in names or not names and ('all' in chosen or code['set'] in chosen)}


def digest_of(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()[:12]


def keep(path, text):
    """All of a text in a file, or none."""
    with open(path + '.partial', 'w') as file:
        file.write(text)
    os.rename(path + '.partial', path)


def work_folder(base, name, program):
    """The folder of a program as it was compiled."""
    folder = f'{base}/{name}-{digest_of(program)}'
    os.makedirs(folder, exist_ok=True)
    return folder


def capture(folder, parameter, size, command, options=()):
    """The trace of a command, in which {} is the size and whose program is a sample, or an absolute
    path. Traces are named by what was run, so that another table does not take them for its own;
    those of other options need another folder."""
    size_file = f'{folder}/{size}.size'
    words = [word.replace('{size file}', size_file).replace('{}', str(size)) for word in command]
    trace = f'{folder}/{"-".join(os.path.basename(word) for word in words)}.h5'
    if not os.path.exists(trace):
        with open(size_file, 'w') as file:
            file.write(f'(define size {size})\n')
        run(folder, FORETRACE, 'capture', *options, '-D', f'{parameter}={size}', '-o', trace, '--',
            os.path.join(SAMPLES, words[0]), *words[1:])
    return trace


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def print_cpu_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f'\nCPU time: {used.ru_utime + used.ru_stime:.0f} s')
