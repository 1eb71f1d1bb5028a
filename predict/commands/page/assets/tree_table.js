// A table of routines and loops as a tree: sorted by any column, filtered, walked by keyboard. Rows
// are made when they are first shown. In the document are the first ones of those that are shown;
// the others come when the reader gets near, and all of them for paper.
//
// Of an item a page says {id, label, depth, above, children}, of a column {key, title, number,
// rank, value(item), cell(item)}; the cell of column "name" is made here.

const ROWS_AT_ONCE = 150;

/** What is unknown comes last; equals are in the order of their numbers. */
function comparisonBy(valueOf, isDown) {
    const sign = isDown ? -1 : 1;
    return (a, b) => {
        const left = valueOf(a) ?? null,
            right = valueOf(b) ?? null;
        if (left === right) return a.id - b.id;
        if (left === null) return 1;
        if (right === null) return -1;
        return sign * (typeof left === 'string' ? left.localeCompare(right) : left - right);
    };
}

class TreeTable {
    /** page: {caption; view: {sort, down, isFlat}; roots; note(item), small text behind the name;
     * matches(item); isSearch(), whether that is by what the reader looks for; select(id, jump);
     * standIn(column, compare), which may be missing: a function from an item to the one whose
     * place in the order it takes among its siblings} */
    constructor(page) {
        this.page = page;
        this.columns = [];
        this.rows = []; // in order: {item, node, isOpen, isMatch, isShown}; node: null until it is first shown
        this.rowOf = new Map(); // by the item's id
        this.room = ROWS_AT_ONCE; // for so many rows
        this.headRow = element('tr');
        this.body = element('tbody', { onkeydown: event => this.onKey(event) });
        this.table = element(
            'table',
            { class: 'loops', role: 'treegrid', id: 'loops-table' },
            element('caption', { class: 'unseen' }, page.caption),
            element('thead', null, this.headRow),
            this.body,
        );
        this.more = element('button', {
            type: 'button',
            class: 'more',
            id: 'loops-more',
            hidden: true,
            onclick: () => this.makeRoom(this.room + 1),
        });
        this.box = element(
            'div',
            {
                class: 'scroll tall',
                id: 'loops-scroll',
                onscroll: () => {
                    const below = this.box.scrollHeight - this.box.scrollTop - this.box.clientHeight;
                    if (!this.more.hidden && below < 2 * this.box.clientHeight)
                        this.makeRoom(this.room + 1);
                },
            },
            this.table,
            this.more,
        );
        this.count = element('span', { id: 'loops-count', class: 'soft', role: 'status' });
        addEventListener('beforeprint', () => this.makeRoom(this.rows.length));
        onChange('selected', () => this.markSelected());
    }

    /** New figures or columns: all rows are made again, when they are shown. */
    fill(items, columns, isOpenAtFirst) {
        const before = this.rowOf;
        this.columns = columns;
        this.rowOf = new Map(
            items.map(item => [
                item.id,
                {
                    item,
                    node: null,
                    isOpen: before.get(item.id)?.isOpen ?? isOpenAtFirst(item),
                    isMatch: true,
                    isShown: true,
                },
            ]),
        );
        this.drawHead();
        this.order();
    }

    // ---- the order ----

    sortBy(column) {
        const { view } = this.page;
        view.down = view.sort === column.key ? !view.down : Boolean(column.number);
        view.sort = column.key;
        this.drawHead();
        this.order();
        this.headRow.querySelector(`[data-sort="${column.key}"]`).focus();
    }

    drawHead() {
        const { view } = this.page;
        const way = view.down ? 'descending' : 'ascending';
        this.headRow.replaceChildren(
            ...this.columns.map(column =>
                element(
                    'th',
                    {
                        scope: 'col',
                        class: [
                            column.number ? 'number' : '',
                            column.rank ? `rank${column.rank}` : '',
                        ].join(' '),
                        'aria-sort': view.sort === column.key ? way : 'none',
                    },
                    element(
                        'button',
                        {
                            type: 'button',
                            'data-sort': column.key,
                            onclick: () => this.sortBy(column),
                        },
                        column.title,
                    ),
                ),
            ),
        );
    }

    /** Siblings are sorted, so that a loop stays in its routine; in the flat view all are. */
    ordered() {
        const { view, roots, standIn } = this.page;
        const column = this.columns.find(one => one.key === view.sort) || this.columns[0];
        const values = new Map(
            [...this.rowOf.values()].map(({ item }) => [item.id, column.value(item)]),
        );
        const compare = comparisonBy(item => values.get(item.id), view.down);
        if (view.isFlat)
            return [...this.rowOf.values()].sort((a, b) => compare(a.item, b.item));
        const first = standIn ? standIn(column, compare) : item => item;
        const list = [];
        const walk = siblings => {
            const here = siblings.filter(one => this.rowOf.has(one.id));
            for (const item of here.sort((a, b) => compare(first(a), first(b)) || a.id - b.id)) {
                list.push(this.rowOf.get(item.id));
                walk(item.children);
            }
        };
        walk(roots);
        return list;
    }

    order() {
        this.rows = this.ordered();
        this.room = ROWS_AT_ONCE;
        this.table.classList.toggle('flat', this.page.view.isFlat);
        this.filter();
    }

    // ---- what is shown ----

    /** A search shows what matches and what is around it; without one, what is open. */
    filter() {
        const { view, matches } = this.page;
        const isSearch = this.page.isSearch(),
            kept = new Set();
        let count = 0;
        for (const row of this.rows) {
            row.isMatch = matches(row.item);
            if (!row.isMatch) continue;
            count++;
            kept.add(row.item.id);
            for (let up = row.item.above; up && isSearch && !view.isFlat; up = up.above)
                kept.add(up.id);
        }
        for (const row of this.rows) {
            row.isShown = kept.has(row.item.id);
            if (isSearch || view.isFlat) continue;
            for (let up = row.item.above; up && row.isShown; up = up.above)
                row.isShown = this.rowOf.get(up.id).isOpen;
        }
        const all = `${this.rows.length} routines and loops`;
        this.count.textContent = count < this.rows.length ? `${count} of ${all}` : all;
        this.placeRows();
    }

    setOpen(row, isOpen) {
        row.isOpen = isOpen;
        this.filter();
    }

    openAll(isOpen) {
        for (const row of this.rows) row.isOpen = isOpen;
        this.filter();
    }

    hasChildren(item) {
        return item.children.some(child => this.rowOf.has(child.id));
    }

    /** Puts the rows that are shown, as many as there is room for, into the table: what stays does
     * not move, so that it keeps the focus. */
    placeRows() {
        const isSearch = this.page.isSearch(),
            shown = this.rows.filter(row => row.isShown),
            placed = shown.slice(0, this.room);
        for (const row of placed) {
            row.node ||= this.makeNode(row);
            row.node.classList.toggle('dim', isSearch && !row.isMatch);
            if (this.hasChildren(row.item))
                row.node.setAttribute('aria-expanded', String(isSearch || row.isOpen));
        }
        replaceChangedChildren(
            this.body,
            placed.map(row => row.node),
        );
        this.table.setAttribute('aria-rowcount', shown.length + 1);
        placed.forEach((row, i) => row.node.setAttribute('aria-rowindex', i + 2));
        this.more.hidden = placed.length === shown.length;
        this.more.textContent = `${shown.length - placed.length} more rows`;
        this.keepOneTabStop(placed);
    }

    /** Makes room for so many rows, and for some behind them. */
    makeRoom(count) {
        if (count <= this.room) return;
        this.room = count + ROWS_AT_ONCE;
        this.placeRows();
    }

    // ---- rows ----

    nameCell(row) {
        const { item } = row,
            note = this.page.note(item);
        const toggle = this.hasChildren(item)
            ? element('button', {
                  type: 'button',
                  class: 'toggle',
                  tabindex: -1,
                  'aria-label': `loops in ${item.label}`,
                  onclick: event => {
                      event.stopPropagation();
                      this.setOpen(row, !row.isOpen);
                  },
              })
            : element('span', { class: 'toggle' });
        return element(
            'th',
            { scope: 'row', class: 'name', style: `--depth:${item.depth}` },
            toggle,
            element('span', { class: 'label', title: fullName(item) }, item.label),
            note ? element('small', { title: note }, note) : null,
        );
    }

    makeNode(row) {
        const { item } = row;
        return element(
            'tr',
            {
                'data-scope': item.id,
                tabindex: -1,
                'aria-level': item.depth + 1,
                'aria-selected': String(item.id === state.selected),
                class: item.id === state.selected ? 'selected' : null,
                onclick: () => this.page.select(item.id, false),
            },
            this.columns.map(column => {
                if (column.key === 'name') return this.nameCell(row);
                const cell = column.cell(item);
                if (column.rank) cell.classList.add(`rank${column.rank}`);
                return cell;
            }),
        );
    }

    markSelected() {
        for (const [id, { node }] of this.rowOf) {
            if (!node) continue;
            node.classList.toggle('selected', id === state.selected);
            node.setAttribute('aria-selected', String(id === state.selected));
        }
    }

    /** Opens what is around the item and shows it in the pane; `jump`: the pane gets the focus. */
    select(id, jump) {
        for (let up = this.rowOf.get(id)?.item.above; up; up = up.above)
            this.rowOf.get(up.id).isOpen = true;
        history.replaceState(null, '', `#loop=${id}`);
        change('selected', id);
        this.filter();
        this.makeRoom(this.rows.filter(row => row.isShown).findIndex(row => row.item.id === id) + 1);
        if (!jump) return;
        byId('loops').scrollIntoView();
        this.rowOf.get(id)?.node?.scrollIntoView({ block: 'nearest' });
        byId('pane').focus({ preventScroll: innerWidth >= 1300 });
    }

    // ---- keyboard: one row is a tab stop, arrows move it ----

    keepOneTabStop(placed) {
        const stop = placed.find(row => row.item.id === state.selected) || placed[0];
        for (const row of placed) row.node.tabIndex = row === stop ? 0 : -1;
    }

    onKey(event) {
        const row = this.rowOf.get(Number(event.target.dataset?.scope));
        if (!row) return;
        const shown = this.rows.filter(one => one.isShown),
            at = shown.indexOf(row);
        const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 };
        if (event.key in moves) {
            const next = shown[moves[event.key]];
            if (next) {
                this.makeRoom(moves[event.key] + 1);
                row.node.tabIndex = -1;
                next.node.tabIndex = 0;
                next.node.focus();
            }
        } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
            this.setOpen(row, event.key === 'ArrowRight');
        } else if (event.key === 'Enter' || event.key === ' ') {
            this.page.select(row.item.id, true);
        } else {
            return;
        }
        event.preventDefault();
    }

    // ---- around it ----

    /** Buttons for the tools above the table. */
    openChoice() {
        return element(
            'div',
            { class: 'choice' },
            element('button', { type: 'button', onclick: () => this.openAll(true) }, 'open all'),
            element('button', { type: 'button', onclick: () => this.openAll(false) }, 'close all'),
        );
    }

    /** With what stands below it, beside the pane of the selected row. */
    withPane(...below) {
        return element(
            'div',
            { class: 'with-pane' },
            element('div', { class: 'table-side' }, this.box, below),
            element('aside', {
                id: 'pane',
                tabindex: -1,
                'aria-label': 'The selected row in full',
            }),
        );
    }
}
