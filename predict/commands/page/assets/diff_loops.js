// Routines and loops of both sides: sorted by any column, filtered by name, side and change.

const loopsSection = section(
    'loops',
    'Loops',
    'Routines and the loops in them that change, matched by source and structure. ' +
        'A row that is selected is shown in full.',
);

const view = { sort: 'change', down: true, text: '', which: '', isInclusive: false, isFlat: false };
const nodes = new Map(); // the table's row of each
const open = new Set(rows.keys());

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

// ---- rows ----

function nameCell(row) {
    const toggle = row.children.length
        ? element('button', {
              type: 'button',
              class: 'toggle',
              tabindex: -1,
              'aria-label': `loops in ${row.label}`,
              onclick: event => {
                  event.stopPropagation();
                  setOpen(row, !open.has(row.id));
              },
          })
        : element('span', { class: 'toggle' });
    const from = row.isLoop ? (view.isFlat ? row.routine.label : '') : row.place;
    return element(
        'th',
        { scope: 'row', class: 'name', style: `--depth:${row.depth}` },
        toggle,
        element('span', { class: 'label', title: fullName(row) }, row.label),
        from ? element('small', { title: from }, from) : null,
    );
}

function makeNode(row) {
    const node = element(
        'tr',
        {
            'data-row': row.id,
            tabindex: -1,
            'aria-level': row.depth + 1,
            onclick: () => selectRow(row.id, false),
        },
        columns.map(column => {
            const cell = column.key === 'name' ? nameCell(row) : column.cell(row);
            if (column.rank) cell.classList.add(`rank${column.rank}`);
            return cell;
        }),
    );
    nodes.set(row.id, node);
    return node;
}

function setOpen(row, isOpen) {
    if (isOpen) open.add(row.id);
    else open.delete(row.id);
    applyFilter();
}

// ---- sorting and filtering ----

/** What is unknown comes last. */
function compareRows(a, b) {
    const column = columns.find(one => one.key === view.sort) || columns[0];
    const sign = view.down ? -1 : 1,
        left = column.value(a),
        right = column.value(b);
    if (left === right) return a.id - b.id;
    if (left === null) return 1;
    if (right === null) return -1;
    return sign * (typeof left === 'string' ? left.localeCompare(right) : left - right);
}

/** Siblings are sorted by their own figures; routines, by what is nested in them, too. */
function orderedRows() {
    if (view.isFlat) return [...rows.values()].sort(compareRows);
    const list = [];
    const walk = siblings => {
        for (const row of [...siblings].sort(compareTrees)) {
            list.push(row);
            walk(row.children);
        }
    };
    walk(roots);
    return list;
}

/** The row of a tree that comes first stands for the tree. */
function compareTrees(a, b) {
    if (view.sort === 'name') return compareRows(a, b);
    const first = row =>
        row.children.map(first).reduce((x, y) => (compareRows(x, y) < 0 ? x : y), row);
    return compareRows(first(a), first(b)) || a.id - b.id;
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
    const direction = directionOf(figuresOf(row));
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

function isShown(row, kept, isSearch) {
    if (!kept.has(row.id)) return false;
    for (let up = row.above; up && !isSearch && !view.isFlat; up = up.above)
        if (!open.has(up.id)) return false;
    return true;
}

function applyFilter() {
    const isSearch = Boolean(view.text || view.which),
        kept = new Set();
    let count = 0;
    for (const row of rows.values()) {
        if (!matches(row)) continue;
        count++;
        kept.add(row.id);
        for (let up = row.above; up && !view.isFlat; up = up.above) kept.add(up.id);
    }
    for (const [id, node] of nodes) {
        const row = rows.get(id);
        node.hidden = !isShown(row, kept, isSearch);
        node.classList.toggle('dim', isSearch && !matches(row));
        if (row.children.length)
            node.setAttribute('aria-expanded', String(isSearch || open.has(id)));
    }
    byId('loops-count').textContent =
        count < rows.size
            ? `${count} of ${rows.size} routines and loops`
            : `${rows.size} routines and loops`;
    keepOneTabStop();
}

// ---- keyboard: one row is a tab stop, arrows move it ----

function keepOneTabStop() {
    const shown = [...body.rows].filter(node => !node.hidden);
    const stop = shown.find(node => Number(node.dataset.row) === state.selected) || shown[0];
    for (const node of body.rows) node.tabIndex = node === stop ? 0 : -1;
}

function onKey(event) {
    const row = rows.get(Number(event.target.dataset?.row));
    if (!row) return;
    const shown = [...body.rows].filter(node => !node.hidden),
        at = shown.indexOf(event.target);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 };
    if (event.key in moves) {
        const next = shown[moves[event.key]];
        if (next) {
            event.target.tabIndex = -1;
            next.tabIndex = 0;
            next.focus();
        }
    } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
        setOpen(row, event.key === 'ArrowRight');
    } else if (event.key === 'Enter' || event.key === ' ') {
        selectRow(row.id, true);
    } else {
        return;
    }
    event.preventDefault();
}

// ---- the table ----

let columns = [];
const headRow = element('tr');
const body = element('tbody', { onkeydown: onKey });
const table = element(
    'table',
    { class: 'loops', role: 'treegrid', id: 'loops-table' },
    element(
        'caption',
        { class: 'unseen' },
        'Routines and loops of both sides; arrow keys move, open and close rows, Enter shows one ' +
            'in full',
    ),
    element('thead', null, headRow),
    body,
);

function headCell(column) {
    const isSorted = view.sort === column.key;
    return element(
        'th',
        {
            scope: 'col',
            class: [column.number ? 'number' : '', column.rank ? `rank${column.rank}` : ''].join(
                ' ',
            ),
            'aria-sort': isSorted ? (view.down ? 'descending' : 'ascending') : 'none',
        },
        element(
            'button',
            {
                type: 'button',
                'data-sort': column.key,
                onclick: () => {
                    view.down = isSorted ? !view.down : Boolean(column.number);
                    view.sort = column.key;
                    drawRows();
                    headRow.querySelector(`[data-sort="${column.key}"]`).focus();
                },
            },
            column.title,
        ),
    );
}

function drawRows() {
    columns = columnsNow();
    largestChange = Math.max(
        ...[...rows.values()].map(row => Math.abs(figuresOf(row).change?.value ?? 0)),
        0,
    );
    nodes.clear();
    headRow.replaceChildren(...columns.map(headCell));
    body.replaceChildren(...orderedRows().map(makeNode));
    table.classList.toggle('flat', view.isFlat);
    markSelected();
    applyFilter();
}

function markSelected() {
    for (const [id, node] of nodes) {
        node.classList.toggle('selected', id === state.selected);
        node.setAttribute('aria-selected', String(id === state.selected));
    }
}

/** Opens what is around the row and shows it in the pane; `jump`: the pane gets the focus. */
function selectRow(id, jump) {
    for (let up = rows.get(id).above; up; up = up.above) open.add(up.id);
    history.replaceState(null, '', `#loop=${id}`);
    change('selected', id);
    applyFilter();
    if (!jump) return;
    byId('loops').scrollIntoView();
    nodes.get(id)?.scrollIntoView({ block: 'nearest' });
    byId('pane').focus({ preventScroll: innerWidth >= 1300 });
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
                applyFilter();
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
                applyFilter();
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
        element('span', { id: 'loops-count', class: 'soft', role: 'status' }),
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
    element(
        'div',
        { class: 'with-pane' },
        element(
            'div',
            { class: 'table-side' },
            element('div', { class: 'scroll tall', id: 'loops-scroll' }, table),
            element('p', { class: 'keys' }, onlyText()),
        ),
        element('aside', { id: 'pane', tabindex: -1, 'aria-label': 'The selected row in full' }),
    ),
);
onChange('metric', drawRows);
onChange('selected', markSelected);
