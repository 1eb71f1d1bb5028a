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

/** heights: [i][j] from 0 to 1. The order of rows and columns from the back follows the turn. */
function drawSurface(context, project, heights, cut) {
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
            context.fillStyle = `rgb(${viridis(mean)
                .map(value => value * light)
                .join(' ')})`;
            context.strokeStyle = `rgb(${viridis(mean)
                .map(value => value * light * 0.86)
                .join(' ')})`;
            context.fill();
            context.stroke();
        }
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

function drawCut(context, points, colour) {
    context.beginPath();
    for (const [px, py] of points) context.lineTo(px, py - 1);
    context.lineWidth = 2.5;
    context.strokeStyle = colour;
    context.stroke();
}
