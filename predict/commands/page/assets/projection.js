// A surface over a grid, seen from a point that the reader moves: drawn from back to front on a
// canvas (painter's algorithm), which for a grid is exact.

/** Turns points of the unit cube to the screen. turn, tilt: radians. */
function projection({ turn, tilt, zoom }, width, height) {
    const size = Math.min(width * 0.6, height * 0.68) * zoom;
    const [ct, st, cp, sp] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
    return (x, y, z) => {
        const u = (x - 0.5) * ct - (y - 0.5) * st,
            v = (x - 0.5) * st + (y - 0.5) * ct;
        return [width / 2 + size * u, height * 0.47 + size * (v * sp - (z - 0.5) * 0.72 * cp), v];
    };
}

/** Viridis (van der Walt & Smith), which grows evenly in lightness. */
const VIRIDIS = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];
function viridis(share) {
    const at = Math.min(Math.max(share, 0), 1) * (VIRIDIS.length - 1),
        k = Math.min(Math.floor(at), VIRIDIS.length - 2);
    return VIRIDIS[k].map((value, c) => Math.round(value + (at - k) * (VIRIDIS[k + 1][c] - value)));
}

/** heights: [i][j] from 0 to 1. The order of rows and columns from the back follows the turn.
 * cut: lines to draw on it, or null; colour: of a height, [red, green, blue]. */
function drawSurface(context, project, heights, cut, colour) {
    const rows = heights.length,
        cols = heights[0].length;
    const order = (count, isReversed) => {
        const list = [...Array(count - 1).keys()];
        return isReversed ? list.reverse() : list;
    };
    const depth = (x, y) => project(x, y, 0)[2];
    const is = order(rows, depth(0, 0.5) > depth(1, 0.5)),
        js = order(cols, depth(0.5, 0) > depth(0.5, 1));
    const corner = (i, j) => project(i / (rows - 1), j / (cols - 1), heights[i][j]);
    context.lineWidth = 0.5;
    for (const i of is)
        for (const j of js) {
            const mean =
                (heights[i][j] + heights[i + 1][j] + heights[i][j + 1] + heights[i + 1][j + 1]) / 4;
            const slope = heights[i][j] - heights[i + 1][j + 1],
                light = 1 - Math.min(Math.abs(slope), 0.35);
            context.beginPath();
            for (const [a, b] of [
                [i, j],
                [i + 1, j],
                [i + 1, j + 1],
                [i, j + 1],
            ]) {
                const [px, py] = corner(a, b);
                context.lineTo(px, py);
            }
            context.closePath();
            context.fillStyle = `rgb(${colour(mean)
                .map(value => value * light)
                .join(' ')})`;
            context.strokeStyle = `rgb(${colour(mean)
                .map(value => value * light * 0.86)
                .join(' ')})`;
            context.fill();
            context.stroke();
        }
    if (!cut) return;
    drawCut(
        context,
        cut.along.map((_, k) => corner(cut.i, k)),
        cut.colours[0],
    );
    drawCut(
        context,
        heights.map((_, k) => corner(k, cut.j)),
        cut.colours[1],
    );
}

/** A surface through which another one is seen: lines along both of its directions. */
function drawWires(context, project, heights, colour) {
    const rows = heights.length,
        cols = heights[0].length;
    const corner = (i, j) => project(i / (rows - 1), j / (cols - 1), heights[i][j]);
    const line = points => {
        context.beginPath();
        for (const [px, py] of points) context.lineTo(px, py);
        context.stroke();
    };
    context.lineWidth = 1;
    context.strokeStyle = colour;
    for (let i = 0; i < rows; i += 2) line(heights[i].map((_, j) => corner(i, j)));
    for (let j = 0; j < cols; j += 2) line(heights.map((_, i) => corner(i, j)));
}

/** From blue over grey to vermillion: less, as much, more. */
function diverging(share) {
    const ends = [
        [0, 114, 178],
        [222, 222, 222],
        [213, 94, 0],
    ];
    const at = Math.min(Math.max(share, 0), 1) * 2,
        k = Math.min(Math.floor(at), 1);
    return ends[k].map((value, c) => Math.round(value + (at - k) * (ends[k + 1][c] - value)));
}

function drawCut(context, points, colour) {
    context.beginPath();
    for (const [px, py] of points) context.lineTo(px, py - 1);
    context.lineWidth = 2.5;
    context.strokeStyle = colour;
    context.stroke();
}

/** Dragging, the wheel and keys: turn(dx, dy) in radians, zoom(factor). */
function turnable(canvas, turn, zoom) {
    canvas.addEventListener('pointerdown', event => {
        let { clientX: x, clientY: y } = event;
        const move = next => {
            turn((x - next.clientX) * 0.008, (next.clientY - y) * 0.006);
            ({ clientX: x, clientY: y } = next);
        };
        hideTip();
        addEventListener('pointermove', move);
        addEventListener('pointerup', () => removeEventListener('pointermove', move), {
            once: true,
        });
    });
    canvas.addEventListener(
        'wheel',
        event => {
            event.preventDefault();
            zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
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
        if (event.key in turns) turn(...turns[event.key]);
        else if (event.key === '+' || event.key === '-')
            zoom(event.key === '+' ? 1.15 : 1 / 1.15);
        else return;
        event.preventDefault();
    });
}
