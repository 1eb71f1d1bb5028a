// The tree of routines and loops: sorted by any column, filtered by name, module and share. Rows
// are made when they are first shown, once for a machine. In the document are the first ones of
// those that are shown; the others come when the reader gets near, and all of them for paper.

const loopsSection = section(
    'loops',
    'Loops',
    'Routines and the loops in them; a row includes the loops inside it. ' +
        'A row that is selected is shown in full.',
);

const view = {
    sort: measured ? 'level0' : 'time',
    down: true,
    text: '',
    module: '',
    metric: 'misses',
    flat: false,
    least: 0,
};
/* Most of a program's routines run at its start and end, in no time. */
if (shownScopes().length > 60) view.least = 0.001;
const ROWS_AT_ONCE = 150;
let rows = []; // {scope, node, open, shown}; node: null until it is first shown
let rowOf = new Map();
let room = ROWS_AT_ONCE; // for so many rows

// ---- columns ----

/** Bars are relative to the largest figure among outermost rows. */
function columnsOf(of) {
    const columns = [{ key: 'name', title: 'Routine, loop', value: scope => scope.label }];
    if (!measured)
        columns.push({
            key: 'time',
            title: of.data.time ? 'Time' : 'Time at most',
            number: true,
            value: scope => of.weight(scope.id),
            cell: scope => timeCell(of, scope),
        });
    columns.push({
        key: 'share',
        title: measured ? 'Of accesses' : 'Share',
        number: true,
        rank: 1,
        value: scope => of.share(scope.id),
        cell: scope => element('td', { class: 'number' }, percentText(of.share(scope.id))),
    });
    of.machine.levels.forEach((level, i) =>
        columns.push({
            key: `level${i}`,
            title: level.name,
            number: true,
            rank: level.kind === 'tlb' ? 3 : 2,
            value: scope => missFigure(of, i, scope.id),
            cell: scope => missCell(of, i, scope),
        }),
    );
    if (of.data.time)
        columns.push({
            key: 'limit',
            title: 'Limited by',
            rank: 2,
            value: scope => of.limit(scope.id),
            cell: scope => element('td', { class: 'limit' }, of.limit(scope.id)),
        });
    for (const [key, title] of [
        ['accesses', 'Accesses'],
        ['instructions', 'Instructions'],
    ])
        columns.push({
            key,
            title,
            number: true,
            rank: 4,
            value: scope => of.metric(key, scope.id)?.value ?? null,
            cell: scope => figureCell(of.metric(key, scope.id), countText),
        });
    return columns;
}

function figureCell(estimate, write) {
    return element('td', { class: 'number' }, estimate ? write(estimate.value) : 'unknown');
}

function timeCell(of, scope) {
    const seconds = of.seconds(scope.id),
        share = of.share(scope.id) || 0;
    const text = seconds ? secondsText(seconds.value) : secondsText(of.bounds(scope.id).most);
    const interval = seconds ? intervalText(seconds, secondsText) : '';
    return element(
        'td',
        { class: 'number bar-cell', style: `--share:${share}` },
        element('span', { class: 'bar-text' }, text),
        interval ? element('small', null, interval) : null,
    );
}

/** Misses as the reader wants them: their number, per access, per 1000 instructions. */
function missFigure(of, level, id) {
    const misses = of.misses(level, id);
    if (!misses) return null;
    if (view.metric === 'misses') return misses.value;
    const per = of.metric(view.metric === 'ratio' ? 'accesses' : 'instructions', id);
    if (!per || per.value === 0) return null;
    return (misses.value / per.value) * (view.metric === 'ratio' ? 1 : 1000);
}

function missFigureText(figure) {
    if (figure === null) return 'unknown';
    return view.metric === 'ratio' ? percentText(figure) : countText(figure);
}

function missCell(of, level, scope) {
    const figure = missFigure(of, level, scope.id),
        causes = of.causes(level, scope.id);
    const all = of.misses(level, 0)?.value || 0;
    const share =
        of.misses(level, scope.id) && all > 0
            ? Math.min(of.misses(level, scope.id).value / all, 1)
            : 0;
    return element(
        'td',
        { class: 'number' },
        element('span', { class: 'bar-text' }, missFigureText(figure)),
        causes ? causeBar(causes, share) : null,
    );
}

function causeBar(causes, share) {
    const sum = causes.cold + causes.capacity + causes.conflict;
    return element(
        'span',
        { class: 'causes', 'aria-hidden': 'true' },
        sum > 0
            ? CAUSES.map(([cause]) =>
                  causes[cause] > 0
                      ? element('i', {
                            class: cause,
                            style: `width:${(100 * share * causes[cause]) / sum}%`,
                        })
                      : null,
              )
            : null,
    );
}

// ---- rows ----

function nameCell(scope) {
    const toggle = scope.children.some(child => forecast().has(child.id))
        ? element('button', {
              type: 'button',
              class: 'toggle',
              tabindex: -1,
              'aria-label': `loops in ${scope.label}`,
              onclick: event => {
                  event.stopPropagation();
                  setOpen(rowOf.get(scope.id), !rowOf.get(scope.id).open);
              },
          })
        : element('span', { class: 'toggle' });
    const inlined = (scope.inlined || []).map(call => call.name).reverse();
    const from =
        scope.kind === 'loop'
            ? inlined.join(', in ')
            : [scope.place, scope.module === program ? '' : scope.module]
                  .filter(Boolean)
                  .join(', ');
    return element(
        'th',
        { scope: 'row', class: 'name', style: `--depth:${scope.depth}` },
        toggle,
        element('span', { class: 'label', title: fullName(scope) }, scope.label),
        from ? element('small', { title: from }, from) : null,
    );
}

function makeNode(scope) {
    return element(
        'tr',
        {
            'data-scope': scope.id,
            tabindex: -1,
            'aria-level': scope.depth + 1,
            'aria-selected': String(scope.id === state.selected),
            class: scope.id === state.selected ? 'selected' : null,
            onclick: () => selectScope(scope.id, false),
        },
        columns.map(column =>
            column.key === 'name'
                ? nameCell(scope)
                : marked(
                      column,
                      column.cell ? column.cell(scope) : element('td', null, column.value(scope)),
                  ),
        ),
    );
}

function marked(column, cell) {
    if (column.rank) cell.classList.add(`rank${column.rank}`);
    return cell;
}

function setOpen(row, open) {
    row.open = open;
    applyFilter();
}

// ---- sorting and filtering ----

function compareRows(column) {
    const sign = view.down ? -1 : 1;
    return (a, b) => {
        const left = column.value(a),
            right = column.value(b);
        if (left === right || (left === null && right === null)) return a.id - b.id;
        if (left === null || left === undefined) return 1;
        if (right === null || right === undefined) return -1;
        if (typeof left === 'string') return sign * left.localeCompare(right);
        return sign * (left - right);
    };
}

/** Siblings are sorted, so that a loop stays in its routine; in the flat view all are. */
function sortedScopes(columns) {
    const column = columns.find(one => one.key === view.sort) || columns[0];
    const compare = compareRows(column),
        of = forecast();
    if (view.flat) return shownScopes().sort(compare);
    const list = [];
    const walk = siblings => {
        for (const scope of siblings.filter(one => of.has(one.id)).sort(compare)) {
            list.push(scope);
            walk(scope.children);
        }
    };
    walk(roots);
    return list;
}

function matches(scope) {
    const text = view.text.toLowerCase();
    const inText =
        !text ||
        scope.label.toLowerCase().includes(text) ||
        (scope.file || '').toLowerCase().includes(text) ||
        forecast().limit(scope.id).toLowerCase().includes(text) ||
        (scope.inlined || []).some(call => call.name.toLowerCase().includes(text));
    return (
        inText &&
        (!view.module || scope.module === view.module) &&
        (forecast().share(scope.id) || 0) >= view.least
    );
}

/** A text or module shows what matches and what is around it; without one, what is open. */
function applyFilter() {
    const isSearch = Boolean(view.text || view.module);
    const kept = new Set();
    let count = 0;
    for (const { scope } of rows) {
        if (!matches(scope)) continue;
        count++;
        for (let up = scope; up && isSearch && !view.flat; up = up.above) kept.add(up.id);
        kept.add(scope.id);
    }
    for (const row of rows) {
        let shown = kept.has(row.scope.id);
        if (!isSearch && !view.flat)
            for (let up = row.scope.above; up && shown; up = up.above)
                shown = rowOf.get(up.id).open;
        row.shown = shown;
    }
    byId('loops-count').textContent =
        count < rows.length
            ? `${count} of ${rows.length} routines and loops`
            : `${rows.length} routines and loops`;
    placeRows();
}

/** Puts the rows that are shown, as many as there is room for, into the table: what stays does not
 * move, so that it keeps the focus. */
function placeRows() {
    const isSearch = Boolean(view.text || view.module);
    const shown = rows.filter(row => row.shown),
        placed = shown.slice(0, room);
    for (const row of placed) {
        row.node ||= makeNode(row.scope);
        row.node.classList.toggle('dim', isSearch && !matches(row.scope));
        if (row.scope.children.some(child => rowOf.has(child.id)))
            row.node.setAttribute('aria-expanded', String(isSearch || row.open));
    }
    replaceChangedChildren(
        body,
        placed.map(row => row.node),
    );
    table.setAttribute('aria-rowcount', shown.length + 1);
    placed.forEach((row, i) => row.node.setAttribute('aria-rowindex', i + 2));
    more.hidden = placed.length === shown.length;
    more.textContent = `${shown.length - placed.length} more rows`;
    keepOneTabStop(placed);
}

/** Makes room for so many rows, and for some behind them. */
function makeRoom(count) {
    if (count <= room) return;
    room = count + ROWS_AT_ONCE;
    placeRows();
}

// ---- keyboard: one row is a tab stop, arrows move it ----

function keepOneTabStop(placed) {
    const stop = placed.find(row => row.scope.id === state.selected) || placed[0];
    for (const row of placed) row.node.tabIndex = row === stop ? 0 : -1;
}

function onKey(event) {
    const row = rowOf.get(Number(event.target.dataset?.scope));
    if (!row) return;
    const shown = rows.filter(one => one.shown),
        at = shown.indexOf(row);
    const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 };
    if (event.key in moves) {
        const next = shown[moves[event.key]];
        if (next) {
            makeRoom(moves[event.key] + 1);
            row.node.tabIndex = -1;
            next.node.tabIndex = 0;
            next.node.focus();
        }
    } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
        setOpen(row, event.key === 'ArrowRight');
    } else if (event.key === 'Enter' || event.key === ' ') {
        selectScope(row.scope.id, true);
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
        'Routines and loops with their time and misses; arrow keys move, open and close rows, ' +
            'Enter shows one in full',
    ),
    element('thead', null, headRow),
    body,
);
const more = element('button', {
    type: 'button',
    class: 'more',
    id: 'loops-more',
    hidden: true,
    onclick: () => makeRoom(room + 1),
});

function drawHead() {
    headRow.replaceChildren(
        ...columns.map(column =>
            element(
                'th',
                {
                    scope: 'col',
                    class: [
                        column.number ? 'number' : '',
                        column.rank ? `rank${column.rank}` : '',
                    ].join(' '),
                    'aria-sort':
                        view.sort === column.key
                            ? view.down
                                ? 'descending'
                                : 'ascending'
                            : 'none',
                },
                element(
                    'button',
                    {
                        type: 'button',
                        'data-sort': column.key,
                        onclick: () => {
                            view.down =
                                view.sort === column.key ? !view.down : Boolean(column.number);
                            view.sort = column.key;
                            drawHead();
                            orderRows();
                            headRow.querySelector(`[data-sort="${column.key}"]`).focus();
                        },
                    },
                    column.title,
                ),
            ),
        ),
    );
}

function orderRows() {
    const order = sortedScopes(columns);
    rows = order.map(scope => rowOf.get(scope.id));
    room = ROWS_AT_ONCE;
    table.classList.toggle('flat', view.flat);
    applyFilter();
}

/** Routines that take a twentieth of the time are open at first, and all where there are few. */
function drawRows() {
    const of = forecast(),
        before = rowOf,
        list = shownScopes();
    columns = columnsOf(of);
    rowOf = new Map(list.map(scope => [scope.id, { scope, node: null, open: false, shown: true }]));
    for (const row of rowOf.values())
        row.open = before.has(row.scope.id)
            ? before.get(row.scope.id).open
            : list.length <= 40 || (of.share(row.scope.id) || 0) >= 0.05;
    drawHead();
    orderRows();
}

function markSelected() {
    for (const [id, row] of rowOf) {
        if (!row.node) continue;
        row.node.classList.toggle('selected', id === state.selected);
        row.node.setAttribute('aria-selected', String(id === state.selected));
    }
}

/** Opens what is around the scope and shows it in the pane; `jump`: the pane gets the focus. */
function selectScope(id, jump) {
    for (let up = scopes.get(id)?.above; up; up = up.above)
        if (rowOf.has(up.id)) rowOf.get(up.id).open = true;
    if (rowOf.has(id) && (forecast().share(id) || 0) < view.least) showAnyShare();
    history.replaceState(null, '', `#loop=${id}`);
    change('selected', id);
    applyFilter();
    makeRoom(rows.filter(row => row.shown).findIndex(row => row.scope.id === id) + 1);
    if (!jump) return;
    byId('loops').scrollIntoView();
    rowOf.get(id)?.node?.scrollIntoView({ block: 'nearest' });
    byId('pane').focus({ preventScroll: innerWidth >= 1300 });
}

/** A row that is asked for must not be hidden by its share. */
function showAnyShare() {
    view.least = 0;
    byId('loops-share').value = '0';
}

// ---- tools above it ----

function tools() {
    const modules = [
        ...new Set(
            report.scopes.filter(scope => scope.kind !== 'program').map(scope => scope.module),
        ),
    ].sort();
    const set = (key, value) => {
        view[key] = value;
        if (key === 'metric') drawRows();
        else if (key === 'flat') orderRows();
        else applyFilter();
    };
    return element(
        'div',
        { class: 'tools' },
        element('input', {
            type: 'search',
            id: 'loops-filter',
            placeholder: 'Filter by name, file or limit',
            'aria-label': 'Filter by name, file or limit',
            oninput: event => set('text', event.target.value),
        }),
        modules.length > 1
            ? selectOf('module', [['', 'all'], ...modules.map(name => [name, name])], '', value =>
                  set('module', value),
              )
            : null,
        selectOf(
            'share',
            [
                [0, 'any'],
                [0.001, '0.1 % or more'],
                [0.01, '1 % or more'],
                [0.05, '5 % or more'],
            ],
            view.least,
            value => set('least', Number(value)),
            'loops-share',
        ),
        choice(
            'Misses',
            [
                ['misses', 'misses'],
                ['ratio', 'per access'],
                ['kilo', 'per 1000 instructions'],
            ],
            'misses',
            value => set('metric', value),
        ),
        choice(
            'Rows',
            [
                [false, 'tree'],
                [true, 'flat'],
            ],
            false,
            value => set('flat', value),
        ),
        element(
            'div',
            { class: 'choice' },
            element('button', { type: 'button', onclick: () => openAll(true) }, 'open all'),
            element('button', { type: 'button', onclick: () => openAll(false) }, 'close all'),
        ),
        element('span', { id: 'loops-count', class: 'soft', role: 'status' }),
    );
}

function openAll(open) {
    for (const row of rows) row.open = open;
    applyFilter();
}

/** Traces do not tell first touches from others that miss for capacity. */
function causesKnown() {
    return measured?.kind === 'trace'
        ? [['capacity', 'the data do not fit, or are touched for the first time'], CAUSES[2]]
        : CAUSES;
}

function causeLegend() {
    return element(
        'p',
        { class: 'keys' },
        'Bars of misses, relative to the program’s: ',
        causesKnown().map(([cause, why]) =>
            element('span', null, element('i', { class: cause }), `${cause}, ${why}`),
        ),
    );
}

loopsSection.append(
    tools(),
    element(
        'div',
        { class: 'with-pane' },
        element(
            'div',
            { class: 'table-side' },
            element(
                'div',
                {
                    class: 'scroll tall',
                    id: 'loops-scroll',
                    onscroll: ({ currentTarget: box }) => {
                        const below = box.scrollHeight - box.scrollTop - box.clientHeight;
                        if (!more.hidden && below < 2 * box.clientHeight) makeRoom(room + 1);
                    },
                },
                table,
                more,
            ),
            causeLegend(),
        ),
        element('aside', { id: 'pane', tabindex: -1, 'aria-label': 'The selected row in full' }),
    ),
);
addEventListener('beforeprint', () => makeRoom(rows.length));
onChange('machine', drawRows);
onChange('selected', markSelected);
