// Routines and loops of both sides (tree_table.js): columns, order, and the tools above the table.

const loopsSection = section(
    'loops',
    'Loops',
    'Routines and the loops in them that change, matched by source and structure. ' +
        'A row that is selected is shown in full.',
);

const view = { sort: 'change', down: true, text: '', which: '', isInclusive: false, isFlat: false };
function figuresOf(row, metric = state.metric) {
    return view.isInclusive ? comparedOf(row.inclusive, metric) : exclusiveOf(row, metric);
}

function rowLink(row) {
    return element(
        'a',
        {
            href: `#loop=${row.id}`,
            onclick: event => {
                event.preventDefault();
                selectRow(row.id, true);
            },
        },
        fullName(row),
    );
}

// ---- columns ----

/** By how much the other metrics change. */
function otherColumns() {
    return diff.metrics
        .map((metric, i) => ({ metric, i }))
        .filter(({ metric, i }) => !metric.is_full && i !== state.metric)
        .map(({ metric, i }) => ({
            key: `metric${i}`,
            title: metric.title.replace(/ misses$/, ''),
            number: true,
            rank: i < 3 ? 4 : 3,
            value: row => figuresOf(row, i).relative?.value ?? null,
            cell: row => {
                const compared = figuresOf(row, i);
                return element(
                    'td',
                    { class: `number ${directionOf(compared)}` },
                    relativeText(compared),
                );
            },
        }));
}

function columnsNow() {
    const write = writerOf(state.metric);
    const side = (key, title) => ({
        key,
        title,
        number: true,
        rank: 1,
        value: row => figuresOf(row)[key]?.value ?? null,
        cell: row => {
            const isThere = row[key] !== null;
            const found = figuresOf(row)[key];
            return element(
                'td',
                { class: 'number' },
                isThere ? (found ? write(found.value) : 'unknown') : '–',
            );
        },
    });
    return [
        { key: 'name', title: 'Routine, loop', value: row => row.label },
        {
            key: 'match',
            title: 'Match',
            rank: 2,
            value: row => row.match,
            cell: row =>
                element(
                    'td',
                    null,
                    row.match ? element('span', { class: 'tag' }, row.match) : '',
                ),
        },
        side('first', 'A'),
        side('second', 'B'),
        {
            key: 'change',
            title: 'Difference',
            number: true,
            value: row => Math.abs(figuresOf(row).change?.value ?? 0),
            cell: row => differenceCell(figuresOf(row), write),
        },
        {
            key: 'relative',
            title: 'Change',
            number: true,
            value: row => figuresOf(row).relative?.value ?? null,
            cell: row => {
                const compared = figuresOf(row);
                return element(
                    'td',
                    { class: `number ${directionOf(compared)}` },
                    relativeText(compared),
                );
            },
        },
        ...otherColumns(),
    ];
}

let largestChange = 0;

/** A bar to the right where the second side has more, to the left where it has less. */
function differenceCell(compared, write) {
    const { change } = compared;
    if (!change) return element('td', { class: 'number' }, 'unknown');
    const share = largestChange > 0 ? (50 * Math.abs(change.value)) / largestChange : 0;
    return element(
        'td',
        { class: 'number difference' },
        element('span', { class: 'bar-text' }, signedText(change.value, write)),
        element(
            'span',
            { class: 'diverging', 'aria-hidden': 'true' },
            element('i', {
                class: directionOf(compared),
                style: `width:${share}%;${change.value < 0 ? 'right' : 'left'}:50%`,
            }),
        ),
    );
}

// ---- the table ----

function rowNote(row) {
    if (row.isLoop) return view.isFlat ? row.routine.label : '';
    return row.place;
}

/** The row of a tree that comes first stands for the tree: siblings are sorted by their own
 * figures, routines by what is nested in them, too. */
function firstOfTree(column, compare) {
    if (column.key === 'name') return row => row;
    const firsts = new Map();
    const find = row => {
        const first = row.children.map(find).reduce((x, y) => (compare(x, y) < 0 ? x : y), row);
        firsts.set(row, first);
        return first;
    };
    roots.forEach(find);
    return row => firsts.get(row);
}

function matches(row) {
    const text = view.text.toLowerCase();
    const inText =
        !text ||
        [row.first, row.second].some(
            scope =>
                scope &&
                `${scope.name} ${scope.file} ${placeOf(scope)}`.toLowerCase().includes(text),
        );
    const direction = view.which ? directionOf(figuresOf(row)) : '';
    const isOf = {
        '': true,
        more: direction === 'more',
        less: direction === 'less',
        first: !row.second,
        second: !row.first,
        both: Boolean(row.first && row.second),
    };
    return inText && isOf[view.which];
}

const loopsTable = new TreeTable({
    caption:
        'Routines and loops of both sides; arrow keys move, open and close rows, Enter shows one ' +
        'in full',
    view,
    roots,
    note: rowNote,
    matches,
    isSearch: () => Boolean(view.text || view.which),
    standIn: firstOfTree,
    select: selectRow,
});

function drawRows() {
    const list = [...rows.values()];
    largestChange = Math.max(...list.map(row => Math.abs(figuresOf(row).change?.value ?? 0)), 0);
    loopsTable.fill(list, columnsNow(), () => true);
}

/** Opens what is around the row and shows it in the pane; `jump`: the pane gets the focus. */
function selectRow(id, jump) {
    loopsTable.select(id, jump);
}

// ---- tools above it ----

function tools() {
    return element(
        'div',
        { class: 'tools' },
        element('input', {
            type: 'search',
            id: 'loops-filter',
            placeholder: 'Filter by name or file',
            'aria-label': 'Filter by name or file',
            oninput: event => {
                view.text = event.target.value;
                loopsTable.filter();
            },
        }),
        selectOf(
            'rows',
            [
                ['', 'all'],
                ['more', 'more in B'],
                ['less', 'less in B'],
                ['both', 'in both'],
                ['first', 'only in A'],
                ['second', 'only in B'],
            ],
            '',
            value => {
                view.which = value;
                loopsTable.filter();
            },
            'loops-which',
        ),
        choice(
            'Figures',
            [
                [false, 'by itself'],
                [true, 'with what is nested'],
            ],
            false,
            value => {
                view.isInclusive = value;
                drawRows();
            },
        ),
        choice(
            'Rows',
            [
                [false, 'tree'],
                [true, 'flat'],
            ],
            false,
            value => {
                view.isFlat = value;
                drawRows();
            },
        ),
        loopsTable.openChoice(),
        loopsTable.count,
    );
}

function onlyText() {
    const parts = diff.only.map((count, i) =>
        count === 0
            ? ''
            : `${count} routine${count === 1 ? '' : 's'} or loop${count === 1 ? '' : 's'} ` +
              `only in ${LETTERS[i]}`,
    );
    const less = diff.changed - rows.size;
    if (less > 0) parts.push(`${less} more that change less are not in this page`);
    return parts.filter(Boolean).join('; ');
}

loopsSection.append(
    tools(),
    loopsTable.withPane(element('p', { class: 'keys' }, onlyText())),
);
onChange('metric', drawRows);
