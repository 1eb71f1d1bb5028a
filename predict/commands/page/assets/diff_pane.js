// The selected row in full: all metrics with intervals, and the source of both sides, line by line.

/** Lines of both texts in order: {first, second, text}, of which one number is missing where only
 * the other side has the line. The longest common subsequence (Wagner & Fischer 1974). */
function comparedLines(a, b) {
    const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
    for (let i = a.length - 1; i >= 0; i--)
        for (let k = b.length - 1; k >= 0; k--)
            lengths[i][k] =
                a[i].text === b[k].text
                    ? lengths[i + 1][k + 1] + 1
                    : Math.max(lengths[i + 1][k], lengths[i][k + 1]);
    const lines = [];
    let i = 0,
        k = 0;
    while (i < a.length || k < b.length)
        if (i < a.length && k < b.length && a[i].text === b[k].text)
            lines.push({ first: a[i].number, second: b[k++].number, text: a[i++].text });
        else if (k === b.length || (i < a.length && lengths[i + 1][k] >= lengths[i][k + 1]))
            lines.push({ first: a[i].number, second: null, text: a[i++].text });
        else lines.push({ first: null, second: b[k].number, text: b[k++].text });
    return lines;
}

const LINES_COMPARED = 2000;

/** The lines of a side's scope and some around it. */
function linesOf(row, side) {
    const AROUND = 3,
        scope = side ? row.second : row.first;
    const pieces = scope && piecesOf(diff.sides[side].sources, scope.file);
    if (!pieces || !scope.first_line) return [];
    return sourceLines(pieces, scope.first_line - AROUND, scope.last_line + AROUND).slice(
        0,
        LINES_COMPARED,
    );
}

/** Lines of one file that both sides are from: numbers stand where a side's scope has the line. */
function linesOfOneFile(row) {
    const texts = new Map(
        [...linesOf(row, 0), ...linesOf(row, 1)].map(({ number, text }) => [number, text]),
    );
    const inScope = (scope, number) =>
        number >= scope.first_line && number <= scope.last_line ? number : null;
    return [...texts.keys()]
        .sort((a, b) => a - b)
        .map(number => ({
            number,
            first: inScope(row.first, number),
            second: inScope(row.second, number),
            text: texts.get(number),
        }));
}

/** In a scope of both sides, of one, or of none, where a line around it is. */
function lineKind({ number, first, second }) {
    if (first === null && second === null) return 'dim';
    if (first !== null && second !== null) return null;
    if (number !== undefined) return first === null ? 'second' : 'first';
    return first === null ? 'added' : 'removed';
}

function lineRow(line, indent) {
    const kind = lineKind(line),
        { number = null, first, second, text } = line;
    const isAround = kind === 'dim';
    const cell = number =>
        element('td', { class: 'number' }, number === null ? '' : String(number));
    return element(
        'tr',
        { class: kind },
        cell(isAround ? number : first),
        cell(isAround ? number : second),
        element(
            'td',
            { class: 'sign' },
            { added: '+', removed: '−', first: 'A', second: 'B' }[kind] || '',
        ),
        element('td', { class: 'code' }, text.slice(indent)),
    );
}

/** "rows.c", "old.c and new.c" */
function fileNames(row) {
    const names = [row.first, row.second].filter(Boolean).map(scope => baseName(scope.file));
    return [...new Set(names)].join(' and ');
}

function sourceTable(row) {
    const isOneFile = row.first && row.second && row.first.file === row.second.file;
    const lines = isOneFile
        ? linesOfOneFile(row)
        : comparedLines(linesOf(row, 0), linesOf(row, 1));
    if (lines.length === 0) return null;
    const indent = commonIndent(lines.map(({ text }) => text));
    return element(
        'table',
        { class: 'source' },
        element(
            'caption',
            null,
            `${fileNames(row)} as when the page was made` +
                (isOneFile ? ': both sides are from this file, which may have changed' : ''),
        ),
        element(
            'thead',
            null,
            element(
                'tr',
                null,
                LETTERS.map(letter => element('th', { scope: 'col', class: 'number' }, letter)),
                element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'in')),
                element('th', { scope: 'col' }, element('span', { class: 'unseen' }, 'source')),
            ),
        ),
        element(
            'tbody',
            null,
            lines.map(line => lineRow(line, indent)),
        ),
    );
}

// ---- all of it ----

const MATCHES = {
    'only A': 'Only A has it.',
    'only B': 'Only B has it.',
    renamed: 'Its routine has another name in each.',
};

function whereText(row) {
    const places = [row.first, row.second].map(scope => (scope ? placeOf(scope) : ''));
    const [a, b] = places;
    if (a && b && a !== b) return `${a} in A, ${b} in B`;
    return a || b;
}

function matchText(row) {
    if (!row.match) return '';
    return MATCHES[row.match] || `Matched as ${row.match}.`;
}

function drawPane() {
    const row = rows.get(state.selected),
        pane = byId('pane');
    if (!row) {
        pane.replaceChildren(
            element('p', { class: 'soft' }, 'Select a row to see it in full.'),
        );
        return;
    }
    const compared = comparedOf(row.inclusive, state.metric),
        source = sourceTable(row);
    pane.replaceChildren(
        row.above ? element('p', { class: 'over' }, rowLink(row.above)) : '',
        element('h3', null, row.label),
        element(
            'p',
            { class: 'soft' },
            [whereText(row), matchText(row)].filter(Boolean).join('. '),
        ),
        element(
            'p',
            { class: 'answer small' },
            `${diff.metrics[state.metric].title}: `,
            element('strong', { class: directionOf(compared) }, relativeText(compared)),
            ', with what is nested.',
        ),
        source ? scrollRegion('Source', source) : '',
        scrollRegion('Metrics', metricTable(row.inclusive, 'With what is nested')),
    );
}
onChange('metric', drawPane);
onChange('selected', drawPane);
