// The miss ratio over the size of the problem and of the cache (Zhong et al. 2007), to be turned
// and zoomed, with two cuts through the point that the reader chooses.

const surfaceSection = section(
    'surface',
    'Surface',
    'The miss ratio of a fully associative LRU cache over the problem’s size and the cache’s, ' +
        'without intervals. ' +
        'Drag to turn it, turn the wheel or press + and - to zoom; the cuts beside it follow the ' +
        'sliders and the pointer.',
);

const surface = { block: 0, isReuse: false, turn: -0.7, tilt: 0.55, zoom: 1, i: 0, j: 0 };
const surfaceData = () => report.surfaces[surface.block];
const ratiosNow = () =>
    surface.isReuse ? surfaceData().reuse_miss_ratios : surfaceData().miss_ratios;

// ---- heights are logarithmic: a ratio of 1 % matters ----

const DECADES = 5;
function heightOf(ratio) {
    return ratio > 0 ? Math.max(0, 1 + Math.log10(ratio) / DECADES) : 0;
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
        heights = ratiosNow().map(row => row.map(heightOf));
    drawBox(context, project);
    drawSurface(context, project, heights, {
        i: surface.i,
        j: surface.j,
        along: heights[0],
        colours: [themeColour('--vermillion'), themeColour('--text')],
    });
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
    for (let k = 0; k <= DECADES; k++) {
        line([0, 1 - nearY, k / DECADES], [1, 1 - nearY, k / DECADES]);
        line([1 - nearX, 0, k / DECADES], [1 - nearX, 1, k / DECADES]);
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
    for (let k = 0; k <= DECADES; k++)
        text(percentText(10 ** (k - DECADES)), [edge, 1 - nearY, k / DECADES], 'right', -8, 4);
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

canvas.addEventListener('pointerdown', event => {
    let { clientX: x, clientY: y } = event;
    const move = next => {
        turnBy((x - next.clientX) * 0.008, (next.clientY - y) * 0.006);
        ({ clientX: x, clientY: y } = next);
    };
    hideTip();
    addEventListener('pointermove', move);
    addEventListener('pointerup', () => removeEventListener('pointermove', move), { once: true });
});
canvas.addEventListener('pointermove', event => {
    if (event.buttons || !canvas.project) return;
    const box = canvas.getBoundingClientRect();
    const found = nearestOnSurface(event.clientX - box.left, event.clientY - box.top);
    if (!found) return hideTip();
    chooseCut(found.i, found.j);
    showTip(
        event,
        percentText(ratiosNow()[found.i][found.j]),
        `${parameter} = ${plainText(surfaceData().sizes[found.i])}`,
        bytesText(surfaceData().capacity_bytes[found.j]),
    );
});
canvas.addEventListener('pointerleave', hideTip);
canvas.addEventListener(
    'wheel',
    event => {
        event.preventDefault();
        zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    },
    { passive: false },
);
canvas.addEventListener('keydown', event => {
    const turns = {
        ArrowLeft: [0.1, 0],
        ArrowRight: [-0.1, 0],
        ArrowUp: [0, -0.08],
        ArrowDown: [0, 0.08],
    };
    if (event.key in turns) turnBy(...turns[event.key]);
    else if (event.key === '+' || event.key === '-') zoomBy(event.key === '+' ? 1.15 : 1 / 1.15);
    else return;
    event.preventDefault();
});

/** The grid point nearest to the pointer on the screen; of several the one in front. */
function nearestOnSurface(px, py) {
    const ratios = ratiosNow(),
        NEAR = 14;
    let best = null;
    ratios.forEach((row, i) =>
        row.forEach((ratio, j) => {
            const [x, y, depth] = canvas.project(
                i / (ratios.length - 1),
                j / (row.length - 1),
                heightOf(ratio),
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
    const points = xs.map((x, k) => ({
        x,
        value: byCapacity ? ratios[surface.i][k] : ratios[k][surface.j],
    }));
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
    const line = {
        name: 'miss ratio',
        colour: byCapacity ? 'var(--vermillion)' : 'var(--text)',
        points,
    };
    drawLine(frame, line);
    followPointer(
        frame,
        [line],
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
        ratios = ratiosNow();
    const js = data.capacity_bytes.map((_, j) => j).filter(j => j % 2 === 0);
    return dataTable(
        'Miss ratios by size and capacity',
        [
            { title: parameter, number: true },
            ...js.map(j => ({ title: bytesText(data.capacity_bytes[j]), number: true })),
        ],
        data.sizes.map((n, i) => [plainText(n), ...js.map(j => percentText(ratios[i][j]))]),
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
