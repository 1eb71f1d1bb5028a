// The selected row in full: what limits it and the evidence, its misses, the references in it, and
// its source with misses in the margin.

function partsOfTime(of, id) {
    const own = of.ownCycles(id);
    if (!own) return null;
    const [, core, mispredicted, overlapped, chained, pageFaults] = own;
    return [
        ['core', core],
        ['mispredicted branches', mispredicted],
        ['misses that overlap with the core’s work', overlapped],
        ['misses that wait for each other', chained],
        ['page faults', pageFaults],
    ];
}

/** Cycles side by side: those of the core and of overlapped misses run at the same time. */
function timeBars(of, id) {
    const parts = partsOfTime(of, id);
    if (!parts) return null;
    const most = Math.max(...parts.map(([, cycles]) => cycles), 1);
    return element(
        'table',
        { class: 'mini bars' },
        element('caption', null, 'Cycles of its own, without inner loops'),
        element(
            'tbody',
            null,
            parts
                .filter(([, cycles]) => cycles > 0)
                .map(([name, cycles]) =>
                    element(
                        'tr',
                        null,
                        element('th', { scope: 'row' }, name),
                        element('td', { class: 'number' }, countText(cycles)),
                        element(
                            'td',
                            { class: 'bar' },
                            element('i', { style: `width:${(100 * cycles) / most}%` }),
                        ),
                    ),
                ),
        ),
    );
}

function missTable(of, id) {
    const rows = of.machine.levels.map((level, i) => {
        const misses = of.misses(i, id),
            causes = of.causes(i, id);
        const cell = name => (causes ? countText(causes[name]) : '');
        return [
            level.name,
            misses ? countText(misses.value) : 'unknown',
            intervalText(misses, countText),
            percentText(of.missRatio(i, id)),
            cell('cold'),
            cell('capacity'),
            cell('conflict'),
        ];
    });
    return dataTable(
        'Misses, with inner loops',
        [
            { title: 'Level' },
            { title: 'Misses', number: true },
            { title: 'Interval', number: true },
            { title: 'Per access', number: true },
            { title: 'Cold', number: true },
            { title: 'Capacity', number: true },
            { title: 'Conflict', number: true },
        ],
        rows,
    );
}

// ---- references ----

function isInside(id, ancestor) {
    for (let scope = scopes.get(id); scope; scope = scope.above)
        if (scope.id === ancestor) return true;
    return false;
}

function referencesIn(id) {
    return report.references.filter(one => isInside(one.scope, id));
}

/** "8 B" from one iteration to the next of the innermost loop, then of the loops around it. */
function strideText(group) {
    const steps = group.strides.length
        ? group.strides
        : group.stride === null
          ? []
          : [group.stride];
    return steps.map(step => (step === null ? '?' : `${plainText(step)} B`)).join(', ') || '-';
}

/** "N^3", as a function of the size; a long one is cut: the terms that grow fastest come first. */
function formulaText(group) {
    const LONG = 22,
        text = group.accesses_formula;
    if (!text) return '';
    const shown = text.length > LONG ? `${text.slice(0, LONG - 1)}…` : text;
    return element(
        'span',
        { title: `${text}${group.accesses_exact ? ', exact' : ''}` },
        group.accesses_exact ? shown : `about ${shown}`,
    );
}

/** Bars of the histogram, without axes: the chart of section Reuse has them. */
function sparkline(group) {
    const { touches, cold, misses } = group.histogram;
    const bars = misses.map((value, k) => Math.max((k === 0 ? touches : misses[k - 1]) - value, 0));
    const count = report.reuse[0].capacity_blocks.length;
    const most = Math.max(...bars, cold, 1e-9),
        width = 96,
        step = width / (count + 2);
    const bar = (value, k, kind) =>
        value > 0
            ? svgElement('rect', {
                  x: (k * step).toFixed(1),
                  width: Math.max(step - 0.2, 0.8).toFixed(1),
                  class: kind,
                  y: (20 - Math.max((20 * value) / most, 0.7)).toFixed(1),
                  height: Math.max((20 * value) / most, 0.7).toFixed(1),
              })
            : null;
    return svgElement(
        'svg',
        { class: 'spark', viewBox: `0 0 ${width} 20`, 'aria-hidden': 'true' },
        ...bars.map((value, k) => bar(value, k, 'reuse')),
        bar(cold, count + 1, 'cold'),
    );
}

function referenceTable(of, id) {
    const REFERENCES_SHOWN = 12;
    const groups = referencesIn(id).slice(0, REFERENCES_SHOWN);
    if (groups.length === 0)
        return element(
            'p',
            { class: 'soft' },
            'No group of references in it is among the heaviest.',
        );
    const first = report.machines[0].levels
        .map((level, i) => ({ level, i }))
        .filter(({ level }) => level.kind === 'cache')
        .slice(0, 3);
    const columns = [
        { title: 'Line' },
        { title: 'Refs', number: true },
        { title: 'Strides' },
        { title: 'Accesses', number: true },
        ...first.map(({ level }) => ({ title: level.name, number: true })),
        { title: 'Distances' },
    ];
    return dataTable(
        `References that move alike, misses on ${report.machines[0].name}`,
        columns,
        groups.map(group => [
            group.rest ? 'others' : group.line ? String(group.line) : '?',
            String(group.references),
            strideText(group),
            [countText(group.accesses), element('small', null, formulaText(group))],
            ...first.map(({ i }) => countText(group.misses[i])),
            sparkline(group),
        ]),
    );
}

/** What the strides say: a step of a line or more touches a new line with each access. */
function adviceFor(of, id) {
    const caches = of.caches,
        sentences = [];
    if (caches.length === 0) return sentences;
    const line = caches[0].block_bytes;
    const worst = referencesIn(id)
        .filter(one => one.misses[0] > 0)
        .sort((a, b) => b.misses[0] - a.misses[0])[0];
    const step = worst && (worst.strides[0] ?? worst.stride);
    if (worst && step && Math.abs(step) >= line && worst.misses[0] > 0.1 * worst.accesses)
        sentences.push(
            `Line ${worst.line || '?'} steps by ${plainText(Math.abs(step))} bytes: every access ` +
                `is to another cache line of ${line}. Going through memory in its order, or in ` +
                'tiles, would use the rest of each line.',
        );
    of.machine.levels.forEach((level, i) => {
        const causes = of.causes(i, id),
            all = of.misses(i, id);
        if (
            causes &&
            all &&
            all.value > 0 &&
            causes.conflict > 0.3 * all.value &&
            all.value > 0.02 * (of.metric('accesses', id)?.value || Infinity)
        )
            sentences.push(
                `${percentText(causes.conflict / all.value)} of the ${level.name} misses are ` +
                    'conflicts in its ' +
                    'sets: other row lengths (padding) may avoid them.',
            );
    });
    return sentences;
}

// ---- source ----

/** Misses and accesses by line, of groups whose line is in the scope's file. */
function lineFigures(scope) {
    const figures = new Map();
    for (const group of referencesIn(scope.id)) {
        const owner = scopes.get(group.scope);
        if (group.rest || !group.line || owner.file !== scope.file) continue;
        const sum = figures.get(group.line) || { accesses: 0, misses: group.misses.map(() => 0) };
        sum.accesses += group.accesses;
        group.misses.forEach((value, i) => {
            sum.misses[i] += value;
        });
        figures.set(group.line, sum);
    }
    return figures;
}

function sourceTable(scope) {
    const pieces = piecesOf(report.sources, scope.file);
    if (!pieces || !scope.first_line) return null;
    const AROUND = 3,
        figures = lineFigures(scope);
    const from = scope.first_line - AROUND,
        to = scope.last_line + AROUND;
    const caches = report.machines[0].levels
        .map((level, i) => ({ level, i }))
        .filter(({ level }) => level.kind === 'cache')
        .slice(0, 2);
    const most = Math.max(...[...figures.values()].map(one => one.misses[caches[0]?.i] || 0), 1e-9);
    const rows = [];
    const shown = sourceLines(pieces, from, to);
    const indent = commonIndent(shown.map(({ text }) => text));
    for (const { number, text } of shown) {
        const of = figures.get(number);
        const heat = of ? (of.misses[caches[0]?.i] || 0) / most : 0;
        rows.push(
            element(
                'tr',
                {
                    class: number < scope.first_line || number > scope.last_line ? 'dim' : null,
                    style: `--heat:${heat.toFixed(3)}`,
                },
                element('td', { class: 'number' }, of ? countText(of.accesses) : ''),
                caches.map(({ i }) =>
                    element('td', { class: 'number' }, of ? countText(of.misses[i]) : ''),
                ),
                element('th', { scope: 'row', class: 'number' }, String(number)),
                element('td', { class: 'code' }, text.slice(indent)),
            ),
        );
    }
    if (rows.length === 0) return null;
    return element(
        'table',
        { class: 'source' },
        element('caption', null, `${baseName(scope.file)} as it was when the page was made`),
        element(
            'thead',
            null,
            element(
                'tr',
                null,
                element('th', { scope: 'col', class: 'number' }, 'accesses'),
                caches.map(({ level }) =>
                    element('th', { scope: 'col', class: 'number' }, level.name),
                ),
                element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'line')),
                element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'source')),
            ),
        ),
        element('tbody', null, rows),
    );
}

// ---- all of it ----

function breadcrumb(scope) {
    const chain = [];
    for (let up = scope.above; up; up = up.above) chain.unshift(up);
    return chain.length === 0
        ? null
        : element(
              'p',
              { class: 'over' },
              chain.map((one, i) => [i ? ' › ' : '', scopeLink(one, one.label)]),
          );
}

function weightText(of, scope, seconds) {
    if (measured) return `${countText(of.weight(scope.id))} accesses`;
    return seconds
        ? figureText(seconds, secondsText)
        : `${secondsText(of.bounds(scope.id).most)} at most`;
}

function paneHead(of, scope) {
    const seconds = of.seconds(scope.id),
        limit = of.limit(scope.id),
        share = of.share(scope.id);
    const calls = (scope.inlined || []).map(
        call => `${call.name}, called at ${baseName(call.call_file)}:${call.call_line}`,
    );
    return [
        breadcrumb(scope),
        element('h3', null, scope.label),
        element(
            'p',
            { class: 'soft' },
            [
                scope.lines,
                scope.kind === 'loop' && scope.iterations && scope.entries
                    ? `${countText(scope.iterations / scope.entries)} iterations per entry ` +
                      (measured ? '' : 'at the largest training size')
                    : '',
                calls.length ? `inlined: ${calls.join('; ')}` : '',
            ]
                .filter(Boolean)
                .join(' · '),
        ),
        element(
            'p',
            { class: 'answer small' },
            element('strong', null, weightText(of, scope, seconds)),
            share === null ? '' : `, ${percentText(share)} of all`,
            limit ? ', limited by ' : '',
            limit ? element('strong', null, limit) : '',
            '.',
        ),
    ];
}

function drawPane() {
    const of = forecast(),
        scope = scopes.get(state.selected),
        pane = byId('pane');
    if (!scope || !of.has(scope.id)) {
        pane.replaceChildren(
            element('p', { class: 'soft' }, 'Select a row to see why it takes its time.'),
        );
        return;
    }
    const advice = adviceFor(of, scope.id);
    const scroll = (label, node) => node && scrollRegion(label, node);
    pane.replaceChildren(
        ...[
            ...paneHead(of, scope),
            advice.length
                ? element(
                      'ul',
                      { class: 'notes' },
                      advice.map(text => element('li', null, text)),
                  )
                : null,
            scroll('Source', sourceTable(scope)),
            timeBars(of, scope.id),
            scroll('Misses', missTable(of, scope.id)),
            scroll('References', referenceTable(of, scope.id)),
            codeDetails(scope),
        ].filter(Boolean),
    );
}
onChange('machine', drawPane);
onChange('selected', drawPane);
