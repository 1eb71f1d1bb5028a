// The document of a diff: two sides, metrics, and rows with figures of both, as a tree.

const diff = JSON.parse(byId('data').textContent);
const LETTERS = ['A', 'B'];
const programs = diff.sides.map(side => baseName(side.program));

Object.assign(state, { metric: diff.sorted_by, selected: null });

const rows = new Map(diff.rows.map(row => [row.id, { ...row, children: [] }]));
const roots = [];

/** A row in itself, as joined loops of two trees could be, would never be shown. */
function isAround(row, outer) {
    const seen = new Set();
    for (let up = outer; up && !seen.has(up.id); up = rows.get(up.parent)) {
        if (up === row) return true;
        seen.add(up.id);
    }
    return false;
}

for (const row of rows.values()) {
    const parent = rows.get(row.parent);
    row.above = parent && !isAround(row, parent) ? parent : null;
    (row.above ? row.above.children : roots).push(row);
}

function placeOf(scope) {
    const file = baseName(scope.file || '');
    return file && scope.first_line ? `${file}:${scope.first_line}` : '';
}

for (const row of rows.values()) {
    let routine = row;
    row.depth = 0;
    for (; routine.above; routine = routine.above) row.depth++;
    row.scope = row.second || row.first;
    row.place = placeOf(row.scope);
    row.isLoop = row.scope.kind === 'loop';
    row.label = row.isLoop && row.place ? `loop at ${row.place}` : row.scope.name;
    row.routine = routine;
}

/** "multiply (matmul.c:8)", "multiply, loop at matmul.c:12". */
function fullName(row) {
    if (row.isLoop && row.routine !== row) return `${row.routine.label}, ${row.label}`;
    return !row.isLoop && row.place ? `${row.label} (${row.place})` : row.label;
}

// ---- figures ----

/** Of a metric: what both sides have and how it changes, of a row or the program. */
function comparedOf(values, metric) {
    return {
        first: estimateOf(values.first[metric]),
        second: estimateOf(values.second[metric]),
        change: estimateOf(values.change[metric]),
        relative: estimateOf(values.relative_change[metric]),
    };
}

/** Exclusive of what is nested: sums, without intervals. A side without the row has nothing. */
function exclusiveOf(row, metric) {
    const [first, second] = row.exclusive.map(side => estimateOf(side[metric]));
    const isKnown = first && second;
    const change = isKnown ? estimateOf(second.value - first.value) : null;
    const relative =
        isKnown && first.value > 0 ? estimateOf((second.value - first.value) / first.value) : null;
    return { first, second, change, relative };
}

/** How figures of a metric are written. */
function writerOf(metric) {
    return diff.metrics[metric].is_time ? secondsText : smallCountText;
}

/** What rounding alone keeps above 0 is 0. */
function smallCountText(value) {
    return value !== null && Math.abs(value) < 1e-6 ? '0' : countText(value);
}

function signedText(value, write) {
    const text = write(Math.abs(value));
    return text === '0' || text === '0 s' ? text : (value < 0 ? '−' : '+') + text;
}

/** "+12.3 %", "0 %", from ten times on "12.3 ×" the value; "new" where there was nothing. */
function ratioText(ratio) {
    if (Math.abs(ratio) < 5e-4) return '0 %';
    if (ratio >= 9) return `${countText(1 + ratio)} ×`;
    return `${ratio < 0 ? '−' : '+'}${(100 * Math.abs(ratio)).toFixed(1)} %`;
}

function relativeText({ first, second, relative }) {
    if (relative) return ratioText(relative.value);
    if (!first || !second) return 'unknown';
    return second.value > 0 ? 'new' : '0 %';
}

/** The interval of a relative change, where its ends do not look alike. */
function relativeInterval({ relative }) {
    if (!relative || relative.low === null) return '';
    const ends = [ratioText(relative.low), ratioText(relative.high)];
    return ends[0] === ends[1] ? '' : `${ends[0]} to ${ends[1]}`;
}

/** More is worse for all metrics. */
function directionOf(compared) {
    const { first, second, change } = compared;
    const most = Math.max(first?.value ?? 0, second?.value ?? 0);
    if (!change || Math.abs(change.value) <= 5e-4 * most) return 'same';
    return change.value > 0 ? 'more' : 'less';
}
