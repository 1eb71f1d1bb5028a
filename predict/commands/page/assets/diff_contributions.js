// From the first side's total to the second's: what each routine and loop, by itself, adds or takes
// away. The rest of the bars' sum is what the rows that are not shown do.

const contributionsSection = section(
    'contributions',
    'Where it changes',
    'From A to B: what each routine or loop adds or takes away by itself, without what is nested ' +
        'in it, the largest change first.',
);
const contributionsBox = element('div', { class: 'scroll', tabindex: 0 });
contributionsSection.append(contributionsBox);

const CONTRIBUTIONS_SHOWN = 12;

/** Steps {name, from, to, row} from one total to the other; null where something is unknown. */
function stepsOf(metric) {
    const total = comparedOf(diff.total, metric);
    if (!total.first || !total.second) return null;
    const changes = [...rows.values()]
        .map(row => ({ row, change: exclusiveOf(row, metric).change?.value ?? 0 }))
        .filter(one => one.change !== 0)
        .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
    const steps = [];
    let at = total.first.value;
    for (const { row, change } of changes.slice(0, CONTRIBUTIONS_SHOWN)) {
        steps.push({ name: fullName(row), row, from: at, to: at + change });
        at += change;
    }
    const rest = total.second.value - at,
        most = Math.max(total.first.value, total.second.value);
    if (Math.abs(rest) > 1e-6 * most)
        steps.push({ name: 'all others', row: null, from: at, to: total.second.value });
    return { first: total.first.value, second: total.second.value, steps };
}

/** From 0, unless all of the change would be too small to see. */
function scaleOf({ first, second, steps }) {
    const ends = [first, second, ...steps.map(step => step.to)];
    const low = Math.min(...ends),
        high = Math.max(...ends, low + 1e-12);
    const from = high - low < 0.25 * high ? Math.max(0, low - 0.3 * (high - low)) : 0;
    return { from, to: high, at: value => (100 * (value - from)) / (high - from || 1) };
}

function barRow({ name, from, to, kind, text, row }, scale) {
    const [low, high] = [Math.min(from, to), Math.max(from, to)];
    return element(
        'tr',
        { class: kind },
        element('th', { scope: 'row' }, row ? rowLink(row) : name),
        element(
            'td',
            { class: 'span', 'aria-hidden': 'true' },
            element('i', {
                class: kind,
                style: `left:${scale.at(low)}%;width:max(2px, ${scale.at(high) - scale.at(low)}%)`,
            }),
        ),
        element('td', { class: 'number' }, text),
        element('td', { class: 'number soft' }, writerOf(state.metric)(to)),
    );
}

function drawContributions() {
    const found = stepsOf(state.metric),
        write = writerOf(state.metric),
        { title } = diff.metrics[state.metric];
    if (!found) {
        contributionsBox.replaceChildren(
            element('p', { class: 'soft' }, `${title}: unknown on one of the sides.`),
        );
        return;
    }
    const scale = scaleOf(found);
    const total = (name, value, kind) =>
        barRow({ name, from: scale.from, to: value, kind, text: '' }, scale);
    contributionsBox.replaceChildren(
        element(
            'table',
            { class: 'data contributions' },
            element(
                'caption',
                null,
                `${title}, bars from ${write(scale.from)} to ${write(scale.to)}`,
            ),
            element(
                'thead',
                null,
                element(
                    'tr',
                    null,
                    ['Routine, loop', '', 'Adds', 'Then'].map((head, i) =>
                        element('th', { scope: 'col', class: i > 1 ? 'number' : null }, head),
                    ),
                ),
            ),
            element(
                'tbody',
                null,
                total('A', found.first, 'first'),
                found.steps.map(step =>
                    barRow(
                        {
                            ...step,
                            kind: step.to > step.from ? 'more' : 'less',
                            text: signedText(step.to - step.from, write),
                        },
                        scale,
                    ),
                ),
                total('B', found.second, 'second'),
            ),
        ),
    );
}
onChange('metric', drawContributions);
