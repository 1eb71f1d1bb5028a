// The run over its accesses: what each of its parts touches and misses, as a strip, and which phase
// it is of. Parts of a phase execute the same code.

const phases = report.phases || null;

/** {from, to, bytes, fresh, phase, misses}: a part from one access to another; fresh: not touched
 * before; misses: in each level of the machine. */
function phaseIntervals() {
    let from = 0;
    return phases.intervals.map(([accesses, blocks, fresh, phase], i) => {
        const interval = {
            from,
            to: from + accesses,
            bytes: blocks * phases.block_bytes,
            fresh: fresh * phases.block_bytes,
            phase,
            misses: phases.misses[state.machine][i],
        };
        from = interval.to;
        return interval;
    });
}

const phaseLevels = () => forecast().machine.levels;

/** Misses per access of a level in these parts. */
function missRatioOf(intervals, level) {
    const sum = of => intervals.reduce((all, one) => all + of(one), 0);
    return sum(one => one.misses[level]) / sum(one => one.to - one.from);
}

/** Where a phase is at work: "sort 61 %, merge 33 %". */
function phasePlaces(index) {
    return phases.phases[index].scopes.map(([id, share], i) => [
        i ? ', ' : '',
        id === 0 ? program : scopeLink(scopes.get(id)),
        ` ${percentText(share)}`,
    ]);
}

function drawPhaseBars(frame, intervals) {
    const { plot, x, y, width: most, height } = frame;
    const STRIP = 12;
    for (const one of intervals) {
        const left = x(one.from),
            width = Math.max(x(one.to) - left - 0.5, 0.5);
        const bar = (bytes, kind) =>
            svgElement('rect', {
                class: kind,
                x: left,
                width,
                y: y(bytes),
                height: height - y(bytes),
            });
        plot.append(
            bar(one.bytes, 'bar'),
            bar(one.fresh, 'bar misses'),
            svgElement('rect', {
                x: left,
                width: width + 0.5,
                y: -STRIP - 4,
                height: STRIP,
                fill: levelColour(one.phase),
            }),
        );
    }
    // Names of phases where they begin and there is room.
    let end = -1;
    intervals.forEach((one, i) => {
        const at = x(one.from);
        if ((i > 0 && intervals[i - 1].phase === one.phase) || at < end) return;
        const name = String(one.phase + 1),
            room = 10 * name.length + 4;
        plot.append(
            svgElement(
                'text',
                { class: 'tick', x: Math.min(at, most - room + 10), y: -STRIP - 8 },
                name,
            ),
        );
        end = at + room;
    });
}

/** The pointer or the arrow keys go from part to part. */
function followIntervals(frame, intervals) {
    const middles = intervals.map(one => (frame.x(one.from) + frame.x(one.to)) / 2);
    followPlaces(frame, middles, -1, at => {
        const one = intervals[at];
        return [
            `accesses ${countText(one.from)} to ${countText(one.to)}: phase ${one.phase + 1}`,
            `touches ${bytesText(one.bytes)}, ${bytesText(one.fresh)} of it for the first time`,
            ...phases.phases[one.phase].scopes
                .slice(0, 2)
                .map(([id, share]) => `${fullName(scopes.get(id))}: ${percentText(share)}`),
        ];
    });
}

/** Six at most, a power of two bytes apart. */
function evenByteTicks(low, high) {
    const step = 2 ** Math.ceil(Math.log2(high / 6));
    return d3.range(low, high, step);
}

/** The axis of both charts. */
function phaseAxis(intervals) {
    return {
        title: 'accesses executed',
        linear: true,
        domain: [0, intervals[intervals.length - 1].to],
        ticks: (low, high, room) => d3.ticks(low, high, Math.min(room, 10)),
        text: countText,
    };
}

function drawPhases(host, width) {
    const intervals = phaseIntervals();
    const frame = drawFrame(
        host,
        { width, height: 260, top: 40 },
        phaseAxis(intervals),
        {
            title: 'memory touched',
            linear: true,
            domain: [0, 1.05 * Math.max(...intervals.map(one => one.bytes), 1)],
            ticks: evenByteTicks,
            text: bytesText,
        },
        'What the program touches over its run, and its phases; the figures are in the tables below',
    );
    drawPhaseBars(frame, intervals);
    followIntervals(frame, intervals);
}

/** A line for each level; where nothing missed it is at the bottom. */
function missLines(intervals, low) {
    return phaseLevels().map((level, i) => ({
        name: level.name,
        colour: levelColour(i),
        dash: LEVEL_DASHES[i % LEVEL_DASHES.length],
        points: intervals.flatMap(one => {
            const ratio = missRatioOf([one], i),
                value = Math.max(ratio, low);
            return [
                { x: one.from, value, ratio },
                { x: one.to, value, ratio },
            ];
        }),
    }));
}

/** The misses per access of each part. */
function drawPhaseMisses(host, legend, hidden, width, redraw) {
    const intervals = phaseIntervals();
    const ratios = phaseLevels().flatMap((_, i) => intervals.map(one => missRatioOf([one], i)));
    const domain = logDomain(ratios),
        all = missLines(intervals, domain[0]),
        lines = all.filter(line => !hidden.has(line.name));
    legend.replaceChildren(lineLegend(all, hidden, redraw));
    const frame = drawFrame(
        host,
        { width, height: 240 },
        phaseAxis(intervals),
        { title: 'misses per access', domain, ticks: logTicks, text: percentText },
        `Misses per access of each level of ${forecast().machine.name} over the run; the figures are in the tables below`,
    );
    for (const line of lines) drawLine(frame, line);
    const middles = intervals.map(one => (frame.x(one.from) + frame.x(one.to)) / 2);
    followPlaces(frame, middles, -1, at => [
        `accesses ${countText(intervals[at].from)} to ${countText(intervals[at].to)}: phase ${intervals[at].phase + 1}`,
        ...lines.map(line =>
            element(
                'span',
                null,
                element('i', { class: 'swatch', style: `background:${line.colour}` }),
                `${line.name}: ${percentText(line.points[2 * at].ratio)}`,
            ),
        ),
    ]);
}

function phaseTable() {
    const intervals = phaseIntervals();
    const all = phases.intervals.reduce((sum, [accesses]) => sum + accesses, 0);
    return dataTable(
        `Phases, their misses per access in the levels of ${forecast().machine.name}, and where they are at work`,
        [
            { title: 'Phase' },
            { title: 'Parts', number: true },
            { title: 'Of accesses', number: true },
            ...phaseLevels().map(level => ({ title: level.name, number: true })),
            { title: 'Where' },
        ],
        phases.phases.map((phase, i) => [
            [
                element('i', { class: 'swatch', style: `background:${levelColour(i)}` }),
                String(i + 1),
            ],
            String(phase.intervals),
            percentText(phase.accesses / all),
            ...phaseLevels().map((_, level) =>
                percentText(
                    missRatioOf(
                        intervals.filter(one => one.phase === i),
                        level,
                    ),
                ),
            ),
            phasePlaces(i),
        ]),
    );
}

function intervalTable() {
    return dataTable(
        `Parts of the run, and their misses in the levels of ${forecast().machine.name}`,
        [
            { title: 'From access', number: true },
            { title: 'To', number: true },
            { title: 'Touches', number: true },
            { title: 'For the first time', number: true },
            { title: 'Phase', number: true },
            ...phaseLevels().map(level => ({ title: level.name, number: true })),
        ],
        phaseIntervals().map(one => [
            countText(one.from),
            countText(one.to),
            bytesText(one.bytes),
            bytesText(one.fresh),
            String(one.phase + 1),
            ...one.misses.map(countText),
        ]),
    );
}

function showPhases() {
    const host = element('div', { class: 'plot' }),
        missHost = element('div', { class: 'plot' }),
        legend = element('div'),
        tables = element('div'),
        behind = tableBehind(intervalTable),
        hidden = new Set();
    const node = section(
        'phases',
        'Phases',
        `The run in ${phases.intervals.length} equal parts: the memory that each touches, in red ` +
            'what no part before it has touched, and what it misses. Parts of one colour above ' +
            'execute the same code.',
    );
    node.append(
        element('figure', null, host),
        element('figure', null, legend, missHost, behind),
        tables,
    );
    let redrawMisses = () => {};
    if (hasPlots) {
        drawnToWidth(host, width => drawPhases(host, width));
        redrawMisses = drawnToWidth(missHost, width =>
            drawPhaseMisses(missHost, legend, hidden, width, () => redrawMisses()),
        );
    } else behind.open = true;
    onChange('machine', () => {
        redrawMisses();
        behind.refresh();
        tables.replaceChildren(scrollRegion('Phases', phaseTable()));
    });
}

if (phases && phases.intervals.length > 0) showPhases();
