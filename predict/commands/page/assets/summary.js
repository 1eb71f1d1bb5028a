// The answer first, then how sure, then what limits it, then what to do.

const summarySection = element('section', { id: 'summary', 'aria-label': 'Summary' });
byId('main').append(summarySection);
byId('nav').append(element('a', { href: '#summary' }, 'Summary'));

function sizeText() {
    if (measured) return measured.point;
    const fixed = report.model.fixed.map(one => `, ${one.name} = ${plainText(one.value)}`);
    return `${parameter} = ${plainText(report.n)}${fixed.join('')}`;
}

/** The scope that takes longest itself, without the loops in it, and its share of all time. */
function slowest(of) {
    let found = null;
    for (const id of of.data.scopes) {
        const share = of.ownShare(id);
        if (id !== 0 && share > (found ? found.share : 0)) found = { scope: scopes.get(id), share };
    }
    return found;
}

/** What the page opens with: the slowest scope or, without times, the innermost one that most of
 * the possible time is in. */
function hottest(of) {
    const found = slowest(of);
    if (found) return found.scope.id;
    if (measured) return missingMost(of)?.scope.id ?? of.data.scopes[1] ?? null;
    let scope = scopes.get(of.data.scopes[1]);
    const isMost = child => of.has(child.id) && of.weight(child.id) > 0.5 * of.weight(scope.id);
    for (let next = scope; next; next = scope.children.find(isMost)) scope = next;
    return scope ? scope.id : null;
}

/** The scope that itself has most misses in the first cache, and its share of them. */
function missingMost(of) {
    const level = of.machine.levels.findIndex(one => one.kind === 'cache');
    const misses = id => (level >= 0 && of.misses(level, id)?.value) || 0;
    let found = null;
    for (const id of of.data.scopes.slice(1)) {
        const inner = scopes
            .get(id)
            .children.filter(child => of.has(child.id))
            .reduce((sum, child) => sum + misses(child.id), 0);
        const share = misses(0) > 0 ? (misses(id) - inner) / misses(0) : 0;
        if (share > (found ? found.share : 0)) found = { scope: scopes.get(id), share, level };
    }
    return found;
}

function scopeLink(scope, text) {
    return element(
        'a',
        {
            href: `#loop=${scope.id}`,
            onclick: event => {
                event.preventDefault();
                selectScope(scope.id, true);
            },
        },
        text || fullName(scope),
    );
}

function sentence(of) {
    const time = of.seconds(0),
        worst = slowest(of),
        parts = [];
    if (time)
        parts.push(
            'takes ',
            element('strong', null, secondsText(time.value)),
            ' ',
            element(
                'span',
                { class: 'soft' },
                `(${secondsText(time.low)} to ${secondsText(time.high)})`,
            ),
        );
    else parts.push(...boundsWords(of.bounds(0)));
    if (worst && worst.share >= 0.01)
        parts.push(
            '; ',
            element('strong', null, percentText(worst.share)),
            ' of it in ',
            scopeLink(worst.scope),
            ', limited by ',
            element('strong', null, of.limit(worst.scope.id)),
        );
    return element('p', { class: 'answer' }, ...parts, '.');
}

/** "makes 4.04 M accesses, 1.25 M of which miss L1D; 90 % of these in ..." */
function measuredSentence(of) {
    const worst = missingMost(of),
        accesses = of.metric('accesses', 0);
    const parts = ['makes ', element('strong', null, `${countText(accesses.value)} accesses`)];
    if (worst)
        parts.push(
            ', ',
            element('strong', null, countText(of.misses(worst.level, 0).value)),
            ` of which miss ${of.machine.levels[worst.level].name}; `,
            element('strong', null, percentText(worst.share)),
            ' of these in ',
            scopeLink(worst.scope),
        );
    return element('p', { class: 'answer' }, ...parts, '.');
}

function boundsWords({ least, most }) {
    if (least === null) return ['takes a time that is unknown'];
    const words = ['takes at least ', element('strong', null, secondsText(least))];
    return most === null
        ? [...words, '; how much more memory takes is unknown']
        : [
              ...words,
              ', at most ',
              element('strong', null, secondsText(most)),
              ' (the machine file does not describe the core, so there are bounds, no estimate)',
          ];
}

// ---- tiles ----

function tile(title, figure, note, picture) {
    return element(
        'div',
        { class: 'tile' },
        element('h3', null, title),
        element('p', { class: 'figure' }, figure),
        picture || null,
        note ? element('p', { class: 'note' }, note) : null,
    );
}

function timeTile(of) {
    const time = of.seconds(0);
    if (!time) {
        const { least, most } = of.bounds(0);
        return tile(
            'Time',
            `${secondsText(least)} or more`,
            most === null ? 'no upper bound is known' : `${secondsText(most)} at most`,
        );
    }
    return tile(
        'Time',
        secondsText(time.value),
        null,
        element(
            'div',
            null,
            rangeBar(time),
            element(
                'p',
                { class: 'note' },
                `${secondsText(time.low)} to ${secondsText(time.high)} with 95 % confidence`,
            ),
            rateTable(of, time.value),
        ),
    );
}

/** How fast that is, in the units in which machines are compared. */
function rateTable(of, seconds) {
    const rates = [],
        cycles = seconds * of.machine.clock_ghz * 1e9;
    const instructions = of.metric('instructions', 0),
        flops = of.metric('flops', 0);
    const last = of.caches.length - 1,
        misses = last >= 0 ? of.misses(last, 0) : null;
    if (instructions)
        rates.push(['instructions per cycle', (instructions.value / cycles).toPrecision(3)]);
    if (flops && flops.value > 0)
        rates.push(['floating point', `${countText(flops.value / seconds)}FLOP/s`]);
    if (misses)
        rates.push([
            'lines from memory',
            `${countText((misses.value * of.caches[last].block_bytes) / seconds)}B/s`,
        ]);
    return element(
        'table',
        { class: 'mini' },
        element(
            'tbody',
            null,
            rates.map(([name, value]) =>
                element(
                    'tr',
                    null,
                    element('th', { scope: 'row' }, name),
                    element('td', { class: 'number' }, value),
                ),
            ),
        ),
    );
}

/** Where the estimate lies in its interval. */
function rangeBar({ value, low, high }) {
    const from = low * 0.8,
        to = high * 1.1,
        at = x => `${(100 * (x - from)) / (to - from)}%`;
    return element(
        'div',
        { class: 'range', 'aria-hidden': 'true' },
        element('i', { style: `left:${at(low)};right:calc(100% - ${at(high)})` }),
        element('b', { style: `left:${at(value)}` }),
    );
}

/** Time by what limits it: shares of scopes, added up by their limit. */
function limitShares(of) {
    const sums = new Map();
    for (const id of of.data.scopes) {
        const share = of.ownShare(id);
        if (share > 0) sums.set(of.limit(id), (sums.get(of.limit(id)) || 0) + share);
    }
    return [...sums].map(([limit, share]) => ({ limit, share })).sort((a, b) => b.share - a.share);
}

const PART_COLOURS = ['--blue', '--orange', '--green', '--purple'];

function limitTile(of) {
    const shares = limitShares(of);
    if (shares.length === 0)
        return tile('What limits it', 'unknown', 'the machine file does not describe the core');
    const shown = shares.slice(0, 3),
        rest = 1 - shown.reduce((sum, one) => sum + one.share, 0);
    if (rest > 0.005) shown.push({ limit: 'other', share: rest });
    return tile(
        'What limits it',
        shares[0].limit || 'unknown',
        null,
        element(
            'div',
            null,
            element(
                'div',
                { class: 'stack', 'aria-hidden': 'true' },
                shown.map((one, i) =>
                    element('i', {
                        style: `flex:${one.share};background:var(${PART_COLOURS[i]})`,
                    }),
                ),
            ),
            element(
                'ul',
                { class: 'legend' },
                shown.map((one, i) =>
                    element(
                        'li',
                        null,
                        element('i', { style: `background:var(${PART_COLOURS[i]})` }),
                        element('span', null, one.limit),
                        element('b', null, percentText(one.share)),
                    ),
                ),
            ),
        ),
    );
}

function sureTile(of) {
    const beyond = of.data.extrapolation,
        held = of.data.held_out_error;
    const sizes = report.model.training.map(one => one.size);
    const largest = sizes[sizes.length - 1];
    const figure =
        beyond === 1
            ? 'Inside the training sizes'
            : `${plainText(Number(beyond.toPrecision(3)))}× beyond training`;
    const check =
        held === null
            ? 'no size was held out to check it'
            : `held out ${parameter} = ${plainText(largest)}: misses ` +
              (held < 1e-9 ? 'exact' : `within ${percentText(held)}`);
    return tile('How sure', figure, check, trainingLine(sizes));
}

/** Training sizes as dots and the size asked about as a diamond on a logarithmic line. */
function trainingLine(sizes) {
    const low = Math.log(Math.min(sizes[0], report.n));
    const high = Math.log(Math.max(sizes[sizes.length - 1], report.n));
    const at = n => 6 + 188 * (high > low ? (Math.log(n) - low) / (high - low) : 0.5);
    const text = `training sizes ${sizes.map(plainText).join(', ')}`;
    return svgElement(
        'svg',
        { class: 'line', viewBox: '0 0 200 30', role: 'img', 'aria-label': text },
        svgElement('title', null, text),
        svgElement('line', { x1: 4, x2: 196, y1: 9, y2: 9 }),
        ...sizes.map(n => svgElement('circle', { cx: at(n), cy: 9, r: 3.5 })),
        svgElement('rect', {
            x: -4.5,
            y: -4.5,
            width: 9,
            height: 9,
            transform: `translate(${at(report.n)} 9) rotate(45)`,
        }),
        svgElement('text', { x: 2, y: 28 }, plainText(Math.min(sizes[0], report.n))),
        svgElement(
            'text',
            { x: 198, y: 28, 'text-anchor': 'end' },
            plainText(Math.max(sizes[sizes.length - 1], report.n)),
        ),
    );
}

function missTile(of) {
    const accesses = of.metric('accesses', 0);
    const rows = of.machine.levels.map((level, i) => {
        const misses = of.misses(i, 0),
            ratio = of.missRatio(i, 0);
        return element(
            'tr',
            null,
            element('th', { scope: 'row' }, level.name),
            element('td', { class: 'number' }, misses ? countText(misses.value) : 'unknown'),
            element('td', { class: 'number soft' }, ratio === null ? '' : percentText(ratio)),
        );
    });
    return element(
        'div',
        { class: 'tile' },
        element('h3', null, 'Misses, of all accesses'),
        element(
            'p',
            { class: 'figure small' },
            accesses ? `${countText(accesses.value)} accesses` : 'accesses unknown',
        ),
        element('table', { class: 'mini' }, element('tbody', null, rows)),
    );
}

// ---- all of it ----

function learnedText(of) {
    const sentences = of.data.answer;
    return sentences.filter(
        line =>
            line.startsWith('Learned from') ||
            / of all latency is in /.test(line) ||
            / is where the data are /.test(line),
    );
}

const NOTES_SHOWN = 3;

function noteItem(note) {
    const [, kind, text] = /^(warning|note): (.*)$/s.exec(note) || [null, 'note', note];
    return element(
        'li',
        { class: kind },
        element('b', null, kind === 'warning' ? 'Warning' : 'Note'),
        ' ',
        text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith('.') ? '' : '.'),
    );
}

/** In the order of `predict`, by importance. */
function notesList(notes) {
    const list = some =>
        element('ul', { class: 'notes', 'aria-label': 'Notes' }, some.map(noteItem));
    const rest = notes.slice(NOTES_SHOWN);
    return [
        notes.length ? list(notes.slice(0, NOTES_SHOWN)) : '',
        rest.length
            ? element(
                  'details',
                  null,
                  element(
                      'summary',
                      null,
                      `${rest.length} more note${rest.length === 1 ? '' : 's'}`,
                  ),
                  list(rest),
              )
            : '',
    ];
}

const HOW_MEASURED = {
    trace: ['Simulated', 'each cache and TLB by itself, access by access: exact'],
    histograms: [
        'From reuse distances',
        'counted exactly; misses in sets as sampled or by chance, so without intervals',
    ],
};

function drawMeasured(of) {
    const [how, note] = HOW_MEASURED[measured.kind];
    const about = [sizeText(), `on ${of.machine.name}: ${of.machine.description}`];
    summarySection.replaceChildren(
        element('p', { class: 'over' }, about.filter(Boolean).join(' ')),
        element('h1', null, program),
        measuredSentence(of),
        element('div', { class: 'tiles' }, missTile(of), tile('How it is known', how, note)),
        element(
            'p',
            { class: 'soft' },
            'What was measured at one size has no times, and says nothing of others: ',
            'a model learned from several sizes does.',
        ),
    );
}

function drawSummary() {
    const of = forecast();
    if (measured) {
        drawMeasured(of);
        return;
    }
    summarySection.replaceChildren(
        element(
            'p',
            { class: 'over' },
            `${sizeText()} on ${of.machine.name}: ${of.machine.description}`,
        ),
        element('h1', null, program),
        sentence(of),
        element('div', { class: 'tiles' }, timeTile(of), limitTile(of), sureTile(of), missTile(of)),
        ...learnedText(of).map(line => element('p', { class: 'soft' }, line)),
        ...notesList(of.data.notes),
    );
}
onChange('machine', drawSummary);
