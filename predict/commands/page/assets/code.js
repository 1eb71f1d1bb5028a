// The executed instructions of the selected row, block by block, behind a button of the pane: how
// often each block ran, and what its references do. Rows are made when they are asked for.

/** Blocks of the row and of what is in it, in the order of the code. */
function codeBlocks(id) {
    return (report.code?.blocks || []).filter(block => isInside(block.scope, id));
}

const addressText = value => `0x${value.toString(16)}`;

/** A reference of the document: [kind, bytes, line, references alike, accesses, misses...]. */
function referenceOf([kind, bytes, line, alike, accesses, ...misses]) {
    return { kind, bytes, line, alike, accesses, misses };
}

/** The figure of a reference; of several that move alike, what they have together. */
function sharedFigure(reference, value) {
    if (value === null) return '';
    return reference.alike > 1
        ? [countText(value), element('small', null, `of ${reference.alike} alike`)]
        : countText(value);
}

/** Columns of an instruction after its text: an item for each reference, one below the other. */
function referenceCells(references, levels) {
    const cell = write =>
        element(
            'td',
            { class: 'number' },
            references.map(one => element('div', null, write(one))),
        );
    return [
        element(
            'td',
            null,
            references.map(one => element('div', null, `${one.kind} ${one.bytes} B`)),
        ),
        cell(one => sharedFigure(one, one.accesses)),
        ...levels.map((_, i) => cell(one => sharedFigure(one, one.misses[i]))),
        cell(one => (one.line ? String(one.line) : '')),
    ];
}

function blockHead(block, scope, width) {
    const owner = scopes.get(block.scope);
    return element(
        'tr',
        { class: 'block' },
        element(
            'th',
            { scope: 'rowgroup', colspan: width },
            block.executed === null
                ? 'executed as often as is not known'
                : `executed ${countText(block.executed)} times`,
            owner === scope ? '' : `, ${owner.label}`,
        ),
    );
}

function blockRows(block, scope, levels, most) {
    let address = block.offset;
    const rows = block.instructions.map(([length, text, ...items]) => {
        const references = items.map(referenceOf);
        const heat = Math.max(0, ...references.map(one => one.misses[0] || 0)) / most;
        const row = element(
            'tr',
            { style: `--heat:${heat.toFixed(3)}` },
            element('th', { scope: 'row', class: 'code' }, addressText(address)),
            element('td', { class: 'code' }, text),
            references.length
                ? referenceCells(references, levels)
                : element('td', { colspan: levels.length + 3 }),
        );
        address += length;
        return row;
    });
    return element('tbody', null, blockHead(block, scope, levels.length + 5), rows);
}

function codeTable(scope, blocks) {
    const { levels, name } = report.machines[0];
    const all = blocks.flatMap(block => block.instructions.flatMap(([, , ...items]) => items));
    const most = Math.max(...all.map(item => referenceOf(item).misses[0] || 0), 1e-9);
    const head = (title, isNumber) =>
        element('th', { scope: 'col', class: isNumber ? 'number' : null }, title);
    return element(
        'table',
        { class: 'data instructions' },
        element(
            'caption',
            null,
            'Instructions that ran; addresses are those in the module, ' +
                `misses those of ${name}` +
                (all.some(item => referenceOf(item).alike > 1)
                    ? '; references that move alike have one figure together'
                    : ''),
        ),
        element(
            'thead',
            null,
            element(
                'tr',
                null,
                head('Address'),
                head('Instruction'),
                head('Access'),
                head('Accesses', true),
                levels.map(level => head(level.name, true)),
                head('Line', true),
            ),
        ),
        blocks.map(block => blockRows(block, scope, levels, most)),
    );
}

function codeSummary(blocks) {
    const count = blocks.reduce((sum, block) => sum + block.instructions.length, 0);
    const some = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
    return `Machine code: ${some(count, 'instruction')} in ${some(blocks.length, 'block')}`;
}

/** Stays open from one row to the next, for a reader who goes through loops by their code. */
let isCodeOpen = false;

/** The button and, once it is pressed, the code; null where the page has none of the row. */
function codeDetails(scope) {
    const blocks = codeBlocks(scope.id);
    if (!report.code || (blocks.length === 0 && report.code.left_out === 0)) return null;
    if (blocks.length === 0)
        return element(
            'p',
            { class: 'soft' },
            'Its machine code is not in the page, which has that of the heaviest loops.',
        );
    const details = element(
        'details',
        { class: 'machine-code', open: isCodeOpen },
        element('summary', null, codeSummary(blocks)),
    );
    const fill = () => {
        if (!details.open || details.querySelector('table')) return;
        details.append(scrollRegion('Machine code', codeTable(scope, blocks)));
    };
    details.addEventListener('toggle', () => {
        isCodeOpen = details.open;
        fill();
    });
    fill();
    return details;
}
