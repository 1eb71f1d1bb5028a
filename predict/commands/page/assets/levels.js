// The caches and TLBs of the machine, and what the program misses in each.

const levelsSection = section(
    'levels',
    'Levels',
    'What the whole program misses in each cache and TLB.',
);

function howText(how) {
    if (measured) return measured.kind === 'trace' ? 'simulated' : 'from reuse distances';
    if (!how.resolved)
        return `guess: train with ${parameter} = ${plainText(how.better_n)} or larger`;
    return {
        synthesis: 'simulated on synthesised accesses',
        footprint: 'all fits: what is touched first',
        histograms: 'from reuse distances',
    }[how.set_by];
}

function geometryText(level) {
    const sets = level.ways * level.block_bytes < level.capacity_bytes;
    return (
        `${bytesText(level.capacity_bytes)}, ` +
        `${level.kind === 'tlb' ? 'pages' : 'lines'} of ${bytesText(level.block_bytes)}, ` +
        (sets ? `${level.ways} ways` : 'fully associative')
    );
}

function levelRow(of, level, i) {
    const misses = of.misses(i, 0),
        full = of.fullMisses(i, 0),
        causes = of.causes(i, 0);
    const cause = name => (causes ? countText(causes[name]) : 'unknown');
    return [
        level.name,
        geometryText(level),
        misses ? countText(misses.value) : 'unknown',
        measured?.kind === 'histograms'
            ? 'none'
            : intervalText(misses, countText) || (misses ? 'exact' : ''),
        percentText(of.missRatio(i, 0)),
        cause('cold'),
        cause('capacity'),
        cause('conflict'),
        full ? countText(full.value) : 'unknown',
        howText(of.data.how?.[i]),
    ];
}

const LEVEL_COLUMNS = [
    { title: 'Level' },
    { title: 'Holds' },
    { title: 'Misses', number: true },
    { title: '95 % interval', number: true },
    { title: 'Per access', number: true },
    { title: 'Cold', number: true },
    { title: 'Capacity', number: true },
    { title: 'Conflict', number: true },
    { title: 'Fully assoc.', number: true },
    { title: 'How it is known' },
];

function drawLevels() {
    const of = forecast();
    const table = dataTable(
        `Misses in the levels of ${of.machine.name}${sizeText() && `, at ${sizeText()}`}`,
        LEVEL_COLUMNS,
        of.machine.levels.map((level, i) => levelRow(of, level, i)),
    );
    table.id = 'levels-table';
    levelsSection.querySelector('.scroll')?.remove();
    levelsSection.append(scrollRegion('Levels', table));
}
onChange('machine', drawLevels);
