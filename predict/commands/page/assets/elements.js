// Elements from texts. What comes from the program under study is only ever set as text.

/** element('td', {class: 'n'}, 'text', child): null children are left out; on... are listeners. */
function element(name, attributes, ...children) {
    return filled(document.createElement(name), attributes, children);
}

function svgElement(name, attributes, ...children) {
    return filled(
        document.createElementNS('http://www.w3.org/2000/svg', name),
        attributes,
        children,
    );
}

function filled(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
        else node.setAttribute(key, value === true ? '' : value);
    }
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined) node.append(child);
    return node;
}

/** Gives a node these children; those that it has already stay where they are, if their order does. */
function replaceChangedChildren(node, children) {
    const wanted = new Set(children);
    for (const child of [...node.children]) if (!wanted.has(child)) child.remove();
    let at = node.firstElementChild;
    for (const child of children)
        if (child === at) at = at.nextElementSibling;
        else node.insertBefore(child, at);
}

const byId = id => document.getElementById(id);

/** A section of the page with its heading; the menu lists them in the order of their making. */
function section(id, title, lead) {
    const node = element(
        'section',
        { id, 'aria-labelledby': id + '-title' },
        element('h2', { id: id + '-title' }, title),
        lead ? element('p', { class: 'lead' }, lead) : null,
    );
    byId('main').append(node);
    byId('nav').append(element('a', { href: '#' + id }, title));
    return node;
}

/** A section that is in the page only where there is something to show. */
function optionalSection(isThere, id, title, lead) {
    return isThere ? section(id, title, lead) : element('section');
}

/** rows: lists of texts or elements; columns: {title, number} */
function dataTable(caption, columns, rows) {
    return element(
        'table',
        { class: 'data' },
        element('caption', null, caption),
        element(
            'thead',
            null,
            element(
                'tr',
                null,
                columns.map(column =>
                    element(
                        'th',
                        { scope: 'col', class: column.number ? 'number' : null },
                        column.title,
                    ),
                ),
            ),
        ),
        element(
            'tbody',
            null,
            rows.map(row =>
                element(
                    'tr',
                    null,
                    row.map((cell, i) =>
                        element(
                            i === 0 ? 'th' : 'td',
                            {
                                scope: i === 0 ? 'row' : null,
                                class: columns[i].number ? 'number' : null,
                            },
                            cell,
                        ),
                    ),
                ),
            ),
        ),
    );
}

/** A part that is scrolled by itself, also by keyboard. */
function scrollRegion(label, node) {
    return element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label }, node);
}

/** What stands behind a chart, for those who want the figures or do not see the chart. */
function tableBehind(make) {
    const details = element('details', { class: 'behind' }, element('summary', null, 'Figures'));
    const fill = () => {
        if (!details.open) return;
        details.querySelector('.scroll')?.remove();
        details.append(element('div', { class: 'scroll', tabindex: 0 }, make()));
    };
    details.addEventListener('toggle', fill);
    details.refresh = fill;
    return details;
}

/** A row of buttons of which one is pressed. choices: [value, label] */
function choice(label, choices, chosen, change) {
    const group = element('div', { class: 'choice', role: 'group', 'aria-label': label });
    for (const [value, text] of choices)
        group.append(
            element(
                'button',
                {
                    type: 'button',
                    'aria-pressed': String(value === chosen),
                    onclick: event => {
                        for (const button of group.children)
                            button.setAttribute('aria-pressed', 'false');
                        event.currentTarget.setAttribute('aria-pressed', 'true');
                        change(value);
                    },
                },
                text,
            ),
        );
    return group;
}

function selectOf(label, options, chosen, change, id) {
    const select = element(
        'select',
        { id, onchange: () => change(select.value) },
        options.map(([value, text]) =>
            element('option', { value, selected: String(value) === String(chosen) }, text),
        ),
    );
    return element('label', { class: 'pick' }, label + ' ', select);
}

// ---- tooltip ----

function showTip(event, ...lines) {
    const tip = byId('tip');
    tip.replaceChildren(
        ...lines
            .filter(line => line !== null)
            .map((line, i) => element('div', { class: i === 0 ? 'tip-head' : null }, line)),
    );
    tip.hidden = false;
    const box = tip.getBoundingClientRect(),
        gap = 14;
    const x =
        event.clientX + gap + box.width > innerWidth
            ? event.clientX - gap - box.width
            : event.clientX + gap;
    const y =
        event.clientY + gap + box.height > innerHeight
            ? event.clientY - gap - box.height
            : event.clientY + gap;
    tip.style.transform = `translate(${Math.max(x, 4)}px, ${Math.max(y, 4)}px)`;
}

function hideTip() {
    byId('tip').hidden = true;
}
