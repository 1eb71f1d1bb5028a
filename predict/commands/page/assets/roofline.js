// The roofline of Williams et al. (CACM 2009), one roof for each level that delivers data: loops by
// floating-point operations per byte that comes from the level, and per second. A loop's points lie
// on one line; one close to the roof of its colour is limited by that level.

/** Levels that deliver, each with what the level before misses: {name, colour, rate, bytes(id)}. */
function deliveries(of) {
    const clock = of.machine.clock_ghz * 1e9;
    return of.caches.map((cache, i) => {
        const next = of.caches[i + 1],
            speed = next ? next.speed : of.machine.memory_speed;
        const perCycle = speed.vector_bytes_per_cycle || speed.load_bytes_per_cycle;
        return {
            name: next ? next.name : 'memory',
            rate: perCycle ? perCycle * clock : null,
            colour: next ? levelColour(i + 1) : 'var(--vermillion)',
            bytes: id => (of.misses(i, id)?.value ?? 0) * cache.block_bytes,
        };
    });
}

/** Loops that do most of the operations themselves: not those around them. */
function loopsWithOperations(of) {
    const LOOPS_SHOWN = 12,
        flops = id => of.metric('flops', id)?.value ?? 0;
    return shownScopes()
        .filter(scope => {
            const inner = scope.children
                .filter(child => of.has(child.id))
                .reduce((sum, child) => sum + flops(child.id), 0);
            return flops(scope.id) > 0.001 * flops(0) && inner < 0.5 * flops(scope.id);
        })
        .map(scope => ({
            scope,
            flops: flops(scope.id),
            rate: flops(scope.id) / of.seconds(scope.id).value,
        }))
        .sort((a, b) => b.flops - a.flops)
        .slice(0, LOOPS_SHOWN);
}

function rooflinePoints(of) {
    return loopsWithOperations(of).map(loop => ({
        ...loop,
        points: deliveries(of)
            .map(level => ({ level, bytes: level.bytes(loop.scope.id) }))
            .filter(({ bytes }) => bytes >= 64)
            .map(({ level, bytes }) => ({ level, x: loop.flops / bytes })),
    }));
}

const operationRate = value => `${countText(value)}FLOP/s`.replace(/(\d)F/, '$1 F');

function drawRoofs(frame, levels, domain) {
    const { plot, x, y, width } = frame;
    levels
        .filter(level => level.rate)
        .forEach(level => {
            const [low, high] = y.domain();
            const from = Math.max(domain[0], low / level.rate),
                to = Math.min(domain[1], high / level.rate);
            if (from >= to) return;
            plot.append(
                svgElement('line', {
                    class: 'roof',
                    x1: x(from),
                    y1: y(from * level.rate),
                    x2: x(to),
                    y2: y(to * level.rate),
                    stroke: level.colour,
                }),
                svgElement(
                    'text',
                    {
                        class: 'tick',
                        x: Math.min(x(to) + 8, width),
                        y: y(to * level.rate) + (x(to) > width - 110 ? 34 : 12),
                        'text-anchor': x(to) > width - 110 ? 'end' : 'start',
                    },
                    `${level.name}, ${countText(level.rate)}B/s`,
                ),
            );
        });
}

function drawRoofline(host, width) {
    const of = forecast(),
        loops = rooflinePoints(of),
        levels = deliveries(of);
    const xs = loops.flatMap(loop => loop.points.map(point => point.x)),
        rates = loops.map(loop => loop.rate);
    const xDomain = [Math.min(...xs, 0.05) / 2, Math.max(...xs, 10) * 2];
    const yDomain = [
        Math.min(...rates) / 4,
        Math.max(...rates, ...levels.map(level => level.rate ?? 0)) * 2,
    ];
    const frame = drawFrame(
        host,
        { width, height: 380, top: 16, left: 104 },
        {
            title: 'operations per byte from the level (FLOP/B)',
            domain: xDomain,
            ticks: logTicks,
            text: countText,
        },
        { title: 'operations per second', domain: yDomain, ticks: logTicks, text: operationRate },
        'Roofline of the loops; the figures are in the table below',
    );
    drawRoofs(frame, levels, xDomain);
    for (const loop of loops) {
        const height = frame.y(loop.rate);
        const ends = d3.extent(loop.points, point => frame.x(point.x));
        if (loop.points.length > 1)
            frame.plot.append(
                svgElement('line', {
                    class: 'grid',
                    x1: ends[0],
                    x2: ends[1],
                    y1: height,
                    y2: height,
                }),
            );
        for (const point of loop.points)
            frame.plot.append(
                svgElement('circle', {
                    class: 'dot',
                    cx: frame.x(point.x),
                    cy: height,
                    r: 4 + 8 * Math.sqrt(of.share(loop.scope.id) || 0),
                    stroke: point.level.colour,
                    onpointermove: event =>
                        showTip(
                            event,
                            fullName(loop.scope),
                            operationRate(loop.rate),
                            `${countText(point.x)} FLOP/B from ${point.level.name}`,
                        ),
                    onpointerleave: hideTip,
                    onclick: () => selectScope(loop.scope.id, true),
                }),
            );
    }
}

function rooflineTable() {
    const of = forecast(),
        levels = deliveries(of);
    return dataTable(
        'Operations of loops, per second and per byte that comes from each level',
        [
            { title: 'Loop' },
            { title: 'Operations', number: true },
            { title: 'Per second', number: true },
            ...levels.map(level => ({ title: `per byte from ${level.name}`, number: true })),
        ],
        rooflinePoints(of).map(loop => [
            scopeLink(loop.scope),
            countText(loop.flops),
            operationRate(loop.rate),
            ...levels.map(level => {
                const point = loop.points.find(one => one.level.name === level.name);
                return point ? countText(point.x) : '-';
            }),
        ]),
    );
}

const hasRoofs = forecasts.some(
    of =>
        of.data.time &&
        deliveries(of).some(level => level.rate) &&
        (of.metric('flops', 0)?.value ?? 0) > 0,
);
if (hasRoofs) {
    const host = element('div', { class: 'plot' }),
        behind = tableBehind(rooflineTable);
    section(
        'roofline',
        'Roofline',
        'A loop’s circles are on one line, one for each level that its data come from; a ' +
            'circle near the roof of its colour is limited by that level. ' +
            'Larger circles take more of the time.',
    ).append(element('figure', null, host, behind));
    const redraw = hasPlots
        ? drawnToWidth(host, width => forecast().data.time && drawRoofline(host, width))
        : () => {};
    if (!hasPlots) behind.open = true;
    onChange('machine', () => {
        redraw();
        behind.refresh();
    });
}
