"""Pictures of a page at three widths, compared with where the document says that things are.

Pictures of one machine are not those of another: fonts, their hinting and the browser's version differ.
So no picture is compared with a stored one. Each is compared with the document that it is of: whatever
has text has ink there; and the document is measured: nothing is beyond the window, no text lies on
another one, none is cut off. The pictures stay in the working folder, to be looked at."""

import base64

from browser import check, load

WIDTHS = (360, 800, 1600)
NARROWEST = WIDTHS[:1]
HEIGHT = 900
PICTURE_HEIGHT = 12000  # what is further down is measured, not pictured

# Boxes of text, one a line of it, as far as what scrolls shows them.
MEASURE = """
const LEAST = 3; // pixels that lines of one paragraph, or rows of a table, may share
const isHidden = style => style.overflowX === 'hidden' || style.overflowX === 'clip';
const styles = new Map();
function styleOf(node) {
    if (!styles.has(node)) styles.set(node, getComputedStyle(node));
    return styles.get(node);
}
function clipped(rect, node) {
    let box = { left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom }, isCut = false;
    for (let up = node; up && up !== document.documentElement; up = up.parentElement) {
        const style = styleOf(up);
        if (style.position === 'fixed') break;
        if (style.overflowX === 'visible' || up === document.body) continue;
        if (up instanceof SVGElement) continue;
        const around = up.getBoundingClientRect();
        if (isHidden(style) && style.textOverflow !== 'ellipsis' &&
            (box.left < around.left - 2 || box.right > around.right + 2)) isCut = true;
        box = { left: Math.max(box.left, around.left), right: Math.min(box.right, around.right),
                top: Math.max(box.top, around.top), bottom: Math.min(box.bottom, around.bottom) };
    }
    return { ...box, isCut };
}
function isSeen(node) {
    const style = styleOf(node);
    return node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
        !node.closest('.unseen, .skip, select, script, style, noscript, #tip') && Number(style.opacity) > 0.3;
}
const boxes = [];
const add = (rect, node, text) => {
    const box = clipped(rect, node);
    if (box.right - box.left > 2 && box.bottom - box.top > 2 * LEAST + 2)
        boxes.push({ ...box, text: text.trim().slice(0, 30), node });
};
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let text; (text = walker.nextNode());) {
    const parent = text.parentElement;
    if (!text.data.trim() || !isSeen(parent)) continue;
    if (parent instanceof SVGElement) {
        add(parent.getBoundingClientRect(), parent, text.data);
        continue;
    }
    const range = document.createRange();
    range.setStart(text, text.data.length - text.data.trimStart().length);
    range.setEnd(text, text.data.trimEnd().length);
    for (const rect of range.getClientRects()) add(rect, parent, text.data);
}
for (const control of document.querySelectorAll('input:not([type=range]), select, canvas'))
    if (isSeen(control.parentElement)) add(control.getBoundingClientRect(), control, control.outerHTML);

const name = box => `"${box.text}" at ${Math.round(box.left)},${Math.round(box.top)}`;
const beyond = boxes.filter(box => box.right > innerWidth + 1 || box.left < -1).map(name);
const cut = boxes.filter(box => box.isCut).map(name);
const overlaps = [];
boxes.sort((a, b) => a.top - b.top);
for (let i = 0; i < boxes.length; i++)
    for (let k = i + 1; k < boxes.length && boxes[k].top < boxes[i].bottom - 2 * LEAST; k++) {
        const [a, b] = [boxes[i], boxes[k]];
        if (a.node === b.node || a.node.contains(b.node) || b.node.contains(a.node)) continue;
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (width > LEAST && height > 2 * LEAST) overlaps.push(`${name(a)} and ${name(b)}`);
    }
return { beyond, cut, overlaps, width: document.documentElement.scrollWidth, window: innerWidth,
         height: document.documentElement.scrollHeight,
         boxes: boxes.map(box => [box.left, box.top + scrollY, box.right, box.bottom + scrollY, box.text]) };
"""

# How many boxes have a single colour in the picture, and what stands in them.
COMPARE = """
const [data, boxes, done] = arguments;
const image = new Image();
image.onload = () => {
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    const blank = [];
    let count = 0;
    for (const [left, top, right, bottom, text] of boxes) {
        const box = [left, top, right - left, bottom - top].map(Math.round);
        if (box[1] + box[3] > image.height || box[0] + box[2] > image.width) continue;
        const { data: pixels } = context.getImageData(...box);
        let hasInk = false;
        for (let i = 4; i < pixels.length && !hasInk; i += 4)
            hasInk = Math.abs(pixels[i] - pixels[0]) + Math.abs(pixels[i + 1] - pixels[1]) +
                Math.abs(pixels[i + 2] - pixels[2]) > 60;
        count++;
        if (!hasInk) blank.push(`"${text}" at ${box[0]},${box[1]}`);
    }
    done({ width: image.width, count, blank });
};
image.src = 'data:image/png;base64,' + data;
"""


def settle(driver):
    """Nothing is scrolled, so that nothing sticks over something else."""
    driver.execute_script("""
        for (const node of document.querySelectorAll('.scroll, #pane, nav')) node.scrollTo(0, 0);
        scrollTo(0, 0);""")
    driver.execute_script("return new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")


def check_measure(measured, what):
    check(measured["width"] <= measured["window"] and not measured["beyond"],
          f"{what}: nothing beyond the window {measured['width']} {measured['beyond'][:3]}")
    check(not measured["overlaps"], f"{what}: no text on another one {measured['overlaps'][:3]}")
    check(not measured["cut"], f"{what}: no text cut off {measured['cut'][:3]}")


def take_picture(driver, file_name, width, height):
    """In a window that is as high as the page, so that there is no other layout in the picture. Gives what
    COMPARE does."""
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": min(height, PICTURE_HEIGHT), "deviceScaleFactor": 1, "mobile": False})
    settle(driver)
    boxes = driver.execute_script(MEASURE)["boxes"]
    taken = driver.execute_cdp_cmd("Page.captureScreenshot", {})["data"]
    with open(file_name, "wb") as file:
        file.write(base64.b64decode(taken))
    driver.get("about:blank")
    return driver.execute_async_script(COMPARE, taken, boxes)


def check_layout(driver, name, kind="", prepare=None, widths=WIDTHS):
    """prepare(driver): what is done to the page before; kind: a word for that."""
    for width in widths:
        what = f"{name} {kind} at {width} px".replace("  ", " ")
        load(driver, name, width, HEIGHT)
        if prepare:
            prepare(driver)
        settle(driver)
        measured = driver.execute_script(MEASURE)
        check_measure(measured, what)
        seen = take_picture(driver, f"{name.removesuffix('.html')}{kind}-{width}.png", width, measured["height"])
        check(seen["width"] == width and seen["count"] > 50 and not seen["blank"],
              f"{what}: the picture has ink where the document has text, {seen['count']} times {seen['blank'][:3]}")


def check_faults(driver, name):
    """What is wrong is found: planted faults."""
    def measured_with(style):
        load(driver, name, 800, HEIGHT)
        driver.execute_script("""
            const style = document.createElement('style');
            style.textContent = arguments[0];
            document.head.append(style);""", style)
        settle(driver)
        return driver.execute_script(MEASURE)
    check(measured_with(".answer { margin-left: 600px; white-space: nowrap }")["beyond"], "found: text beyond the window")
    check(measured_with(".answer { margin-top: -20px }")["overlaps"], "found: text on another one")
    check(measured_with(".answer { width: 90px; white-space: nowrap; overflow: hidden }")["cut"], "found: text that is cut off")
    measured = measured_with(".answer { color: transparent } .answer * { color: transparent !important }")
    seen = take_picture(driver, "faults.png", 800, measured["height"])
    check(seen["blank"], "found: text without ink")
