// Who reuses whose data, and which loop carries that: pairs of references between which blocks are
// reused (Marin & Mellor-Crummey, ISPASS 2008). Misses are fully associative.

const PAIRS_SHOWN = 40;
const pairsView = { scope: 0 };

function referenceText(reference) {
    const scope = scopes.get(reference.scope);
    const place = reference.line && scope.file ? `${baseName(scope.file)}:${reference.line}` : '';
    const where = scope.id === 0 ? program : scope.routine.name;
    return [`${reference.kind} in `, scope.id === 0 ? where : scopeLink(scope, where), ` ${place}`];
}

function carrierText(pair) {
    if (pair.carrier === null) return 'unknown';
    if (pair.carrier === 'thread') return 'another thread';
    const scope = scopes.get(pair.carrier);
    const link = scope.id === 0 ? program : scopeLink(scope, scope.label);
    return pair.is_carried ? link : ['inside ', link];
}

/** By the loop that carries the reuse: what its reuses miss. */
function carrierTable({ levels, carriers }) {
    const sorted = [...carriers].sort((a, b) => (b.misses[0] ?? 0) - (a.misses[0] ?? 0));
    return dataTable(
        'Reuse by the routine or loop that carries it',
        [
            { title: 'Carried by' },
            { title: 'Reuses', number: true },
            ...levels.map(name => ({ title: `of them miss ${name}`, number: true })),
        ],
        sorted
            .slice(0, 12)
            .map(({ scope, touches, misses }) => [
                scope === 0 ? program : scopeLink(scopes.get(scope)),
                countText(touches),
                ...misses.map(value => smallFigure(value)),
            ]),
    );
}

function smallFigure(value) {
    return value < 0.5 ? '0' : countText(Math.round(value));
}

function pairTable({ levels, pairs }) {
    const isOf = reference =>
        pairsView.scope === 0 || isInside(reference.scope, pairsView.scope);
    const shown = pairs.filter(pair => isOf(pair.sink) || isOf(pair.source)).slice(0, PAIRS_SHOWN);
    return dataTable(
        'Pairs of references whose reuses miss most, without first touches',
        [
            { title: 'Touched by' },
            { title: 'Last by' },
            { title: 'Carried by' },
            { title: 'Touches', number: true },
            { title: 'Mean distance', number: true },
            ...levels.map(title => ({ title, number: true })),
        ],
        shown.map(pair => [
            referenceText(pair.sink),
            referenceText(pair.source),
            carrierText(pair),
            countText(pair.touches),
            `${smallFigure(pair.mean_distance_blocks)} blocks`,
            ...pair.misses.map(value => smallFigure(value)),
        ]),
    );
}

if (report.pairs) {
    const pairsBox = element('div', { class: 'scroll', tabindex: 0 });
    const draw = () => pairsBox.replaceChildren(pairTable(report.pairs));
    const withPairs = shownScopes().filter(scope =>
        report.pairs.pairs.some(pair => isInside(pair.sink.scope, scope.id)),
    );
    section(
        'pairs',
        'Who reuses what',
        `A block of ${bytesText(report.pairs.block_bytes)} that a reference touches was touched ` +
            'last by another, or by itself; the loop that carries the reuse is the innermost one ' +
            'that went on in between. ' +
            `Misses are those of fully associative caches of ${report.machines[0].name}.`,
    ).append(
        element('div', { class: 'scroll', tabindex: 0 }, carrierTable(report.pairs)),
        element(
            'div',
            { class: 'tools' },
            scopeSelect(
                withPairs,
                0,
                id => {
                    pairsView.scope = id;
                    draw();
                },
                'pairs-scope',
            ),
        ),
        pairsBox,
    );
    draw();
}
