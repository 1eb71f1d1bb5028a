// What the page was made from: enough to make it again.

const methodSection = section(
    'method',
    'Method',
    'Enough to make this page again, and to judge it.',
);

function definitions(pairs) {
    return element(
        'dl',
        null,
        pairs
            .filter(([, value]) => value)
            .map(([name, value]) => [element('dt', null, name), element('dd', null, value)]),
    );
}

function trainingTable() {
    const { training } = report.model;
    return dataTable(
        'Traces that the model was learned from',
        [{ title: parameter }, { title: 'Accesses', number: true }, { title: 'Hash of the trace' }],
        training.map(one => [
            plainText(one.size),
            one.accesses === null ? 'not in the file' : countText(one.accesses),
            element('code', null, one.trace),
        ]),
    );
}

function moduleTable() {
    return dataTable(
        'Modules of the program',
        [{ title: 'Module' }, { title: 'Build-id' }, { title: 'Path' }],
        (measured || report.model).modules
            .filter(one => one.name)
            .map(one => [one.name, element('code', null, one.build_id || 'none'), one.path]),
    );
}

function madeFrom() {
    const command = ['Command', element('code', { id: 'command' }, report.command)];
    if (measured)
        return [
            command,
            ['foretrace', report.tool_version],
            [measured.kind === 'trace' ? 'Trace' : 'Histograms', measured.file],
            ['Program', measured.program],
            ['Size', measured.point],
            ['Hash of the trace', element('code', null, measured.trace)],
        ];
    const { model } = report;
    return [
        command,
        ['foretrace', `${report.tool_version}; the model was fitted by ${model.tool_version}`],
        ['Model', `${model.name} in ${model.file}, over ${parameter}`],
        ['Fit', `${model.method}${model.options ? ': ' + model.options : ''}`],
        [
            'Replicas',
            model.replicas === 0
                ? 'none, so there are no intervals'
                : `${model.replicas}, each without some training size: intervals are of 95 %`,
        ],
        [
            'Matched',
            `${percentText(model.matched_share)} of the accesses at the largest ` +
                'training size are in references found at all sizes',
        ],
        ['Blocks', model.block_bytes.map(bytesText).join(', ')],
    ];
}

function drawMethod() {
    const licence = byId('licence').textContent.trim();
    methodSection.append(
        definitions(madeFrom()),
        measured ? '' : element('div', { class: 'scroll', tabindex: 0 }, trainingTable()),
        element(
            'details',
            null,
            element('summary', null, 'Modules and build-ids'),
            element('div', { class: 'scroll', tabindex: 0 }, moduleTable()),
        ),
        licence
            ? element(
                  'details',
                  null,
                  element(
                      'summary',
                      null,
                      'Plots are drawn with d3, of which this page has a copy: its licence',
                  ),
                  element('pre', { class: 'licence' }, licence),
              )
            : element(
                  'p',
                  { class: 'notice' },
                  'foretrace was built without d3 (Debian’s node-d3): ' +
                      'tables stand in the place of plots.',
              ),
    );
}
drawMethod();
