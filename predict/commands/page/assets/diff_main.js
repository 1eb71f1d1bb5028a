// The metric that rows are compared by, how the page was made, and the first drawing.

byId('brand').append(
    element('b', null, programs[1]),
    ' ',
    element('span', null, 'A and B'),
);

const methodSection = section('method', 'Method');
methodSection.append(
    element(
        'dl',
        null,
        [
            ['Command', element('code', null, diff.command)],
            ...diff.sides.map((side, i) => [LETTERS[i], `${side.program}, from ${side.file}`]),
            ['foretrace', diff.tool_version],
            [
                'Matching',
                'Routines by name and file, loops by line, or by the order and shape of loops ' +
                    'where lines moved.',
            ],
        ].map(([term, text]) => [element('dt', null, term), element('dd', null, text)]),
    ),
);

document
    .querySelector('.bar-inner')
    .append(
        selectOf(
            'by',
            diff.metrics.map((metric, i) => [i, metric.title]),
            state.metric,
            value => change('metric', Number(value)),
            'metric',
        ),
    );

function openHash() {
    const [, id] = /^#loop=(\d+)$/.exec(location.hash) || [];
    if (id !== undefined && rows.has(Number(id))) selectRow(Number(id), true);
}

/** The row with the largest change is what the page opens with. */
function largestRow() {
    const size = row => Math.abs(exclusiveOf(row, state.metric).change?.value ?? 0);
    return [...rows.values()].reduce((a, b) => (a && size(a) >= size(b) ? a : b), null);
}

for (const draw of listeners.metric) draw();
change('selected', largestRow()?.id ?? null);
followScrolling();
openHash();
addEventListener('hashchange', openHash);
document.documentElement.dataset.ready = 'true';
