// Reuse distances as a histogram over the capacity that would hold the data in between, with the
// caches of the machine among them, and one capacity that the reader moves.

const hasReuse = report.reuse.length > 0; // traces have none until they are replayed
const reuseSection = optionalSection(
    hasReuse,
    'reuse',
    'Reuse',
    'A touch hits if all that was touched since the last touch of its block fits. Bars right ' +
        'of a ' +
        'capacity miss in a fully associative LRU cache of that size; first touches miss in all.',
);

const reuse = { scope: 0, block: 0, capacity: null };
const reuseData = () => report.reuse[reuse.block];

/** The scope's histogram with the loops inside it: touches, cold ones, misses by capacity. */
const histogramOf = id => histogramIn(reuseData(), id);
function histogramIn(data, id) {
    const count = data.capacity_blocks.length;
    const sum = {
        touches: 0,
        cold: 0,
        misses: new Array(count).fill(0),
        distances: new Array(count).fill(0), // of touches up to the next capacity, or beyond the last one, added up
    };
    for (const one of data.scopes) {
        if (id !== 0 && !isInside(one.scope, id)) continue;
        const misses = k =>
            k < count ? one.misses[Math.min(k, one.misses.length - 1)] : one.cold;
        sum.touches += one.touches;
        sum.cold += one.cold;
        for (let k = 0; k < count; k++) sum.misses[k] += misses(k);
        one.means.forEach((mean, k) => {
            sum.distances[k] += mean * Math.max(misses(k) - misses(k + 1), 0);
        });
    }
    return sum;
}

function capacitiesBytes() {
    const data = reuseData();
    return data.capacity_blocks.map(blocks => blocks * data.block_bytes);
}

function levelsOfBlock() {
    return forecast()
        .machine.levels.map((level, i) => ({ level, i }))
        .filter(({ level }) => level.block_bytes === reuseData().block_bytes);
}

// ---- drawing ----

/** Touches between two capacities, per octave, so that bars of any width compare. */
function barsOf(histogram, capacities) {
    return capacities.map((to, k) => {
        const before = k === 0 ? histogram.touches : histogram.misses[k - 1];
        const from = k === 0 ? to / 2 : capacities[k - 1];
        const touches = Math.max(before - histogram.misses[k], 0);
        return { from, to, touches, density: touches / Math.log2(to / from) };
    });
}

function drawHistogram(host, width) {
    const histogram = histogramOf(reuse.scope),
        capacities = capacitiesBytes();
    const bars = barsOf(histogram, capacities),
        last = capacities[capacities.length - 1];
    const domain = [capacities[0] / 2, last * 1.05];
    const frame = drawFrame(
        host,
        { width, height: 320, top: 44 },
        {
            title: 'capacity that holds the reuse',
            domain,
            ticks: byteTicks,
            text: bytesText,
        },
        {
            title: 'touches per octave',
            linear: true,
            text: countText,
            domain: [0, Math.max(...bars.map(bar => bar.density), 1) * 1.05],
            ticks: (low, high, room) => d3.ticks(low, high, room),
        },
        'Histogram of reuse distances; the figures are in the table below',
    );
    const { plot, x, y, height } = frame;
    for (const bar of bars)
        if (bar.touches > 0)
            plot.append(
                svgElement('rect', {
                    class: bar.to > reuse.capacity ? 'bar misses' : 'bar',
                    x: x(bar.from) + 0.5,
                    width: Math.max(x(bar.to) - x(bar.from) - 1, 1),
                    y: y(bar.density),
                    height: Math.max(height - y(bar.density), 1),
                }),
            );
    drawCapacities(frame, levelsOfBlock());
    drawHandle(frame);
    frame.svg.addEventListener('pointermove', event => {
        const at = x.invert(event.clientX - plot.getScreenCTM().e);
        const bar = bars.find(one => at >= one.from && at < one.to);
        if (bar)
            showTip(
                event,
                `${bytesText(bar.from)} to ${bytesText(bar.to)}`,
                `${countText(bar.touches)} touches`,
                `${percentText(bar.touches / histogram.touches)} of all`,
            );
        else hideTip();
    });
    frame.svg.addEventListener('pointerleave', hideTip);
}

/** Capacities of the machine's levels, labelled in turn on two lines. */
function drawCapacities({ plot, x, height }, levels) {
    levels.forEach(({ level, i }, k) => {
        const at = x(level.capacity_bytes);
        plot.append(
            svgElement('line', {
                class: 'level',
                x1: at,
                x2: at,
                y1: k % 2 ? -22 : -10,
                y2: height,
                stroke: levelColour(i),
                'stroke-dasharray': LEVEL_DASHES[i % LEVEL_DASHES.length] || null,
            }),
            svgElement(
                'text',
                {
                    class: 'tick',
                    x: at + 4,
                    y: k % 2 ? -12 : 0,
                    fill: levelColour(i),
                },
                level.name,
            ),
        );
    });
}

/** The capacity that can be dragged; the slider below does the same for the keyboard. */
function drawHandle({ svg, plot, x, height }) {
    const at = x(reuse.capacity);
    const handle = svgElement(
        'g',
        { class: 'handle', transform: `translate(${at} 0)` },
        svgElement('line', { y1: -30, y2: height }),
        svgElement('path', { d: 'M-8 -42h16v10l-8 8l-8 -8z' }),
    );
    plot.append(handle);
    const drag = event => setCapacity(x.invert(event.clientX - plot.getScreenCTM().e));
    svg.addEventListener('pointerdown', event => {
        event.preventDefault();
        drag(event);
        const move = next => drag(next);
        addEventListener('pointermove', move);
        addEventListener('pointerup', () => removeEventListener('pointermove', move), {
            once: true,
        });
    });
}

// ---- the capacity ----

function nearestIndex(bytes) {
    const capacities = capacitiesBytes();
    let best = 0;
    capacities.forEach((capacity, k) => {
        if (Math.abs(Math.log(capacity / bytes)) < Math.abs(Math.log(capacities[best] / bytes)))
            best = k;
    });
    return best;
}

function setCapacity(bytes) {
    const nearest = capacitiesBytes()[nearestIndex(bytes)];
    if (nearest === reuse.capacity) return;
    reuse.capacity = nearest;
    sayCapacity();
    redrawReuse();
}

const slider = element('input', {
    type: 'range',
    min: 0,
    step: 1,
    'aria-label': 'Capacity',
    oninput: () => setCapacity(capacitiesBytes()[Number(slider.value)]),
});
const verdict = element('p', { class: 'answer small', id: 'reuse-verdict', role: 'status' });

function sayCapacity() {
    const histogram = histogramOf(reuse.scope),
        k = nearestIndex(reuse.capacity);
    const misses = histogram.misses[k];
    const level = levelsOfBlock().find(one => one.level.capacity_bytes === reuse.capacity);
    slider.max = capacitiesBytes().length - 1;
    slider.value = k;
    slider.setAttribute('aria-valuetext', bytesText(reuse.capacity));
    verdict.replaceChildren(
        element('strong', null, bytesText(reuse.capacity)),
        level ? ` (${level.level.name})` : '',
        `, fully associative: `,
        element('strong', null, `${countText(misses)} misses`),
        `, ${percentText(misses / histogram.touches)} of the touches; ` +
            `${countText(histogram.cold)} of them are first touches.`,
        level && forecast().has(reuse.scope) && !forecast().fullMisses(level.i, reuse.scope)
            ? ' A guess: the training sizes do not determine it.'
            : '',
    );
}

// ---- all of it ----

const reuseTools = element('div', { class: 'tools' });
const reuseHost = element('div', { class: 'plot drag' });
const reuseTable = tableBehind(() => {
    const histogram = histogramOf(reuse.scope),
        capacities = capacitiesBytes();
    return dataTable(
        `Reuse of ${fullName(scopes.get(reuse.scope))}`,
        [
            { title: 'Capacity', number: true },
            { title: 'Touches that need it', number: true },
            { title: 'Misses in it', number: true },
            { title: 'Of all touches', number: true },
        ],
        barsOf(histogram, capacities).map((bar, k) => [
            bytesText(bar.to),
            countText(bar.touches),
            countText(histogram.misses[k]),
            percentText(histogram.misses[k] / histogram.touches),
        ]),
    );
});
reuseSection.append(
    reuseTools,
    element(
        'figure',
        null,
        reuseHost,
        element('label', { class: 'slider' }, 'capacity ', slider),
        verdict,
        reuseTable,
    ),
);
let redrawReuse = hasPlots && hasReuse
    ? drawnToWidth(reuseHost, width => drawHistogram(reuseHost, width))
    : () => {};
if (!hasPlots) reuseTable.open = true;

function refreshReuse() {
    const first = levelsOfBlock()[0];
    reuse.capacity = capacitiesBytes()[nearestIndex(first ? first.level.capacity_bytes : 32768)];
    sayCapacity();
    redrawReuse();
    reuseTable.refresh();
}

/** Scopes with the most touches; a selected row is among them, whatever it has. */
function reuseScopes() {
    const list = shownScopes()
        .filter(scope => (forecast().share(scope.id) || 0) >= 0.005)
        .slice(0, 60);
    const selected = scopes.get(state.selected);
    if (selected && !list.includes(selected)) list.push(selected);
    return list;
}

function drawReuse() {
    reuseTools.replaceChildren(
        scopeSelect(reuseScopes(), reuse.scope, id => {
            reuse.scope = id;
            refreshReuse();
        }),
        choice(
            'Blocks',
            report.reuse.map((data, i) => [i, `blocks of ${bytesText(data.block_bytes)}`]),
            reuse.block,
            value => {
                reuse.block = value;
                refreshReuse();
            },
        ),
    );
    refreshReuse();
}
if (hasReuse) onChange('machine', drawReuse);
