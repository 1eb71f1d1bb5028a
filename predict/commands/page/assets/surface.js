// The miss ratio over the size of the problem and of the cache (Zhong et al. 2007), to be turned
// and zoomed, with two cuts through the point that the reader chooses.

const surfaceSection = section(
    'surface',
    'Surface',
    'The miss ratio of an LRU cache over the problem’s size and the cache’s, without ' +
        'intervals; in sets as sampled, else by chance. ' +
        'Drag to turn it, turn the wheel or press + and - to zoom; the cuts beside it follow the ' +
        'sliders and the pointer.',
);

/** A variant is a block size and ways in a set, of which 0 are all: "0:8". */
const surface = {
    block: 0,
    ways: 0,
    beside: '',
    isDifference: false,
    isReuse: false,
    turn: -0.7,
    tilt: 0.55,
    zoom: 1,
    i: 0,
    j: 0,
};
const surfaceData = () => report.surfaces[surface.block];

function waysText(ways) {
    return ways === 0 ? 'fully associative' : ways === 1 ? 'direct-mapped' : `${ways} ways`;
}

function variantText(block, ways) {
    return `${bytesText(report.surfaces[block].block_bytes)}, ${waysText(ways)}`;
}

/** Ratios of a variant: [size][capacity]. */
function ratiosOf(block, ways) {
    const data = report.surfaces[block];
    if (ways === 0) return surface.isReuse ? data.reuse_miss_ratios : data.miss_ratios;
    const all = data.sets.find(one => one.ways === ways).miss_ratios;
    if (!surface.isReuse) return all;
    return all.map((row, i) => {
        const cold = data.cold_ratios[i];
        return row.map(ratio => (cold < 1 ? Math.max(ratio - cold, 0) / (1 - cold) : 0));
    });
}

const ratiosNow = () => ratiosOf(surface.block, surface.ways);
function ratiosBeside() {
    return surface.beside ? ratiosOf(...surface.beside.split(':').map(Number)) : null;
}

// ---- heights are logarithmic: a ratio of 1 % matters ----

const DECADES = 5;
function heightOf(ratio) {
    return ratio > 0 ? Math.max(0, 1 + Math.log10(ratio) / DECADES) : 0;
}

/** How many times as often the second misses: as often is in the middle. Below the floor of the
 * other scale nothing is told apart. */
const OCTAVES = 4;
function factorHeight(first, second) {
    const floor = 10 ** -DECADES;
    const factor = Math.max(second, floor) / Math.max(first, floor);
    return Math.min(Math.max(0.5 + Math.log2(factor) / (2 * OCTAVES), 0), 1);
}

const isDifference = () => surface.isDifference && surface.beside !== '';

/** Heights of the surface that is drawn in full. */
function heightsNow() {
    const first = ratiosNow(),
        second = ratiosBeside();
    return first.map((row, i) =>
        row.map((ratio, j) =>
            isDifference() ? factorHeight(ratio, second[i][j]) : heightOf(ratio),
        ),
    );
}

/** What is written beside the vertical axis: [height, text]. */
function heightTicks() {
    if (!isDifference())
        return [...Array(DECADES + 1).keys()].map(k => [
            k / DECADES,
            percentText(10 ** (k - DECADES)),
        ]);
    return [...Array(OCTAVES + 1).keys()].map(k => {
        const octaves = 2 * k - OCTAVES;
        return [k / OCTAVES, octaves < 0 ? `1/${2 ** -octaves} ×` : `${2 ** octaves} ×`];
    });
}

const canvas = element('canvas', {
    tabindex: 0,
    role: 'img',
    'aria-label':
        'Surface of miss ratios; arrow keys turn it; the cuts and the table have its figures',
});

function themeColour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function drawSurfaceNow() {
    const width = canvas.clientWidth,
        height = canvas.clientHeight,
        scale = devicePixelRatio || 1;
    if (width === 0) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext('2d');
    context.scale(scale, scale);
    context.clearRect(0, 0, width, height);
    const project = projection(surface, width, height),
        heights = heightsNow(),
        beside = ratiosBeside();
    drawBox(context, project);
    drawSurface(
        context,
        project,
        heights,
        {
            i: surface.i,
            j: surface.j,
            along: heights[0],
            colours: [themeColour('--vermillion'), themeColour('--text')],
        },
        isDifference() ? diverging : viridis,
    );
    if (beside && !isDifference())
        drawWires(
            context,
            project,
            beside.map(row => row.map(heightOf)),
            themeColour('--text'),
        );
    canvas.project = project;
}

/** Edges of the floor and the wall behind, with ticks and titles. */
function drawBox(context, project) {
    const data = surfaceData(),
        sizes = data.sizes,
        capacities = data.capacity_bytes;
    const line = (a, b) => {
        context.beginPath();
        context.moveTo(...project(...a).slice(0, 2));
        context.lineTo(...project(...b).slice(0, 2));
        context.stroke();
    };
    const front = (x, y) => project(x, y, 0)[2];
    const nearY = front(0.5, 0) > front(0.5, 1) ? 0 : 1,
        nearX = front(0, 0.5) > front(1, 0.5) ? 0 : 1;
    context.strokeStyle = themeColour('--rule');
    context.fillStyle = themeColour('--soft');
    context.lineWidth = 1;
    context.font = '12px system-ui, sans-serif';
    for (const [at] of heightTicks()) {
        line([0, 1 - nearY, at], [1, 1 - nearY, at]);
        line([1 - nearX, 0, at], [1 - nearX, 1, at]);
    }
    for (const [a, b] of [
        [
            [0, 0, 0],
            [1, 0, 0],
        ],
        [
            [0, 1, 0],
            [1, 1, 0],
        ],
        [
            [0, 0, 0],
            [0, 1, 0],
        ],
        [
            [1, 0, 0],
            [1, 1, 0],
        ],
    ])
        line(a, b);
    const text = (words, point, align, dx, dy) => {
        const [px, py] = project(...point);
        context.textAlign = align;
        context.fillText(words, px + dx, py + dy);
    };
    const side = x => (project(x, nearY, 0)[0] < project(0.5, 0.5, 0)[0] ? 'right' : 'left');
    for (let k = 0; k <= 4; k++) {
        const i = Math.round((k / 4) * (sizes.length - 1)),
            j = Math.round((k / 4) * (capacities.length - 1));
        if (k !== 4 * nearX)
            text(plainText(sizes[i]), [i / (sizes.length - 1), nearY, 0], 'center', 0, 18);
        if (k !== 4 * nearY)
            text(
                bytesText(capacities[j]),
                [nearX, j / (capacities.length - 1), 0],
                'center',
                0,
                18,
            );
    }
    context.fillStyle = themeColour('--text');
    text(`size ${parameter}`, [0.5, nearY, 0], 'center', side(0.5) === 'right' ? -30 : 30, 40);
    text('capacity', [nearX, 0.5, 0], 'center', 30, 40);
    context.fillStyle = themeColour('--soft');
    const edge = project(0, 1 - nearY, 0)[0] < project(1, 1 - nearY, 0)[0] ? 0 : 1;
    for (const [at, words] of heightTicks()) text(words, [edge, 1 - nearY, at], 'right', -8, 4);
}

// ---- turning ----

function turnBy(dx, dy) {
    surface.turn += dx;
    surface.tilt = Math.min(Math.max(surface.tilt + dy, 0.12), 1.35);
    drawSurfaceNow();
}

function zoomBy(factor) {
    surface.zoom = Math.min(Math.max(surface.zoom * factor, 0.6), 4);
    drawSurfaceNow();
}

turnable(canvas, turnBy, zoomBy);
canvas.addEventListener('pointermove', event => {
    if (event.buttons || !canvas.project) return;
    const box = canvas.getBoundingClientRect();
    const found = nearestOnSurface(event.clientX - box.left, event.clientY - box.top);
    if (!found) return hideTip();
    chooseCut(found.i, found.j);
    const beside = ratiosBeside();
    showTip(
        event,
        percentText(ratiosNow()[found.i][found.j]),
        beside ? `${percentText(beside[found.i][found.j])} beside it` : null,
        `${parameter} = ${plainText(surfaceData().sizes[found.i])}`,
        bytesText(surfaceData().capacity_bytes[found.j]),
    );
});
canvas.addEventListener('pointerleave', hideTip);
/** The grid point nearest to the pointer on the screen; of several the one in front. */
function nearestOnSurface(px, py) {
    const heights = heightsNow(),
        NEAR = 14;
    let best = null;
    heights.forEach((row, i) =>
        row.forEach((height, j) => {
            const [x, y, depth] = canvas.project(
                i / (heights.length - 1),
                j / (row.length - 1),
                height,
            );
            const away = Math.hypot(x - px, y - py);
            if (away < NEAR && (!best || away - depth * 8 < best.rank))
                best = { i, j, rank: away - depth * 8 };
        }),
    );
    return best;
}

// ---- cuts ----

const cutHosts = [element('div', { class: 'plot' }), element('div', { class: 'plot' })];
const cutTitles = [element('figcaption'), element('figcaption')];
const pickers = ['i', 'j'].map(key =>
    element('input', {
        type: 'range',
        min: 0,
        step: 1,
        'aria-label': key === 'i' ? `size ${parameter}` : 'capacity',
        oninput: event =>
            chooseCut(
                key === 'i' ? Number(event.target.value) : surface.i,
                key === 'j' ? Number(event.target.value) : surface.j,
            ),
    }),
);

function chooseCut(i, j) {
    if (i === surface.i && j === surface.j) return;
    surface.i = i;
    surface.j = j;
    drawSurfaceNow();
    redrawCuts.forEach(redraw => redraw());
    sayCuts();
}

function sayCuts() {
    const data = surfaceData();
    pickers[0].max = data.sizes.length - 1;
    pickers[1].max = data.capacity_bytes.length - 1;
    pickers[0].value = surface.i;
    pickers[1].value = surface.j;
    const size = `${parameter} = ${plainText(data.sizes[surface.i])}`,
        bytes = bytesText(data.capacity_bytes[surface.j]);
    pickers[0].setAttribute('aria-valuetext', size);
    pickers[1].setAttribute('aria-valuetext', bytes);
    cutTitles[0].replaceChildren(
        element('i', { class: 'swatch', style: 'background:var(--vermillion)' }),
        `At ${size}, over capacity`,
    );
    cutTitles[1].replaceChildren(
        element('i', { class: 'swatch', style: 'background:var(--text)' }),
        `In ${bytes}, over ${parameter}`,
    );
}

function drawCutPlot(which, width) {
    const data = surfaceData(),
        ratios = ratiosNow(),
        byCapacity = which === 0;
    const xs = byCapacity ? data.capacity_bytes : data.sizes;
    const pointsIn = of =>
        xs.map((x, k) => ({ x, value: byCapacity ? of[surface.i][k] : of[k][surface.j] }));
    const frame = drawFrame(
        cutHosts[which],
        { width, height: 240, top: 34 },
        {
            title: byCapacity ? 'capacity' : `size ${parameter}`,
            domain: [xs[0], xs[xs.length - 1]],
            ticks: byCapacity ? byteTicks : logTicks,
            text: byCapacity ? bytesText : plainText,
        },
        {
            title: 'misses per access',
            domain: [10 ** -DECADES, 1],
            ticks: logTicks,
            text: percentText,
        },
        'A cut through the surface; the figures are in the table below',
    );
    if (byCapacity)
        drawCapacities(
            frame,
            forecast()
                .machine.levels.map((level, i) => ({ level, i }))
                .filter(
                    ({ level }) =>
                        level.block_bytes === data.block_bytes &&
                        level.capacity_bytes <= xs[xs.length - 1],
                ),
        );
    else drawSizes(frame, []);
    const at = xs[byCapacity ? surface.j : surface.i];
    frame.plot.append(
        svgElement('line', { class: 'asked', x1: frame.x(at), x2: frame.x(at), y2: frame.height }),
    );
    const lines = [
        {
            name: variantText(surface.block, surface.ways),
            colour: byCapacity ? 'var(--vermillion)' : 'var(--text)',
            points: pointsIn(ratios),
        },
    ];
    if (surface.beside)
        lines.push({
            name: variantText(...surface.beside.split(':').map(Number)),
            colour: 'var(--accent)',
            dash: '6 3',
            points: pointsIn(ratiosBeside()),
        });
    for (const line of lines) drawLine(frame, line);
    followPointer(
        frame,
        lines,
        byCapacity ? bytesText : n => `${parameter} = ${plainText(n)}`,
        percentText,
    );
}

const redrawCuts = hasPlots
    ? [0, 1].map(which => drawnToWidth(cutHosts[which], width => drawCutPlot(which, width)))
    : [() => {}, () => {}];

// ---- all of it ----

const surfaceTable = tableBehind(() => {
    const data = surfaceData(),
        ratios = ratiosNow(),
        beside = ratiosBeside();
    const js = data.capacity_bytes.map((_, j) => j).filter(j => j % 2 === 0);
    const second = (i, j) => (beside ? element('small', null, percentText(beside[i][j])) : '');
    return dataTable(
        `Miss ratios by size and capacity: blocks of ${variantText(surface.block, surface.ways)}` +
            (beside ? `; below, ${variantText(...surface.beside.split(':').map(Number))}` : ''),
        [
            { title: parameter, number: true },
            ...js.map(j => ({ title: bytesText(data.capacity_bytes[j]), number: true })),
        ],
        data.sizes.map((n, i) => [
            plainText(n),
            ...js.map(j => [percentText(ratios[i][j]), second(i, j)]),
        ]),
    );
});

function redrawSurface() {
    sayCuts();
    drawSurfaceNow();
    redrawCuts.forEach(redraw => redraw());
    surfaceTable.refresh();
}

function startSurface() {
    const data = surfaceData(),
        nearest = (list, value) =>
            list.reduce(
                (best, one, k) =>
                    Math.abs(Math.log(one / value)) < Math.abs(Math.log(list[best] / value))
                        ? k
                        : best,
                0,
            );
    const first = forecast().machine.levels.find(level => level.block_bytes === data.block_bytes);
    surface.i = nearest(data.sizes, report.n);
    surface.j = nearest(data.capacity_bytes, first ? first.capacity_bytes : 32768);
    redrawSurface();
}

const WAYS = [0, ...report.surfaces[0].sets.map(one => one.ways)];
const howBeside = choice(
    'Beside it',
    [
        [false, 'both'],
        [true, 'difference'],
    ],
    false,
    value => {
        surface.isDifference = value;
        redrawSurface();
    },
);
howBeside.hidden = true;

function besideOptions() {
    const variants = report.surfaces.flatMap((_, block) => WAYS.map(ways => [block, ways]));
    return [
        ['', 'nothing'],
        ...variants.map(([block, ways]) => [`${block}:${ways}`, variantText(block, ways)]),
    ];
}

surfaceSection.append(
    element(
        'div',
        { class: 'tools' },
        choice(
            'Blocks',
            report.surfaces.map((data, i) => [i, `blocks of ${bytesText(data.block_bytes)}`]),
            0,
            value => {
                surface.block = value;
                startSurface();
            },
        ),
        choice(
            'Ratio',
            [
                [false, 'all misses'],
                [true, 'without first touches'],
            ],
            false,
            value => {
                surface.isReuse = value;
                redrawSurface();
            },
        ),
        selectOf(
            'in',
            WAYS.map(ways => [ways, waysText(ways)]),
            0,
            value => {
                surface.ways = Number(value);
                redrawSurface();
            },
            'surface-ways',
        ),
        selectOf(
            'beside',
            besideOptions(),
            '',
            value => {
                surface.beside = value;
                howBeside.hidden = value === '';
                redrawSurface();
            },
            'surface-beside',
        ),
        howBeside,
    ),
    hasPlots
        ? element(
              'div',
              { class: 'with-cuts' },
              element(
                  'div',
                  null,
                  canvas,
                  element('label', { class: 'slider' }, `size ${parameter} `, pickers[0]),
                  element('label', { class: 'slider' }, 'capacity ', pickers[1]),
              ),
              element(
                  'div',
                  null,
                  [0, 1].map(which => element('figure', null, cutTitles[which], cutHosts[which])),
              ),
          )
        : null,
    surfaceTable,
);
if (!hasPlots) surfaceTable.open = true;
new ResizeObserver(drawSurfaceNow).observe(canvas);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawSurfaceNow);
onChange('machine', startSurface);
