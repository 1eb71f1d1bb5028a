// Which machine is shown, which section the menu marks, and the first drawing.

byId('brand').append(element('b', null, program), ' ', element('span', null, sizeText()));

function chooseMachine() {
    if (report.machines.length < 2) return;
    byId('machine-pick').hidden = false;
    report.machines.forEach((machine, i) =>
        byId('machine').append(element('option', { value: i }, machine.name)),
    );
    byId('machine').addEventListener('change', event =>
        change('machine', Number(event.target.value)),
    );
}

function openHash() {
    const [, id] = /^#loop=(\d+)$/.exec(location.hash) || [];
    if (id !== undefined && forecast().has(Number(id))) selectScope(Number(id), true);
}

chooseMachine();
for (const draw of listeners.machine) draw(0);
change('selected', hottest(forecast()));
followScrolling();
openHash();
addEventListener('hashchange', openHash);
document.documentElement.dataset.ready = 'true';
