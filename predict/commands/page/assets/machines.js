// The machines of the page side by side, the fastest first.

/** Bars with intervals: which is faster, and whether that is certain. */
function timeRanking(ranked) {
    const most = Math.max(...ranked.map(({ time }) => time.high));
    const at = value => `${((100 * value) / most).toFixed(2)}%`;
    return element(
        'table',
        { class: 'ranking', id: 'machines-table' },
        element('caption', { class: 'unseen' }, 'Time by machine'),
        element(
            'thead',
            { class: 'unseen' },
            element(
                'tr',
                null,
                ['machine', 'time', 'interval', 'limited by'].map(title =>
                    element('th', { scope: 'col' }, title),
                ),
            ),
        ),
        element(
            'tbody',
            null,
            ranked.map(({ of, i, time }) =>
                element(
                    'tr',
                    null,
                    element(
                        'th',
                        { scope: 'row' },
                        element(
                            'button',
                            {
                                type: 'button',
                                class: 'plain',
                                onclick: () => {
                                    byId('machine').value = i;
                                    change('machine', i);
                                },
                            },
                            of.machine.name,
                        ),
                        element('small', null, of.machine.description),
                    ),
                    element(
                        'td',
                        { class: 'number' },
                        element('strong', null, secondsText(time.value)),
                        element(
                            'small',
                            null,
                            `${secondsText(time.low)} to ${secondsText(time.high)}`,
                        ),
                    ),
                    element(
                        'td',
                        { class: 'span', 'aria-hidden': 'true' },
                        element('i', { style: `width:${at(time.value)}` }),
                        element('b', {
                            style: `left:${at(time.low)};width:${at(time.high - time.low)}`,
                        }),
                    ),
                    element('td', null, of.limit(slowest(of)?.scope.id ?? 0)),
                ),
            ),
        ),
    );
}

function machineMisses() {
    const names = [...new Set(forecasts.flatMap(of => of.machine.levels.map(level => level.name)))];
    const cell = (of, name) => {
        const i = of.machine.levels.findIndex(level => level.name === name);
        if (i < 0) return '-';
        const misses = of.misses(i, 0);
        return [
            misses ? countText(misses.value) : 'unknown',
            element('small', null, bytesText(of.machine.levels[i].capacity_bytes)),
        ];
    };
    return dataTable(
        'Misses of the program, and what each level holds',
        [{ title: 'Machine' }, ...names.map(title => ({ title, number: true }))],
        forecasts.map(of => [of.machine.name, ...names.map(name => cell(of, name))]),
    );
}

if (report.machines.length > 1) {
    const ranked = forecasts
        .map((of, i) => ({ of, i, time: of.seconds(0) }))
        .filter(({ time }) => time)
        .sort((a, b) => a.time.value - b.time.value);
    const unranked = forecasts.length - ranked.length;
    section(
        'machines',
        'Machines',
        measured
            ? 'What the program misses on each.'
            : 'The fastest first; thin lines are 95 % intervals. ' +
                  'Where they overlap, the order is not certain.',
    ).append(
        ranked.length ? element('div', { class: 'scroll', tabindex: 0 }, timeRanking(ranked)) : '',
        unranked > 0 && !measured
            ? element(
                  'p',
                  { class: 'soft' },
                  `${unranked} of the machine files do not describe the core: ` +
                      'their times have bounds, which section Summary shows.',
              )
            : '',
        element('div', { class: 'scroll', tabindex: 0 }, machineMisses()),
    );
}
