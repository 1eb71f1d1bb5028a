// The data that the program touches: variables, heap blocks, stack frames, and who touches them.

function objectName(one) {
    const place = one.file ? `${baseName(one.file)}${one.line ? `:${one.line}` : ''}` : '';
    return [one.name, place ? element('small', null, place) : ''];
}

function objectTable() {
    const { levels } = report.machines[0];
    return dataTable(
        `Data by accesses, with misses on ${report.machines[0].name}`,
        [
            { title: 'Data' },
            { title: 'Kind' },
            { title: 'Size', number: true },
            { title: 'Accesses', number: true },
            ...levels.map(({ name }) => ({ title: name, number: true })),
            { title: 'Touched by' },
        ],
        report.objects.map(one => [
            objectName(one),
            one.blocks > 1 ? `${one.kind}, ${countText(one.blocks)} blocks` : one.kind,
            one.bytes > 0 ? bytesText(one.bytes) : '',
            countText(one.accesses),
            ...one.misses.map(value => (value < 0.5 ? '0' : countText(Math.round(value)))),
            one.scopes
                .slice(0, 3)
                .map(({ scope, accesses }, i) => [
                    i ? ', ' : '',
                    scope === 0 ? program : scopeLink(scopes.get(scope)),
                    ` ${percentText(accesses / one.accesses)}`,
                ]),
        ]),
    );
}

if (report.objects) {
    const table = objectTable();
    table.classList.add('objects');
    section(
        'objects',
        'Data',
        'Variables, blocks of the heap by where they were allocated, frames of routines.',
    ).append(element('div', { class: 'scroll tall', tabindex: 0 }, table));
}
