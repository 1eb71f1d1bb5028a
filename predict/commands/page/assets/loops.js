// The tree of routines and loops (tree_table.js): its columns, and the tools above it.

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
    isFlat: false,
    least: 0,
};
/* Most of a program's routines run at its start and end, in no time. */
if (shownScopes().length > 60) view.least = 0.001;
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

// ---- the table ----

/** Of a loop into what it was inlined, of a routine where it is. */
function scopeNote(scope) {
    const inlined = (scope.inlined || []).map(call => call.name).reverse();
    return scope.kind === 'loop'
        ? inlined.join(', in ')
        : [scope.place, scope.module === program ? '' : scope.module].filter(Boolean).join(', ');
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

const loopsTable = new TreeTable({
    caption:
        'Routines and loops with their time and misses; arrow keys move, open and close rows, ' +
        'Enter shows one in full',
    view,
    roots,
    note: scopeNote,
    matches,
    isSearch: () => Boolean(view.text || view.module),
    select: selectScope,
});

/** Routines that take a twentieth of the time are open at first, and all where there are few. */
function drawRows() {
    const of = forecast(),
        list = shownScopes();
    loopsTable.fill(
        list,
        columnsOf(of),
        scope => list.length <= 40 || (of.share(scope.id) || 0) >= 0.05,
    );
}

/** Opens what is around the scope and shows it in the pane; `jump`: the pane gets the focus. */
function selectScope(id, jump) {
    if (forecast().has(id) && (forecast().share(id) || 0) < view.least) showAnyShare();
    loopsTable.select(id, jump);
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
        else if (key === 'isFlat') loopsTable.order();
        else loopsTable.filter();
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
            value => set('isFlat', value),
        ),
        loopsTable.openChoice(),
        loopsTable.count,
    );
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

loopsSection.append(tools(), loopsTable.withPane(causeLegend()));
onChange('machine', drawRows);
