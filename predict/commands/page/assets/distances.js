// The reuse distances of a group of references over sizes: its touches ordered by distance along
// one axis, sizes along the other, and where the bins of the model part (Marin & Mellor-Crummey
// 2004).

const withDistances = report.references.filter(group => group.distances?.length > 1);
const isMeasuredToo = withDistances.some(group => group.measured);
const distanceSection = optionalSection(
    withDistances.length > 0,
    'distances',
    'Distances',
    'How far apart the touches of a block are that a group of references makes, forecast over ' +
        'sizes: touches that are not first ones are ordered by distance, so that 50 % is the ' +
        'median. Dark lines are where bins of the model part. ' +
        (isMeasuredToo ? 'Dots are what was measured at training sizes. ' : '') +
        'Drag to turn it.',
);
const distanceView = { group: 0, turn: -0.7, tilt: 0.55, zoom: 1 };
const distanceGroup = () => withDistances[distanceView.group];

const distanceCanvas = element('canvas', {
    tabindex: 0,
    role: 'img',
    'aria-label': 'Surface of reuse distances; arrow keys turn it; the table has its figures',
});

/** [[size, distances], ...]: at training sizes. */
const measuredDistances = () => distanceGroup().measured || [];

/** The largest distance of the group, as a power of ten; distances are drawn from 1 to it. */
function distanceDecades() {
    const rows = [...distanceGroup().distances, ...measuredDistances().map(([, row]) => row)];
    const most = Math.max(...rows.flat().map(value => value ?? 0), 1);
    return Math.max(1, Math.ceil(Math.log10(most + 1)));
}

function distanceHeights() {
    const decades = distanceDecades();
    return distanceGroup().distances.map(row =>
        row.map(value => Math.log10((value ?? 0) + 1) / decades),
    );
}

function drawDistanceAxes(context, project) {
    const sizes = report.distance_sizes,
        decades = distanceDecades();
    const front = (x, y) => project(x, y, 0)[2];
    const nearY = front(0.5, 0) > front(0.5, 1) ? 0 : 1,
        nearX = front(0, 0.5) > front(1, 0.5) ? 0 : 1;
    const text = (words, point, align, dx, dy) => {
        const [px, py] = project(...point);
        context.textAlign = align;
        context.fillText(words, px + dx, py + dy);
    };
    const line = (a, b) => {
        context.beginPath();
        for (const point of [a, b]) context.lineTo(...project(...point).slice(0, 2));
        context.stroke();
    };
    context.strokeStyle = themeColour('--rule');
    context.lineWidth = 1;
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = themeColour('--soft');
    const edge = project(0, 1 - nearY, 0)[0] < project(1, 1 - nearY, 0)[0] ? 0 : 1;
    for (let k = 0; k <= decades; k++) {
        line([0, 1 - nearY, k / decades], [1, 1 - nearY, k / decades]);
        line([1 - nearX, 0, k / decades], [1 - nearX, 1, k / decades]);
        text(countText(10 ** k), [edge, 1 - nearY, k / decades], 'right', -8, 4);
    }
    for (const at of [0, 1]) {
        line([0, at, 0], [1, at, 0]);
        line([at, 0, 0], [at, 1, 0]);
    }
    for (let k = 0; k <= 4; k++) {
        const i = Math.round((k / 4) * (sizes.length - 1));
        if (k !== 4 * nearX)
            text(plainText(sizes[i]), [i / (sizes.length - 1), nearY, 0], 'center', 0, 18);
        if (k !== 4 * nearY) text(`${25 * k} %`, [nearX, k / 4, 0], 'center', 0, 18);
    }
    context.fillStyle = themeColour('--text');
    text(`size ${parameter}`, [0.5, nearY, 0], 'center', -30, 40);
    text('touches', [nearX, 0.5, 0], 'center', 30, 40);
    text('distance in blocks', [edge, 1 - nearY, 1], 'left', -8, -14);
}

/** Lines over the surface where a bin begins, as long as each size has as many bins. */
function drawSplits(context, project, heights) {
    const { splits } = distanceGroup(),
        shares = heights[0].length - 1;
    context.lineWidth = 1.6;
    context.strokeStyle = themeColour('--text');
    for (let k = 0; k < splits[0].length; k++) {
        context.beginPath();
        splits.forEach((row, i) => {
            const share = row[k] ?? 1,
                at = Math.min(Math.ceil(share * shares), shares);
            const [px, py] = project(i / (splits.length - 1), share, heights[i][at]);
            context.lineTo(px, py - 1);
        });
        context.stroke();
    }
}

/** Where a size is along its axis, which has equal steps between the sizes of the surface. */
function sizePosition(n) {
    const sizes = report.distance_sizes,
        last = sizes.length - 1;
    const above = sizes.findIndex(size => size >= n);
    if (above <= 0) return above < 0 ? 1 : 0;
    const [low, high] = [sizes[above - 1], sizes[above]];
    return (above - 1 + Math.log(n / low) / Math.log(high / low)) / last;
}

/** Dots at what was measured. */
function drawMeasured(context, project) {
    const decades = distanceDecades();
    context.lineWidth = 1;
    context.strokeStyle = themeColour('--back');
    context.fillStyle = themeColour('--vermillion');
    for (const [n, row] of measuredDistances())
        row.forEach((value, k) => {
            if (value === null || k % 2 !== 0) return;
            const height = Math.log10(value + 1) / decades;
            const [px, py] = project(sizePosition(n), k / (row.length - 1), height);
            context.beginPath();
            context.arc(px, py, 2.8, 0, 2 * Math.PI);
            context.fill();
            context.stroke();
        });
}

function drawDistances() {
    const width = distanceCanvas.clientWidth,
        height = distanceCanvas.clientHeight,
        scale = devicePixelRatio || 1;
    if (width === 0) return;
    distanceCanvas.width = width * scale;
    distanceCanvas.height = height * scale;
    const context = distanceCanvas.getContext('2d');
    context.scale(scale, scale);
    const project = projection(distanceView, width, height),
        heights = distanceHeights();
    drawDistanceAxes(context, project);
    drawSurface(context, project, heights, null, viridis);
    drawSplits(context, project, heights);
    drawMeasured(context, project);
}

function turnDistances(dx, dy) {
    distanceView.turn += dx;
    distanceView.tilt = Math.min(Math.max(distanceView.tilt + dy, 0.12), 1.35);
    drawDistances();
}

function zoomDistances(factor) {
    distanceView.zoom = Math.min(Math.max(distanceView.zoom * factor, 0.6), 4);
    drawDistances();
}

const distanceTable = tableBehind(() => {
    const { distances } = distanceGroup(),
        last = distances[0].length - 1;
    const shares = [0, 0.25, 0.5, 0.75, 0.9, 1];
    return dataTable(
        'Reuse distances in blocks, at shares of the touches that are not first ones',
        [
            { title: parameter, number: true },
            ...shares.map(share => ({ title: percentText(share), number: true })),
        ],
        [
            ...report.distance_sizes.map((n, i) => [plainText(n), distances[i]]),
            ...measuredDistances().map(([n, row]) => [`${plainText(n)}, measured`, row]),
        ].map(([n, row]) => [
            n,
            ...shares.map(share => countText(row[Math.ceil(share * last)])),
        ]),
    );
});

function groupText(group) {
    const scope = scopes.get(group.scope);
    const line = group.line ? `line ${group.line}, ` : '';
    return `${fullName(scope)}: ${line}${strideText(group)}`;
}

if (withDistances.length > 0) {
    distanceSection.append(
        element(
            'div',
            { class: 'tools' },
            selectOf(
                'of',
                withDistances.map((group, i) => [i, groupText(group)]),
                0,
                value => {
                    distanceView.group = Number(value);
                    drawDistances();
                    distanceTable.refresh();
                },
                'distances-group',
            ),
        ),
        hasPlots ? distanceCanvas : '',
        distanceTable,
    );
    turnable(distanceCanvas, turnDistances, zoomDistances);
    if (!hasPlots) distanceTable.open = true;
    new ResizeObserver(drawDistances).observe(distanceCanvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawDistances);
}
