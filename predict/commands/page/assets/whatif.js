// What if the machine were another one: the reader changes capacity, line, ways and latency of its
// levels, memory's latency and the clock. Misses of a changed level follow from the histograms of
// reuse distances, in sets by chance; the bounds of the time follow from these and the latencies.

const whatIfSection = optionalSection(
    hasReuse,
    'whatif',
    'What if',
    'Change the machine: misses of a changed level are computed here from the reuse distances, in ' +
        'sets by chance: strides that fall into few sets miss more. To see what a change does, ' +
        'compare the last two figures, which are computed alike; the forecast may know more of ' +
        'the machine as it is described.',
);

/** memory: its latency in cycles; null: as many nanoseconds as described, whatever the clock. */
const whatIf = { scope: 0, clock: 1, memory: null, levels: [] };

function memoryCycles() {
    const { clock, memory } = describedMachine(forecast());
    return whatIf.memory ?? (memory * whatIf.clock) / clock;
}

/** The machine as it is described, in what can be changed. */
function describedMachine(of) {
    return {
        clock: of.machine.clock_ghz,
        memory: of.machine.memory_latency_cycles,
        levels: of.machine.levels.map(level => ({
            capacity: level.capacity_bytes,
            line: level.block_bytes,
            ways: Math.min(level.ways, level.capacity_bytes / level.block_bytes),
            latency: level.latency_cycles,
        })),
    };
}

function isFull(level) {
    return level.ways * level.line >= level.capacity;
}
const sameShape = (a, b) =>
    a.capacity === b.capacity &&
    a.line === b.line &&
    (isFull(a) ? isFull(b) : a.ways === b.ways);

function isChanged() {
    const before = describedMachine(forecast());
    return (
        before.clock !== whatIf.clock ||
        before.memory !== memoryCycles() ||
        before.levels.some(
            (level, i) =>
                !sameShape(level, whatIf.levels[i]) || level.latency !== whatIf.levels[i].latency,
        )
    );
}

// ---- misses ----

/** The histogram of a scope with the loops in it at a block size; null where the page has none. */
const whatIfHistograms = new Map();
function histogramAt(id, line) {
    const key = `${id}:${line}`;
    if (!whatIfHistograms.has(key)) {
        const data = report.reuse.find(one => one.block_bytes === line);
        whatIfHistograms.set(key, data ? { data, sums: histogramIn(data, id) } : null);
    }
    return whatIfHistograms.get(key);
}

/** Misses of a level by chance, or null. */
function missesByChance(id, level) {
    const histogram = histogramAt(id, level.line);
    if (!histogram) return null;
    const blocks = level.capacity / level.line;
    const ways = isFull(level) ? blocks : level.ways;
    return missesInSets(histogram.sums, histogram.data.capacity_blocks, blocks / ways, ways);
}

// ---- time ----

/** Cycles that accesses and misses take, one after the other (predict/metrics/cycles.c). */
function latencyCycles(of, levels, memory, accesses, misses) {
    const caches = of.machine.levels.map(level => level.kind === 'cache');
    let cycles = caches[0] ? accesses * levels[0].latency : 0;
    levels.forEach((level, i) => {
        const beyond = caches[i + 1] ? levels[i + 1].latency : memory;
        cycles += misses[i] * (caches[i] ? beyond - level.latency : level.latency);
    });
    return cycles;
}

/** Misses of all levels for the time: as forecast, by how many more the histograms say. */
function changedMisses(of, id, before) {
    return before.levels.map((level, i) => {
        const forecasted = of.misses(i, id)?.value ?? 0,
            changed = whatIf.levels[i];
        if (sameShape(level, changed)) return forecasted;
        const more = missesByChance(id, changed) - missesByChance(id, level);
        return Math.max(forecasted + more, 0);
    });
}

/** Seconds at least and at most on the changed machine. */
function changedBounds(of, id) {
    const { least, most } = of.bounds(id),
        before = describedMachine(of);
    const accesses = of.metric('accesses', id)?.value ?? 0;
    const forecasted = before.levels.map((_, i) => of.misses(i, id)?.value ?? 0);
    const more =
        latencyCycles(
            of,
            whatIf.levels,
            memoryCycles(),
            accesses,
            changedMisses(of, id, before),
        ) - latencyCycles(of, before.levels, before.memory, accesses, forecasted);
    const scale = before.clock / whatIf.clock;
    const changedLeast = least === null ? null : least * scale;
    return {
        least: changedLeast,
        most:
            most === null
                ? null
                : Math.max(most * scale + more / (whatIf.clock * 1e9), changedLeast ?? 0),
    };
}

// ---- what can be changed ----

const CAPACITY_STEPS = [-4, -3, -2, -1, 0, 1, 2, 3, 4];

function capacityChoices(level) {
    return CAPACITY_STEPS.map(step => level.capacity * 2 ** step)
        .filter(bytes => bytes >= level.line)
        .map(bytes => [bytes, bytesText(bytes)]);
}

function lineChoices(level) {
    const lines = new Set([level.line, ...report.reuse.map(data => data.block_bytes)]);
    return [...lines].sort((a, b) => a - b).map(line => [line, bytesText(line)]);
}

/** Powers of two that fit, what the machine has, and all of them. */
function wayChoices(described, level) {
    const blocks = Math.floor(level.capacity / level.line);
    const counts = new Set([1, 2, 4, 8, 12, 16, 32].filter(ways => ways < blocks));
    if (described.ways < blocks) counts.add(described.ways);
    return [
        ...[...counts].sort((a, b) => a - b).map(ways => [ways, String(ways)]),
        [blocks, 'full'],
    ];
}

/** What is to be written again after a change: controls stay, and with them the focus. */
let whatIfParts = [];
function part(write) {
    whatIfParts.push(write);
    write();
}

/** A control, marked where what it is for is not as described; value, was: functions to a text. */
function changeable(control, value, was) {
    const note = element('small'),
        node = element('span', { class: 'changeable' }, control, note);
    part(() => {
        const changed = value() !== was;
        node.classList.toggle('changed', changed);
        note.textContent = changed ? `was ${was}` : '';
    });
    return node;
}

/** choices(): what can be chosen now. */
function chooser(label, choices, value, change) {
    const select = element('select', {
        'aria-label': label,
        'data-what': label,
        onchange: () => changeWhatIf(() => change(Number(select.value))),
    });
    part(() =>
        select.replaceChildren(
            ...choices().map(([choice, text]) =>
                element('option', { value: choice, selected: choice === value() }, text),
            ),
        ),
    );
    return select;
}

/** A number from `lowest` on; others are put back. */
function numberField(label, value, change, lowest = 0) {
    const input = element('input', {
        type: 'number',
        'aria-label': label,
        'data-what': label,
        min: lowest,
        step: 'any',
        onchange: () => {
            const wanted = input.valueAsNumber;
            changeWhatIf(() => {
                if (wanted >= lowest && Number.isFinite(wanted)) change(wanted);
            });
        },
    });
    part(() => {
        input.value = Number(value().toPrecision(6));
    });
    return input;
}

function changeWhatIf(apply) {
    apply();
    for (const write of whatIfParts) write();
}

const shapeWaysText = level => (isFull(level) ? 'full' : String(level.ways));

function shapeCells(i, described, name) {
    const level = () => whatIf.levels[i];
    const blocks = () => Math.floor(level().capacity / level().line);
    const set = (key, value) => {
        const wasFull = isFull(level());
        level()[key] = value;
        if (key !== 'ways' && (wasFull || level().ways > blocks())) level().ways = blocks();
    };
    return [
        changeable(
            chooser(
                `${name} capacity`,
                () => capacityChoices(described),
                () => level().capacity,
                value => set('capacity', value),
            ),
            () => bytesText(level().capacity),
            bytesText(described.capacity),
        ),
        changeable(
            chooser(
                `${name} line`,
                () => lineChoices(described),
                () => level().line,
                value => set('line', value),
            ),
            () => bytesText(level().line),
            bytesText(described.line),
        ),
        changeable(
            chooser(
                `${name} ways`,
                () => wayChoices(described, level()),
                () => (isFull(level()) ? blocks() : level().ways),
                value => set('ways', value),
            ),
            () => shapeWaysText(level()),
            shapeWaysText(described),
        ),
    ];
}

/** Of the time alone, which what was measured has not. */
function latencyCell(i, described, name) {
    if (described.latency === null) return 'unknown';
    if (measured) return String(described.latency);
    return changeable(
        numberField(
            `${name} latency`,
            () => whatIf.levels[i].latency,
            value => {
                whatIf.levels[i].latency = value;
            },
        ),
        () => String(whatIf.levels[i].latency),
        String(described.latency),
    );
}

// ---- what follows ----

/** "+12.0 %", "-50.0 %", "3.20×". */
function changeText(before, after) {
    if (before === 0) return after === 0 ? 'no change' : 'from 0';
    const ratio = after / before;
    if (Math.abs(ratio - 1) < 1e-6) return 'no change';
    if (ratio >= 2) return `${ratio.toPrecision(3)}×`;
    return (ratio > 1 ? '+' : '−') + percentText(Math.abs(ratio - 1));
}

/** An element whose contents are written again after each change. */
function follows(node, contents) {
    part(() => node.replaceChildren(...[contents()].flat().filter(Boolean)));
    return node;
}

function changedFigure(described, i) {
    const level = whatIf.levels[i];
    if (sameShape(described, level)) return 'as described';
    const before = missesByChance(whatIf.scope, described),
        after = missesByChance(whatIf.scope, level);
    return [
        element('strong', null, countText(after)),
        element('small', null, before === null ? '' : changeText(before, after)),
    ];
}

function whatIfRow(of, described, i) {
    const { name } = of.machine.levels[i];
    return [
        name,
        ...shapeCells(i, described, name),
        latencyCell(i, described, name),
        countText(of.misses(i, whatIf.scope)?.value),
        countText(missesByChance(whatIf.scope, described)),
        follows(element('span', { class: 'changed-figure' }), () => changedFigure(described, i)),
    ];
}

function boundsText({ least, most }) {
    if (least === null && most === null) return 'unknown';
    return (
        (least === null ? '' : `at least ${secondsText(least)}`) +
        (least === null || most === null ? '' : ', ') +
        (most === null ? '' : `at most ${secondsText(most)}`)
    );
}

/** The time, whose bounds follow; an estimate would need what overlaps on that machine. */
function timeWords(of) {
    const before = of.bounds(whatIf.scope);
    const words = ['Time as described: ', boundsText(before), '. '];
    if (!isChanged()) return [...words, 'Nothing is changed.'];
    const after = changedBounds(of, whatIf.scope);
    return [
        ...words,
        'Changed: ',
        element('strong', null, boundsText(after)),
        before.most && after.most ? ` (${changeText(before.most, after.most)})` : '',
        '.',
    ];
}

function whatIfTime(of) {
    if (measured) return null;
    const node = element('p', { class: 'answer small', id: 'whatif-time', role: 'status' });
    return follows(node, () => timeWords(of));
}

/** Clock and memory, which only times depend on. */
function timeFields(described) {
    if (measured) return null;
    const field = (label, key, now, lowest) =>
        changeable(
            numberField(
                label,
                now,
                value => {
                    whatIf[key] = value;
                },
                lowest,
            ),
            () => plainText(now()),
            plainText(described[key]),
        );
    const nanoseconds = () => trimmed((memoryCycles() / whatIf.clock).toPrecision(3));
    return [
        element('label', { class: 'pick' }, 'clock ', field('clock in GHz', 'clock', () => whatIf.clock, 0.001), ' GHz'),
        element(
            'label',
            { class: 'pick' },
            'memory latency ',
            field('memory latency in cycles', 'memory', memoryCycles, 0),
            follows(element('span'), () => ` cycles, ${nanoseconds()} ns`),
        ),
    ];
}

function resetButton() {
    const button = element(
        'button',
        { type: 'button', id: 'whatif-reset', onclick: () => changeWhatIf(resetWhatIf) },
        'reset',
    );
    part(() => {
        button.setAttribute('aria-disabled', String(!isChanged())); // keeps the focus
    });
    return element('div', { class: 'choice' }, button);
}

function whatIfTools(described) {
    return element(
        'div',
        { class: 'tools' },
        whatIfScopes(),
        timeFields(described),
        resetButton(),
    );
}

function whatIfTable(of, described) {
    const table = dataTable(
        `${of.machine.name} with changes; misses of ${fullName(scopes.get(whatIf.scope))}`,
        [
            { title: 'Level' },
            { title: 'Capacity' },
            { title: 'Line, page' },
            { title: 'Ways' },
            { title: 'Latency (cycles)' },
            { title: measured ? 'Misses' : 'Forecast', number: true },
            { title: 'By chance, as described', number: true },
            { title: 'Changed', number: true },
        ],
        described.levels.map((level, i) => whatIfRow(of, level, i)),
    );
    table.id = 'whatif-table';
    return table;
}

function resetWhatIf() {
    Object.assign(whatIf, describedMachine(forecast()), { memory: null });
}

function whatIfScopes() {
    return scopeSelect(
        reuseScopes(),
        whatIf.scope,
        id => {
            whatIf.scope = id;
            drawWhatIf();
            byId('whatif-scope').focus();
        },
        'whatif-scope',
    );
}

function drawWhatIf() {
    const of = forecast(),
        described = describedMachine(of);
    whatIfSection.querySelector('.what-if')?.remove();
    whatIfParts = [];
    whatIfSection.append(
        element(
            'div',
            { class: 'what-if' },
            whatIfTools(described),
            scrollRegion('What if', whatIfTable(of, described)),
            whatIfTime(of),
        ),
    );
}

if (hasReuse)
    onChange('machine', () => {
        resetWhatIf();
        drawWhatIf();
    });
