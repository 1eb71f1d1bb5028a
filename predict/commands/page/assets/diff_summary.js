// The answer, what is compared, limits, and all metrics of the program.

const summarySection = element('section', { id: 'summary', 'aria-label': 'Summary' });
byId('main').append(summarySection);
byId('nav').append(element('a', { href: '#summary' }, 'Summary'));

const KINDS = { trace: 'traces', histograms: 'histograms', model: 'models' };

/** "Two traces", "One model at two sizes, on two machines". */
function whatIsCompared() {
    const [a, b] = diff.sides;
    if (!diff.is_one_file) return `Two ${KINDS[a.kind]}, loop by loop`;
    const ways = [
        a.point !== b.point ? 'at two sizes' : '',
        a.machine !== b.machine ? 'on two machines' : '',
    ].filter(Boolean);
    const file = a.kind === 'histograms' ? 'One file of histograms' : `One ${a.kind}`;
    return `${[file, ...ways].join(' ')}, loop by loop`;
}

function sideTile(side, i) {
    return element(
        'div',
        { class: 'tile side' },
        element(
            'h3',
            null,
            element('span', { class: `letter ${i ? 'second' : 'first'}` }, LETTERS[i]),
            i ? 'second' : 'first',
        ),
        element(
            'p',
            { class: 'figure small' },
            [programs[i], side.point].filter(Boolean).join(', '),
        ),
        element(
            'p',
            { class: 'note' },
            side.file,
            side.machine ? [element('br'), `on ${side.machine}: ${side.description}`] : null,
        ),
    );
}

// ---- limits ----

function verdictText({ holds, sure }) {
    if (holds === null) return 'unknown';
    return `${holds ? 'holds' : 'does not hold'}${sure === false ? ', not sure' : ''}`;
}

/** A limit that holds is what --fail-if fails for. */
function limitList() {
    if (diff.limits.length === 0) return null;
    return element(
        'ul',
        { class: 'notes', 'aria-label': 'Limits' },
        diff.limits.map(limit =>
            element(
                'li',
                { class: limit.holds === false ? 'kept' : 'warning' },
                element('b', null, limit.holds === false ? 'Kept' : 'Fails'),
                ' ',
                element('code', null, limit.limit),
                `: ${verdictText(limit)}; it is ${limit.is}`,
            ),
        ),
    );
}

// ---- metrics ----

/** Two bars on one scale: the first side's above the second's. */
function pairOfBars({ first, second }, direction) {
    const most = Math.max(first?.value ?? 0, second?.value ?? 0);
    const width = one => (most > 0 && one ? `width:${(100 * one.value) / most}%` : 'width:0');
    return element(
        'td',
        { class: 'pair', 'aria-hidden': 'true' },
        element('i', { class: 'first', style: width(first) }),
        element('i', { class: direction, style: width(second) }),
    );
}

function figureWithInterval(estimate, write) {
    const interval = intervalText(estimate, write);
    return element(
        'td',
        { class: 'number' },
        estimate ? write(estimate.value) : 'unknown',
        interval ? element('small', null, interval) : null,
    );
}

function changeCells(compared, write) {
    const direction = directionOf(compared),
        interval = relativeInterval(compared);
    return [
        element(
            'td',
            { class: 'number' },
            compared.change ? signedText(compared.change.value, write) : 'unknown',
        ),
        element(
            'td',
            { class: `number ${direction}` },
            relativeText(compared),
            interval ? element('small', null, interval) : null,
        ),
    ];
}

function metricRow(metric, index, values) {
    const compared = comparedOf(values, index),
        write = writerOf(index);
    return element(
        'tr',
        { class: [metric.is_full ? 'dim' : '', index === state.metric ? 'chosen' : ''].join(' ') },
        element('th', { scope: 'row' }, metric.title),
        figureWithInterval(compared.first, write),
        figureWithInterval(compared.second, write),
        pairOfBars(compared, directionOf(compared)),
        changeCells(compared, write),
    );
}

function metricTable(values, caption) {
    const heads = [['Metric'], ['A', 1], ['B', 1], [''], ['Difference', 1], ['Change', 1]];
    return element(
        'table',
        { class: 'data metrics' },
        element('caption', null, caption),
        element(
            'thead',
            null,
            element(
                'tr',
                null,
                heads.map(([title, isNumber]) =>
                    element('th', { scope: 'col', class: isNumber ? 'number' : null }, title),
                ),
            ),
        ),
        element(
            'tbody',
            null,
            diff.metrics.map((metric, i) => metricRow(metric, i, values)),
        ),
    );
}

const metricsBox = element('div', { class: 'scroll', tabindex: 0, id: 'metrics' });

function drawMetrics() {
    metricsBox.replaceChildren(
        metricTable(diff.total, diff.in ? `In ${diff.in}` : 'Of the whole program'),
    );
}

summarySection.append(
    element('p', { class: 'over' }, whatIsCompared()),
    element('h1', null, programs[0] === programs[1] ? programs[1] : programs.join(' → ')),
    element('p', { class: 'answer' }, diff.answer),
    element('div', { class: 'tiles' }, diff.sides.map(sideTile)),
    limitList() || '',
    metricsBox,
);
onChange('metric', drawMetrics);
