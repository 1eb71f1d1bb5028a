// The document of the file, and what follows from it: the tree of scopes, and figures by scope.

const report = JSON.parse(byId('data').textContent);
/** What was measured, where there is no model: {kind, point...}. */
const measured = report.measured || null;
const parameter = measured ? '' : report.model.parameter;
const program = baseName((measured || report.model).program);

Object.assign(state, { machine: 0, selected: null });

// ---- scopes ----

const scopes = new Map(report.scopes.map(scope => [scope.id, { ...scope, children: [] }]));
const roots = [];
for (const scope of scopes.values()) {
    const parent = scopes.get(scope.parent);
    if (scope.id === 0) continue;
    scope.above = parent && parent.id !== 0 ? parent : null;
    (scope.above ? scope.above.children : roots).push(scope);
}
for (const scope of scopes.values()) {
    let routine = scope;
    while (routine.above) routine = routine.above;
    scope.routine = routine;
    const file = baseName(scope.file || '');
    scope.place = file && scope.first_line ? `${file}:${scope.first_line}` : '';
    scope.lines =
        scope.place && scope.last_line > scope.first_line
            ? `${scope.place}-${scope.last_line}`
            : scope.place;
    scope.label =
        scope.kind === 'loop' ? (scope.place ? `loop at ${scope.place}` : scope.name) : scope.name;
}

/** "multiply (matmul.c:8)", "multiply, loop at matmul.c:12". */
function fullName(scope) {
    if (scope.id === 0) return program;
    if (scope.kind === 'loop') return `${scope.routine.name}, ${scope.label}`;
    return scope.place ? `${scope.name} (${scope.place})` : scope.name;
}

/** A choice among the program and some of its scopes, as deep as they are; change(id). */
function scopeSelect(list, chosen, change, id) {
    const options = list.map(scope => [scope.id, '\u00a0'.repeat(2 * scope.depth) + fullName(scope)]);
    return selectOf(
        'of',
        [[0, `all of ${program}`], ...options],
        chosen,
        value => change(Number(value)),
        id,
    );
}

// ---- forecasts ----

/** A forecast on one machine, with figures by the id of a scope; 0 is the program. */
class Forecast {
    constructor(data, machine) {
        this.data = data;
        this.machine = machine;
        this.rows = new Map(data.scopes.map((id, row) => [id, row]));
        this.caches = machine.levels.filter(level => level.kind === 'cache');
    }
    has(id) {
        return this.rows.has(id);
    }
    metric(name, id) {
        return this.data[name] ? estimateOf(this.data[name][this.rows.get(id)]) : null;
    }
    seconds(id) {
        return this.data.time ? estimateOf(this.data.time.seconds[this.rows.get(id)]) : null;
    }
    bounds(id) {
        const [least, most] = this.data.bounds?.[this.rows.get(id)] || [null, null];
        return { least, most };
    }
    limit(id) {
        return this.data.time ? this.data.time.limited_by[this.rows.get(id)] || '' : '';
    }
    /** Cycles of the scope itself: all, then those of the core, of mispredictions, of misses that
     * overlap with both, of chains of loads, and of page faults. */
    ownCycles(id) {
        return this.data.time ? this.data.time.own_cycles[this.rows.get(id)] : null;
    }
    /** Of the time of all scopes by themselves. */
    ownShare(id) {
        const own = this.ownCycles(id);
        return own && this.data.time.all_cycles > 0 ? own[0] / this.data.time.all_cycles : 0;
    }
    /** What rows are ranked by: the time, or the longest time that is possible; of what was
     * measured the accesses. */
    weight(id) {
        if (measured) return this.metric('accesses', id).value;
        const seconds = this.seconds(id);
        return seconds ? seconds.value : this.bounds(id).most;
    }
    share(id) {
        const all = this.weight(0);
        return all > 0 ? Math.min(this.weight(id) / all, 1) : null;
    }
    /** Set-associative misses of a level, or fully associative ones where these are unknown. */
    misses(level, id) {
        const row = this.rows.get(id),
            of = this.data.levels[level];
        return estimateOf(of.set[row]) || estimateOf(of.full[row]);
    }
    fullMisses(level, id) {
        return estimateOf(this.data.levels[level].full[this.rows.get(id)]);
    }
    /** Parts of the misses by cause (Hill & Smith 1989); sets that spread blocks better than at
     * random have fewer misses than a fully associative cache, and then no conflicts. Cold ones
     * are null where they are not known: then they are among those of capacity. */
    causes(level, id) {
        const all = this.misses(level, id),
            full = this.fullMisses(level, id);
        if (!all) return null;
        const first = this.data.levels[level].cold;
        const cold = first ? Math.min(first[this.rows.get(id)] || 0, all.value) : null;
        const conflict = full ? Math.max(all.value - full.value, 0) : 0;
        return { cold, conflict, capacity: Math.max(all.value - (cold || 0) - conflict, 0) };
    }
    missRatio(level, id) {
        const misses = this.misses(level, id),
            accesses = this.metric('accesses', id);
        return misses && accesses && accesses.value > 0 ? misses.value / accesses.value : null;
    }
}

const forecasts = report.forecasts.map((data, i) => new Forecast(data, report.machines[i]));
const forecast = () => forecasts[state.machine];

/** Scopes that the machine's forecast shows, in the order of the tree. */
function shownScopes() {
    return forecast()
        .data.scopes.slice(1)
        .map(id => scopes.get(id));
}

// ---- colours ----

/** Okabe & Ito's palette, which colour-blind readers can tell apart (frame.css). */
const LEVEL_COLOURS = ['--blue', '--orange', '--green', '--purple', '--vermillion', '--sky'];
function levelColour(index) {
    return `var(${LEVEL_COLOURS[index % LEVEL_COLOURS.length]})`;
}
const LEVEL_DASHES = ['', '7 3', '2 3', '10 3 2 3', '', '4 4'];

const CAUSES = [
    ['cold', 'first touches, which no cache avoids'],
    ['capacity', 'the data do not fit'],
    ['conflict', 'they would fit, but fall into the same sets'],
];
