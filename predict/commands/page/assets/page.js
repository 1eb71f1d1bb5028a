// What all pages do: choices that views follow, the menu, source lines.

/** What the reader has chosen; views listen to changes of it. */
const state = {};
const listeners = {};
function onChange(what, listener) {
    (listeners[what] ||= []).push(listener);
}
function change(what, value) {
    if (state[what] === value) return;
    state[what] = value;
    for (const listener of listeners[what] || []) listener(value);
}

function baseName(path) {
    return path.slice(path.lastIndexOf('/') + 1);
}

/** The menu marks the section at the top of the window. */
function followScrolling() {
    const links = [...byId('nav').children];
    const mark = () => {
        const top = byId('nav').getBoundingClientRect().bottom + 40;
        let current = links[0];
        for (const link of links)
            if (document.querySelector(link.hash).getBoundingClientRect().top <= top)
                current = link;
        for (const link of links)
            if (link === current) link.setAttribute('aria-current', 'true');
            else link.removeAttribute('aria-current');
    };
    addEventListener('scroll', mark, { passive: true });
    mark();
}

/** Columns of blanks that all lines begin with; tabs would not be as wide, so they end it. */
function commonIndent(lines) {
    return Math.min(
        ...lines.filter(text => text.trim()).map(text => /^ */.exec(text)[0].length),
        80,
    );
}

/** What the page has of a file: of one that is called as what all objects have, too. */
function piecesOf(sources, file) {
    return Object.hasOwn(sources, file) ? sources[file] : null;
}

/** The lines of a file from one number to another, as far as the page has them. */
function sourceLines(pieces, from, to) {
    return pieces
        .flatMap(({ first, lines }) => lines.map((text, k) => ({ number: first + k, text })))
        .filter(({ number }) => number >= from && number <= to);
}
