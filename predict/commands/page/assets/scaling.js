// How time and misses grow with the size.

const scalingSection = section(
    'scaling',
    'Scaling',
    'Lines are forecasts by reuse distances, bands their 95 % intervals; the diamond is the ' +
        'forecast of the size asked about, ticks at the bottom are training sizes, triangles ' +
        'critical sizes. A line ends where the training sizes do not determine the misses.',
);

const scaling = { scope: 0, ratio: false };
const curvesOf = () => report.scaling[state.machine];

/** A list of the document as points over its sizes. */
function pointsOf(list) {
    return curvesOf().sizes.map((x, i) => {
        const item = list[i];
        return item
            ? { x, value: item[0], low: item[1], high: item[2] }
            : { x, value: null, low: null, high: null };
    });
}

function scopeIndex() {
    return curvesOf().scopes.indexOf(scaling.scope);
}

function timeSpec() {
    const list = scaling.scope === 0 ? curvesOf().seconds : curvesOf().scope_seconds[scopeIndex()];
    const now = forecast().seconds(scaling.scope);
    return {
        lines: [{ name: 'time', colour: 'var(--accent)', points: pointsOf(list) }],
        yTitle: 'time',
        yText: secondsText,
        marks: [],
        target: now ? [{ name: 'time', x: report.n, ...now, colour: 'var(--accent)' }] : [],
        label: `Time over ${parameter}; the figures are in the table below`,
    };
}

function perAccess(points) {
    const accesses = pointsOf(curvesOf().accesses);
    return points.map((point, i) => {
        const of = accesses[i].value;
        return point.value === null || !(of > 0)
            ? { ...point, value: null, low: null, high: null }
            : { x: point.x, value: point.value / of, low: point.low / of, high: point.high / of };
    });
}

function missSpec() {
    const of = forecast(),
        curves = curvesOf(),
        isRatio = scaling.ratio && scaling.scope === 0;
    const lines = of.machine.levels.map((level, i) => {
        const list =
            scaling.scope === 0 ? setOrFull(curves, i) : curves.scope_misses[scopeIndex()][i];
        const points = pointsOf(list);
        return {
            name: level.name,
            colour: levelColour(i),
            dash: LEVEL_DASHES[i % LEVEL_DASHES.length],
            points: isRatio ? perAccess(points) : points,
        };
    });
    const accesses = of.metric('accesses', 0)?.value;
    const target = of.machine.levels
        .map((level, i) => {
            const misses = of.misses(i, scaling.scope),
                by = isRatio ? accesses : 1;
            return misses
                ? {
                      name: level.name,
                      x: report.n,
                      value: misses.value / by,
                      colour: levelColour(i),
                      low: misses.low === null ? null : misses.low / by,
                      high: misses.high === null ? null : misses.high / by,
                  }
                : null;
        })
        .filter(Boolean);
    return {
        lines,
        target,
        yTitle: isRatio ? 'misses per access' : 'misses, set-associative',
        yText: isRatio ? percentText : countText,
        marks: curves.critical.map(one => ({
            name: of.machine.levels[one.level].name,
            x: one.to,
            colour: levelColour(one.level),
            short: of.machine.levels[one.level].name,
            text: criticalText(one),
        })),
        label: `Misses of each level over ${parameter}; the figures are in the table below`,
    };
}

/** Set-associative misses, unless they are unknown at all sizes. */
function setOrFull(curves, level) {
    return curves.set[level].some(item => item !== null) ? curves.set[level] : curves.full[level];
}

function accessSpec() {
    const { training } = report.model;
    return {
        lines: [
            {
                name: 'accesses',
                colour: 'var(--accent)',
                points: pointsOf(curvesOf().accesses),
                dots: training
                    .filter(one => one.accesses !== null)
                    .map(one => ({ x: one.size, value: one.accesses })),
            },
        ],
        yTitle: 'accesses',
        yText: countText,
        marks: [],
        target: [],
        label: `Accesses over ${parameter}: measured at the training sizes, forecast beyond them`,
    };
}

// ---- critical sizes ----

function criticalText(one) {
    const { levels } = forecast().machine;
    return (
        `${levels[one.level].name}, ${parameter} = ${plainText(one.from)} to ` +
        `${plainText(one.to)}: ` +
        `reuse miss ratio from ${percentText(one.before)} to ${percentText(one.after)}`
    );
}

function criticalTable() {
    const { critical } = curvesOf(),
        { levels } = forecast().machine;
    if (critical.length === 0)
        return element(
            'p',
            { class: 'soft' },
            'No miss ratio jumps or climbs steeply in this range of sizes.',
        );
    return dataTable(
        'Critical sizes, at which a miss ratio (without first touches) jumps or climbs steeply',
        [
            { title: 'Level' },
            { title: 'Up to', number: true },
            { title: 'From', number: true },
            { title: 'Before', number: true },
            { title: 'After', number: true },
            { title: 'Mostly by' },
        ],
        critical.map(one => {
            const scope = scopes.get(one.scope);
            return [
                levels[one.level].name,
                plainText(one.from),
                plainText(one.to),
                percentText(one.before),
                percentText(one.after),
                scope ? scopeLink(scope) : '',
            ];
        }),
    );
}

// ---- all of it ----

const scalingTools = element('div', { class: 'tools' });
const scalingCharts = element('div', { class: 'charts' });
const criticalBox = element('div', { class: 'scroll', tabindex: 0 });
scalingSection.append(scalingTools, scalingCharts, criticalBox);

function drawScaling() {
    const curves = curvesOf();
    if (scaling.scope !== 0 && scopeIndex() < 0) scaling.scope = 0;
    const charts = [
        curves.seconds.length > 0 ? sizeChart('Time', timeSpec) : null,
        sizeChart('Misses', missSpec),
        sizeChart('Accesses', accessSpec),
    ].filter(Boolean);
    const redraw = () => charts.forEach(chart => chart.redraw());
    scalingTools.replaceChildren(
        scopeSelect(
            curves.scopes.map(id => scopes.get(id)),
            scaling.scope,
            id => {
                scaling.scope = id;
                redraw();
            },
        ),
        choice(
            'Misses',
            [
                [false, 'misses'],
                [true, 'per access'],
            ],
            scaling.ratio,
            value => {
                scaling.ratio = value;
                redraw();
            },
        ),
    );
    scalingCharts.replaceChildren(...charts);
    criticalBox.replaceChildren(criticalTable());
}
onChange('machine', drawScaling);
