// A chart of lines over one axis, on d3's scales: axis titles with units, a legend that hides and
// shows lines, exact figures under the pointer or the arrow keys, and a table behind it.

const hasPlots = typeof d3 !== 'undefined';

/** Values at which a logarithmic axis is labelled: as many of 1, 2, 5 as there is room for. */
function logTicks(low, high, room) {
    const decades = Math.log10(high / low);
    const steps = [[1, 1.5, 2, 3, 4, 5, 6, 8], [1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]];
    for (const mantissas of steps) {
        const ticks = [];
        for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
            for (const m of mantissas)
                if (m * 10 ** e >= low * 0.9999 && m * 10 ** e <= high * 1.0001)
                    ticks.push(m * 10 ** e);
        if (ticks.length <= room) return ticks;
    }
    const every = Math.ceil(decades / room);
    return d3
        .range(Math.ceil(Math.log10(low)), Math.log10(high) + 0.001)
        .filter((_, i) => i % every === 0)
        .map(e => 10 ** e);
}

/** Powers of two, for bytes. */
function byteTicks(low, high, room) {
    const first = Math.ceil(Math.log2(low) - 1e-9),
        last = Math.floor(Math.log2(high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / room));
    return d3
        .range(first, last + 1)
        .filter(e => e % every === 0)
        .map(e => 2 ** e);
}

/** The smallest and largest figure that fit a logarithmic axis; six decades at most. */
function logDomain(values) {
    const above = values.filter(value => value > 0 && Number.isFinite(value));
    if (above.length === 0) return [0.1, 1];
    const high = Math.max(...above),
        low = Math.max(Math.min(...above), high * 1e-7);
    return low < high ? [low / 1.15, high * 1.15] : [low / 2, high * 2];
}

/** "10.0 ms" -> "10 ms": ticks are round. */
function shortTick(text) {
    return text.replace(/\.0+(?=\D|$)/, '');
}

/** A frame with axes: gives {svg, plot, x, y, width, height}. axis: {title, domain, ticks, text} */
function drawFrame(host, size, xAxis, yAxis, label) {
    const edge = { left: size.left || 76, right: 16, top: size.top || 12, bottom: 44 };
    const width = size.width - edge.left - edge.right,
        height = size.height - edge.top - edge.bottom;
    const x = (xAxis.linear ? d3.scaleLinear() : d3.scaleLog()).domain(xAxis.domain).range([0, width]).clamp(true);
    const y = (yAxis.linear ? d3.scaleLinear() : d3.scaleLog())
        .domain(yAxis.domain)
        .range([height, 0])
        .clamp(true);
    const plot = svgElement('g', { transform: `translate(${edge.left} ${edge.top})` });
    const svg = svgElement(
        'svg',
        {
            class: 'chart',
            width: size.width,
            height: size.height,
            viewBox: `0 0 ${size.width} ${size.height}`,
            role: 'img',
            tabindex: 0,
            'aria-label': label,
        },
        plot,
    );
    for (const tick of xAxis.ticks(...xAxis.domain, Math.max(3, Math.floor(width / 62))))
        plot.append(
            svgElement('line', { class: 'grid', x1: x(tick), x2: x(tick), y2: height }),
            svgElement(
                'text',
                { class: 'tick', x: x(tick), y: height + 17, 'text-anchor': 'middle' },
                xAxis.text(tick),
            ),
        );
    for (const tick of yAxis.ticks(...yAxis.domain, Math.max(3, Math.floor(height / 34))))
        plot.append(
            svgElement('line', { class: 'grid', x2: width, y1: y(tick), y2: y(tick) }),
            svgElement(
                'text',
                { class: 'tick', x: -8, y: y(tick) + 4, 'text-anchor': 'end' },
                shortTick(yAxis.text(tick)),
            ),
        );
    plot.append(
        svgElement('line', { class: 'axis', x2: width, y1: height, y2: height }),
        svgElement('line', { class: 'axis', y2: height }),
        svgElement(
            'text',
            { class: 'title', x: width / 2, y: height + 37, 'text-anchor': 'middle' },
            xAxis.title,
        ),
        svgElement(
            'text',
            {
                class: 'title',
                transform: `translate(${14 - edge.left} ${height / 2}) rotate(-90)`,
                'text-anchor': 'middle',
            },
            yAxis.title,
        ),
    );
    host.replaceChildren(svg);
    return { svg, plot, x, y, width, height };
}

/** Calls draw(width) now and whenever the host gets another width. */
function drawnToWidth(host, draw) {
    let last = 0;
    const observer = new ResizeObserver(() => {
        const width = Math.floor(host.clientWidth);
        if (width > 0 && width !== last) draw((last = width));
    });
    observer.observe(host);
    return () => {
        if (last > 0) draw(last);
    };
}

/** Lines and their bands. line: {name, colour, dash, points: [{x, value, low, high}], dots} */
function drawLine(frame, line) {
    const { plot, x, y } = frame;
    // What is unknown is a gap, and nothing has no place on a logarithmic axis.
    const isKnown = point => point.value !== null && point.value > 0;
    const isBand = point => isKnown(point) && point.low !== null && point.low !== undefined;
    plot.append(
        svgElement('path', {
            class: 'band',
            fill: line.colour,
            d: d3
                .area()
                .x(p => x(p.x))
                .y0(p => y(Math.max(p.low, y.domain()[0])))
                .y1(p => y(p.high))
                .defined(isBand)(line.points),
        }),
        svgElement('path', {
            class: 'curve',
            stroke: line.colour,
            'stroke-dasharray': line.dash || null,
            d: d3
                .line()
                .x(p => x(p.x))
                .y(p => y(p.value))
                .defined(isKnown)(line.points),
        }),
    );
    for (const dot of line.dots || [])
        if (dot.value > 0)
            plot.append(
                svgElement('circle', {
                    class: 'dot',
                    cx: x(dot.x),
                    cy: y(dot.value),
                    r: 3.6,
                    stroke: line.colour,
                }),
            );
}

/** A line and a tip at the place next to the pointer, or where the arrow keys are; they begin at
 * `at`, an index. places: ascending; tip(index): its lines. */
function followPlaces({ svg, plot, height }, places, at, tip) {
    const hair = svgElement('line', { class: 'hair', y2: height, visibility: 'hidden' });
    plot.append(hair);
    const show = event => {
        hair.setAttribute('visibility', 'visible');
        hair.setAttribute('x1', places[at]);
        hair.setAttribute('x2', places[at]);
        showTip(event, ...tip(at));
    };
    svg.addEventListener('pointermove', event => {
        const wanted = event.clientX - plot.getScreenCTM().e;
        at = d3.scan(places, (a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
        show(event);
    });
    const leave = () => {
        hair.setAttribute('visibility', 'hidden');
        hideTip();
    };
    svg.addEventListener('pointerleave', leave);
    svg.addEventListener('blur', leave);
    svg.addEventListener('keydown', event => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (event.key === 'Escape') leave();
        if (!step) return;
        event.preventDefault();
        at = Math.min(Math.max(at + step, 0), places.length - 1);
        const box = svg.getBoundingClientRect();
        show({ clientX: plot.getScreenCTM().e + places[at], clientY: box.top + 24 });
    });
}

/** The pointer's line, and what all lines are there. */
function followPointer(frame, lines, xText, yText) {
    const xs = [...new Set(lines.flatMap(line => line.points.map(point => point.x)))].sort(
        d3.ascending,
    );
    followPlaces(frame, xs.map(frame.x), xs.length - 1, at => [
        xText(xs[at]),
        ...lines.map(line => {
            const point = line.points.find(one => one.x === xs[at]);
            return point
                ? element(
                      'span',
                      null,
                      element('i', { class: 'swatch', style: `background:${line.colour}` }),
                      `${line.name}: `,
                      point.value === null ? 'unknown' : figureText(point, yText),
                  )
                : null;
        }),
    ]);
}

/** Buttons that hide and show lines; a line is known by its dashes too. */
function lineLegend(lines, hidden, redraw) {
    return element(
        'div',
        { class: 'lines', role: 'group', 'aria-label': 'Lines' },
        lines.map(line =>
            element(
                'button',
                {
                    type: 'button',
                    'aria-pressed': String(!hidden.has(line.name)),
                    onclick: () => {
                        if (!hidden.delete(line.name)) hidden.add(line.name);
                        redraw();
                    },
                },
                svgElement(
                    'svg',
                    { width: 24, height: 8, 'aria-hidden': 'true' },
                    svgElement('line', {
                        x2: 24,
                        y1: 4,
                        y2: 4,
                        class: 'curve',
                        stroke: line.colour,
                        'stroke-dasharray': line.dash || null,
                    }),
                ),
                line.name,
            ),
        ),
    );
}

/** A figure of lines over sizes. spec() gives {lines, yTitle, yText, label, target, marks} whenever
 * it is drawn; target: [{name, x, value, low, high, colour}],
 * marks: [{name, x, text, short, colour}]
 */
function sizeChart(title, spec) {
    const host = element('div', { class: 'plot' }),
        legend = element('div');
    const hidden = new Set();
    const behind = tableBehind(() => sizeTable(title, spec()));
    const figure = element(
        'figure',
        null,
        element('figcaption', null, title),
        legend,
        host,
        behind,
    );
    let redraw = () => {};
    const draw = width => {
        const now = spec(),
            lines = now.lines.filter(line => !hidden.has(line.name));
        legend.replaceChildren(
            now.lines.length > 1 ? lineLegend(now.lines, hidden, () => redraw()) : '',
        );
        const values = lines
            .flatMap(line => line.points.flatMap(p => [p.value, p.high, p.low]))
            .concat(now.target.filter(one => !hidden.has(one.name)).map(one => one.value));
        const sizes = now.lines.flatMap(line => line.points.map(p => p.x));
        const frame = drawFrame(
            host,
            { width, height: 340, top: 22 },
            {
                title: `size ${parameter}`,
                domain: [Math.min(...sizes), Math.max(...sizes)],
                ticks: logTicks,
                text: plainText,
            },
            { title: now.yTitle, domain: logDomain(values), ticks: logTicks, text: now.yText },
            now.label,
        );
        drawSizes(
            frame,
            now.marks.filter(mark => !hidden.has(mark.name)),
        );
        for (const line of lines) drawLine(frame, line);
        for (const one of now.target) if (!hidden.has(one.name)) drawTarget(frame, one);
        followPointer(frame, lines, x => `${parameter} = ${plainText(x)}`, now.yText);
    };
    if (hasPlots) redraw = drawnToWidth(host, draw);
    else behind.open = true;
    figure.redraw = () => {
        redraw();
        behind.refresh();
    };
    return figure;
}

/** Training sizes at the bottom, the size asked about, and critical sizes at the top. */
function drawSizes({ plot, x, height, width }, marks) {
    for (const { size } of report.model.training)
        plot.append(
            svgElement('line', {
                class: 'training',
                x1: x(size),
                x2: x(size),
                y1: height,
                y2: height - 7,
            }),
        );
    plot.append(
        svgElement('line', { class: 'asked', x1: x(report.n), x2: x(report.n), y2: height }),
    );
    let last = -1e9;
    for (const mark of [...marks].sort((a, b) => a.x - b.x)) {
        const at = x(mark.x);
        plot.append(
            svgElement(
                'path',
                { d: `M${at - 4} -8h8l-4 7z`, fill: mark.colour },
                svgElement('title', null, mark.text),
            ),
        );
        const end = at + 12 + 7 * mark.short.length;
        if (at < last || end > width + 16) continue;
        plot.append(svgElement('text', { class: 'tick', x: at + 6, y: -1 }, mark.short));
        last = end;
    }
}

function drawTarget({ plot, x, y }, one) {
    if (!(one.value > 0)) return;
    const at = x(one.x);
    if (one.low !== null && one.low !== undefined)
        plot.append(
            svgElement('line', {
                x1: at,
                x2: at,
                y1: y(Math.max(one.low, y.domain()[0])),
                y2: y(one.high),
                stroke: one.colour,
                'stroke-width': 2,
            }),
        );
    plot.append(
        svgElement('rect', {
            class: 'target',
            x: -4.5,
            y: -4.5,
            width: 9,
            height: 9,
            fill: one.colour,
            transform: `translate(${at} ${y(one.value)}) rotate(45)`,
        }),
    );
}

function sizeTable(title, { lines, yText }) {
    const xs = [...new Set(lines.flatMap(line => line.points.map(p => p.x)))].sort((a, b) => a - b);
    return dataTable(
        title,
        [
            { title: parameter, number: true },
            ...lines.map(line => ({ title: line.name, number: true })),
        ],
        xs.map(x => [
            plainText(x),
            ...lines.map(line => {
                const point = line.points.find(one => one.x === x);
                if (!point || point.value === null) return 'unknown';
                const interval = intervalText(point, yText);
                return interval
                    ? [yText(point.value), element('small', null, interval)]
                    : yText(point.value);
            }),
        ]),
    );
}
