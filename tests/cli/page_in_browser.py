#!/usr/bin/python3
"""Drives headless Chromium over the pages in the working folder (page.html, sides.html, pairs.html,
old-*.html...), and prints a line for each check: 0 or 1, and what holds. Called by tests/cli/page."""

import glob
import json
import os
import re
import sys

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import (check, document_of, is_ready, load, make_all_rows, open_all_rows, press, rows_of, says_nothing,
                     select, start, value_of, wait_for_events)
from page_layout import NARROWEST, WIDTHS, check_faults, check_layout


def agrees(text, value):
    """Three digits of it, two below 1; what is below 0.01 is shown as that."""
    if value is None:
        return text == "unknown"
    if text.startswith("<"):
        return 0 < value < value_of(text)
    return abs(value_of(text) - value) <= (0.0051 if value >= 1 else 0.051) * abs(value)


def misses_of(level):
    """Set-associative, or fully associative where these are unknown."""
    sets = level["predicted_set_associative"]
    return level["predicted_fully_associative"] if sets is None else sets


def check_figures(driver, forecast, machine):
    """Time and misses of every loop are those of `predict --json`."""
    open_all_rows(driver)
    rows, loops = rows_of(driver), forecast["loops"]
    levels = [level["name"] for level in forecast["total"]["levels"]]
    heads = driver.execute_script(
        "return [...document.querySelectorAll('#loops-table thead th')].map(head => head.textContent)")
    check(len(rows) == len(loops) > 5, f"{machine}: as many rows as loops, {len(rows)} of {len(loops)}")
    wrong, time = [], heads.index("Time")
    # Both lists by name and time: loops of one name may have the same time.
    rows.sort(key=lambda row: (row[1], -value_of(row[1 + time])))
    loops.sort(key=lambda loop: (loop["name"], -loop["seconds"]))
    for row, loop in zip(rows, loops):
        cells = row[1:]
        if not agrees(cells[time], loop["seconds"]):
            wrong.append((cells[0], "time", cells[time], loop["seconds"]))
        for name, level in zip(levels, loop["levels"]):
            expected = misses_of(level)
            if not agrees(cells[heads.index(name)], expected):
                wrong.append((cells[0], name, cells[heads.index(name)], expected))
    check(not wrong, f"{machine}: figures of all rows are those of predict {wrong[:3]}")
    total = driver.execute_script("""
        return [...document.querySelectorAll('#levels-table tbody tr')].map(row => row.cells[2].textContent)""")
    check(all(agrees(text, misses_of(level))
              for text, level in zip(total, forecast["total"]["levels"])),
          f"{machine}: the levels' misses {total}")
    head = driver.find_element(By.CSS_SELECTOR, "#summary .tile .figure").text
    check(agrees(head, forecast["total"]["seconds"]), f"{machine}: the time in the head is {head}")


def shown_rows(driver):
    """Those that are not in the document yet too."""
    return int(driver.find_element(By.ID, "loops-table").get_attribute("aria-rowcount"))


def check_order(driver):
    """Each column sorts siblings, both ways, and says so."""
    press(driver, "flat")
    for key in ("name", "time", "level0", "limit", "accesses"):
        column = driver.execute_script(
            "return [...document.querySelectorAll('#loops-table thead button')].findIndex(one => one.dataset.sort === arguments[0])", key)
        for _ in range(2):
            driver.execute_script("document.querySelectorAll('#loops-table thead button')[arguments[0]].click()", column)
            make_all_rows(driver)
            way = driver.execute_script(
                "return document.querySelectorAll('#loops-table thead th')[arguments[0]].getAttribute('aria-sort')", column)
            cells = [row[1 + column] for row in rows_of(driver)]
            if key in ("name", "limit"):
                values = driver.execute_script("""
                    return arguments[0].slice(1).every((text, i) =>
                        arguments[1] * arguments[0][i].localeCompare(text) <= 0);""",
                    cells, 1 if way == "ascending" else -1)
                check(values, f"sorted by {key}, {way}")
            else:
                known = [value_of(text) for text in cells if text != "unknown"]
                check(known == sorted(known, reverse=way == "descending") and
                      cells[:len(known)].count("unknown") == 0, f"sorted by {key}, {way}: {cells[:4]}")
    press(driver, "tree")


def check_filter(driver):
    field = driver.find_element(By.ID, "loops-filter")
    field.send_keys("multiply")
    names = [row[1] for row in rows_of(driver)]
    check(names and "multiply" in names[0] and len(names) < 5, f"filtered by name: {names}")
    field.clear()
    field.send_keys("matmul.c:2")
    lines = [row[1] for row in rows_of(driver)]
    check(any("matmul.c:2" in line for line in lines) or lines, f"filtered by file: {lines[:4]}")
    field.clear()
    field.send_keys("no such loop", Keys.TAB)
    check(rows_of(driver) == [], "a filter that nothing matches")
    field.clear()
    field.send_keys(" ", Keys.BACKSPACE)


def check_keyboard(driver):
    """Arrows move and open rows, Enter shows the pane."""
    while driver.execute_script("""
            document.querySelector('#loops-table [data-sort=time]').click();
            return document.querySelector('#loops-table [data-sort=time]').closest('th').getAttribute('aria-sort')""") != "descending":
        pass
    press(driver, "close all")
    before = shown_rows(driver)
    driver.execute_script("document.querySelector('#loops-table tbody tr:not([hidden])').focus()")
    row = driver.switch_to.active_element
    row.send_keys(Keys.HOME)
    driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    check(shown_rows(driver) > before, "the right arrow opens a row")
    driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    second = driver.switch_to.active_element
    second.send_keys(Keys.ENTER)
    check(driver.switch_to.active_element.get_attribute("id") == "pane", "Enter goes to the pane")
    scope = second.get_attribute("data-scope")
    check(driver.current_url.endswith(f"#loop={scope}"), "the address names the loop")
    check("matmul.c" in driver.find_element(By.ID, "pane").text, "the pane shows it")


def check_pane(driver):
    """The hottest loop's source, with the misses of its line in the margin."""
    driver.execute_script("document.querySelector('.answer a').click()")
    source = driver.find_elements(By.CSS_SELECTOR, "#pane .source tbody tr")
    marked = [row.text for row in source if re.match(r"^[\d.]+ [kMG]?", row.text) and "sum += " in row.text]
    check(marked, f"source lines with misses {[row.text for row in source][:3]}")
    check(driver.find_elements(By.CSS_SELECTOR, "#pane .spark rect"), "references with histograms")


def routine_named(data, name):
    return next(scope["id"] for scope in data["scopes"] if scope["kind"] == "routine" and scope["name"].startswith(name))


def blocks_of(data, routine):
    """Code of a routine and the loops in it."""
    above = {scope["id"]: scope["parent"] for scope in data["scopes"]}

    def is_inside(scope):
        while scope is not None and scope != routine:
            scope = above.get(scope)
        return scope == routine
    return [block for block in data["code"]["blocks"] if is_inside(block["scope"])]


def check_code(driver):
    """The code behind the pane's button: instructions are those of structure --code, and what their
    references do, added up, is what the routine does."""
    load(driver, "of-trace.html")
    data = document_of(driver)
    routine = routine_named(data, "multiply")
    load(driver, f"of-trace.html#loop={routine}")
    summary = driver.find_element(By.CSS_SELECTOR, "#pane .machine-code summary")
    check("instructions in" in summary.text and not driver.find_elements(By.CSS_SELECTOR, "#pane .instructions"),
          f"code is behind a button: {summary.text}")
    summary.send_keys(Keys.ENTER)
    wait_for_events(driver)
    shown = [re.split(r"\s+", text.strip(), maxsplit=1) for text in driver.execute_script("""
        return [...document.querySelectorAll('#pane .instructions tbody tr:not(.block)')]
            .map(row => `${row.cells[0].textContent} ${row.cells[1].textContent}`)""")]
    with open("multiply.txt", encoding="utf-8") as lines:
        listed = [re.match(r"    0x0*([0-9a-f]+)  (.*?)(?:  +\S+:\d+)?$", line) for line in lines]
    expected = [["0x" + match.group(1), match.group(2).strip()] for match in listed if match]
    check(shown == expected and len(shown) > 10, f"instructions are those of structure: {shown[:2]} {expected[:2]}")
    references = [item for block in blocks_of(data, routine) for one in block["instructions"] for item in one[2:]]
    row = data["forecasts"][0]["scopes"].index(routine)
    sums = [sum(item[4] for item in references), sum(item[5] for item in references)]
    wanted = [data["forecasts"][0]["accesses"][row], data["forecasts"][0]["levels"][0]["set"][row]]
    check(sums == wanted, f"accesses and misses of instructions are those of the routine: {sums}")
    check(driver.find_elements(By.CSS_SELECTOR, "#pane .machine-code .scroll[tabindex='0'][role=region]"),
          "the code can be scrolled by keyboard")
    driver.execute_script("document.querySelectorAll('#loops-table tbody tr')[0].click()")
    check(driver.find_elements(By.CSS_SELECTOR, "#pane .machine-code[open] table"), "code stays open from row to row")
    load(driver, "of-trace.html")
    check(driver.execute_script("return document.querySelectorAll('.machine-code').length") <= 1, "one button")


def check_code_of_model(driver):
    """At a training size a model's instructions access as often as those of its histograms."""
    def references(name):
        load(driver, name)
        data = document_of(driver)
        found = {}
        for block in blocks_of(data, routine_named(data, "multiply")):
            at = block["offset"]
            for length, _, *items in block["instructions"]:
                found.update({(at, i): item for i, item in enumerate(items)})
                at += length
        return found
    of_model, counted = references("model-48.html"), references("of-histograms.html")
    known = {key: item for key, item in of_model.items() if item[4] is not None and item[3] == 1}
    wrong = [(item, counted[key]) for key, item in known.items()
             if abs(item[4] - counted[key][4]) > 0.001 * counted[key][4]]
    weight = sum(counted[key][4] for key in known) / sum(item[4] for item in counted.values())
    check(not wrong and weight > 0.5, f"instructions of a model: {weight:.0%} of the accesses are known {wrong[:2]}")


def check_plots(driver):
    curves = driver.execute_script(
        "return [...document.querySelectorAll('#scaling .plot')].map(plot => plot.querySelectorAll('path.curve').length)")
    check(len(curves) == 3 and curves[0] == 1 and curves[1] >= 4, f"curves over sizes: {curves}")
    titles = driver.execute_script(
        "return [...document.querySelectorAll('svg.chart')].map(chart => chart.querySelectorAll('text.title').length)")
    check(len(titles) >= 6 and all(count == 2 for count in titles), f"each axis has a title: {titles}")
    driver.execute_script("document.querySelectorAll('#scaling details.behind').forEach(one => { one.open = true; })")
    wait_for_events(driver)
    check(driver.execute_script("return document.querySelectorAll('#scaling details.behind table').length") == 3,
          "a table behind each plot")
    chart = driver.find_element(By.CSS_SELECTOR, "#scaling svg.chart")
    chart.send_keys(Keys.ARROW_LEFT)
    tip = driver.find_element(By.ID, "tip").text
    check("N = " in tip and "time: " in tip, f"arrow keys show figures: {tip!r}")
    chart.send_keys(Keys.ESCAPE)
    verdict = driver.find_element(By.ID, "reuse-verdict")
    before = verdict.text
    driver.find_element(By.CSS_SELECTOR, "#reuse input[type=range]").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    check(verdict.text != before, f"the capacity moves: {verdict.text}")
    pixels = "return document.querySelector('canvas').toDataURL().length + ':' + document.querySelector('canvas').toDataURL().slice(-4000)"
    first = driver.execute_script(pixels)
    driver.find_element(By.TAG_NAME, "canvas").send_keys(Keys.ARROW_LEFT)
    second = driver.execute_script(pixels)
    driver.find_element(By.TAG_NAME, "canvas").send_keys("+")
    check(first != second != driver.execute_script(pixels), "the surface turns and zooms")
    cut = "return document.querySelector('#surface figcaption').textContent"
    before = driver.execute_script(cut)
    driver.find_element(By.CSS_SELECTOR, "#surface input[type=range]").send_keys(Keys.ARROW_LEFT)
    check(driver.execute_script(cut) != before, "a cut follows its slider")


def check_miss_of_level(driver, forecast):
    """What section Reuse says of L1D is what predict says of it."""
    driver.execute_script("const select = document.querySelector('#reuse select'); select.value = 0;"
                          "select.dispatchEvent(new Event('change'))")
    text = driver.find_element(By.ID, "reuse-verdict").text
    level = forecast["total"]["levels"][0]
    match = re.search(r"fully associative: ([\d.]+ ?[kMG]?) misses", text)
    check("L1D" in text and match and abs(value_of(match.group(1)) / level["predicted_fully_associative"] - 1) < 0.02,
          f"reuse of L1D: {text}")


def check_widths(driver, name):
    for width in WIDTHS:
        load(driver, name, width, 900)
        box = driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        check(box[0] <= box[1], f"{name}: nothing beyond the window at {width} px: {box}")


def check_reader(driver):
    """What a screen reader needs."""
    unnamed = driver.execute_script("""
        return [...document.querySelectorAll('button, input, select, canvas, svg[role=img]')].filter(node =>
            !node.textContent.trim() && !node.getAttribute('aria-label') && !node.closest('label') &&
            !node.labels?.length).map(node => node.outerHTML.slice(0, 80))""")
    check(unnamed == [], f"controls have names {unnamed[:3]}")
    check(driver.execute_script("return [...document.querySelectorAll('table')].filter(table => "
                                "!table.caption && !table.closest('.tile')).length") == 0, "tables have captions")
    check(driver.execute_script("return document.querySelectorAll('h1').length") == 1, "one heading of the page")


def check_dark(driver):
    load(driver, "page.html")
    back = "return getComputedStyle(document.body).backgroundColor"
    light = driver.execute_script(back)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                           {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    check(driver.execute_script(back) != light, "dark where the reader wants it")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def check_page(driver, reports):
    load(driver, "page.html")
    check(is_ready(driver), "the script ran to its end")
    check(driver.find_elements(By.CSS_SELECTOR, "img, iframe, object") == [], "no element comes from a name")
    check(driver.find_element(By.TAG_NAME, "h1").text.startswith("script><img src=x "), "the name is a text: "
          + driver.find_element(By.TAG_NAME, "h1").text)
    check_figures(driver, reports[0], "the first machine")
    check_order(driver)
    check_filter(driver)
    check_keyboard(driver)
    check_pane(driver)
    if driver.execute_script("return typeof d3") != "undefined":
        check_plots(driver)
    check_miss_of_level(driver, reports[0])
    check_reader(driver)
    driver.execute_script("const select = document.getElementById('machine'); select.value = 1;"
                          "select.dispatchEvent(new Event('change'))")
    check_figures(driver, reports[1], "the second machine")
    check(len(driver.find_elements(By.CSS_SELECTOR, "#machines-table tbody tr")) == 2, "machines side by side")
    says_nothing(driver, "page.html")


def check_roofline(driver):
    load(driver, "roof.html")
    if driver.execute_script("return typeof d3") != "undefined":
        drawn = driver.execute_script("""
            return ['line.roof', 'circle.dot'].map(what => document.querySelectorAll('#roofline ' + what).length)""")
        check(drawn[0] == 3 and drawn[1] >= 2, f"roofs, and loops below them: {drawn}")
    says_nothing(driver, "roof.html")


def cells_of(driver):
    return [cells for _, *cells in rows_of(driver)]


def is_percent(text, percent):
    """Two digits of it."""
    number = text.removesuffix(" %")
    if number.startswith("<"):
        return 0 < percent < 1e-4
    return abs(float(number) - percent) <= (0.051 if percent >= 0.01 else 0.51) * percent


def check_phase_figures(driver, name, machine, expected):
    """Parts of the run touch and miss what `footprint --machine` says, phases have their sums."""
    def cells(selector):
        return driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(row => [...row.cells].map(cell => cell.textContent))", selector)
    driver.execute_script("document.querySelector('#phases details.behind').open = true")
    wait_for_events(driver)
    document = document_of(driver)["phases"]
    parts = [(*part, *misses) for part, misses in zip(document["intervals"], document["misses"][machine])]
    wanted = [(part["accesses"], part["distinct_blocks"][0], part["new_blocks"][0], part["phase"] - 1, *part["misses"])
              for part in expected["intervals"]]
    check(parts == wanted and len(parts) > 60, f"{name}: {len(parts)} parts of the run are those of footprint")
    shown = cells('#phases details.behind tbody tr')
    wrong = [(row, part["misses"]) for row, part in zip(shown, expected["intervals"])
             if not all(agrees(text, misses) for text, misses in zip(row[5:], part["misses"]))]
    check(len(shown) == len(parts) and not wrong, f"{name}: so says the table {wrong[:2]}")
    phases = cells('#phases .scroll[role=region] tbody tr')
    levels = len(expected["levels"])
    wrong = [(row, phase["misses"]) for row, phase in zip(phases, expected["phases"])
             if not all(is_percent(text, 100 * misses / phase["accesses"])
                        for text, misses in zip(row[3:3 + levels], phase["misses"]))]
    check(len(phases) == len(expected["phases"]) > 1 and not wrong,
          f"{name}: misses per access of {len(phases)} phases in {levels} levels {wrong[:2]}")


def check_phases(driver):
    """What the run touches and misses over time, on each machine; where a phase is at work leads there."""
    expected = []
    for number in range(2):
        with open(f"footprint-{number}.json", encoding="utf-8") as text:
            expected.append(json.load(text))
    load(driver, "phases.html")
    check_phase_figures(driver, "the first machine", 0, expected[0])
    driver.execute_script("const select = document.getElementById('machine'); select.value = 1;"
                          "select.dispatchEvent(new Event('change'))")
    check_phase_figures(driver, "the second machine", 1, expected[1])
    says_nothing(driver, "phases.html")
    load(driver, "of-trace.html")
    check_phase_figures(driver, "one machine", 0, expected[1])
    parts = document_of(driver)["phases"]["intervals"]
    if driver.execute_script("return typeof d3") != "undefined":
        bars = driver.execute_script("return document.querySelectorAll('#phases svg rect').length")
        check(bars == 3 * len(parts), f"three marks for each part: {bars}")
        charts = driver.find_elements(By.CSS_SELECTOR, "#phases svg.chart")
        for chart, what in zip(charts, ("touches", "L1D: ")):
            chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
            tip = driver.find_element(By.ID, "tip").text
            begin = re.match(r"accesses ([\d.]+ ?\w?) to ", tip)
            check(begin and agrees(begin.group(1), parts[0][0]) and what in tip and
                  f": phase {parts[1][3] + 1}\n" in tip, f"arrow keys show the second part: {tip!r}")
            chart.send_keys(Keys.ESCAPE)
        check(len(charts) == 2, "two charts")
    links = driver.find_elements(By.CSS_SELECTOR, "#phases table a")
    wanted = next(link for link in links if "multiply" in link.text)
    wanted.send_keys(Keys.ENTER)
    check("matmul.c:" in driver.find_element(By.CSS_SELECTOR, "#pane h3").text, "a phase leads to its loop")
    load(driver, "of-histograms.html")
    check(not driver.find_elements(By.ID, "phases"), "histograms have no phases")


def set_what(driver, label, value):
    """A control of section What if."""
    driver.execute_script("""
        const control = document.querySelector(`#whatif [data-what="${arguments[0]}"]`);
        control.value = arguments[1];
        control.dispatchEvent(new Event('change'));""", label, str(value))


def change_machine(driver, levels, to):
    """Into another machine of the document, with levels alike."""
    for level, other in zip(levels, to["levels"]):
        name, blocks = level["name"], other["capacity_bytes"] // other["block_bytes"]
        set_what(driver, f"{name} capacity", other["capacity_bytes"])
        set_what(driver, f"{name} line", other["block_bytes"])
        set_what(driver, f"{name} ways", min(other["ways"], blocks))
        if driver.find_elements(By.CSS_SELECTOR, "[data-what='clock in GHz']"):
            set_what(driver, f"{name} latency", other["latency_cycles"])
    if driver.find_elements(By.CSS_SELECTOR, "[data-what='clock in GHz']"):
        set_what(driver, "memory latency in cycles", to["memory_latency_cycles"])


def changed_cells(driver):
    return driver.execute_script("""
        return [...document.querySelectorAll('#whatif-table tbody tr')].map(row =>
            [...row.cells].slice(5).map(cell => (cell.querySelector('strong') || cell).textContent));""")


def seconds_of(text):
    """The last "at most 1.23 ms"."""
    match = re.findall(r"at (least|most) ([\d.]+) ([mµn]?)s", text)[-2:]
    return [value_of(f"{number} {unit}") for _, number, unit in match]


def close(text, value):
    return abs(value_of(text) - value) <= 0.015 * value + 0.5


def check_what_if_of(driver, name, is_by_chance):
    """The first machine changed into each of the others has their misses, where these are by chance, or
    without sets, and where only latencies differ bounds of the time."""
    load(driver, name)
    data = document_of(driver)
    levels = data["machines"][0]["levels"]
    as_described = driver.find_element(By.ID, "whatif").text
    for number, (machine, forecast) in enumerate(zip(data["machines"], data["forecasts"])):
        change_machine(driver, levels, machine)
        wrong, are_same = [], True
        for cells, level, before, after in zip(changed_cells(driver), forecast["levels"], levels, machine["levels"]):
            value = level["set"][0] if isinstance(level["set"][0], (int, float)) else level["set"][0][0]
            is_same = all(before[key] == after[key] for key in ("capacity_bytes", "block_bytes", "ways"))
            is_full = after["ways"] * after["block_bytes"] >= after["capacity_bytes"]
            are_same = are_same and is_same
            if is_same != (cells[2] == "as described"):
                wrong.append((cells, "marked"))
            if (is_by_chance or is_full) and not close(cells[1] if is_same else cells[2], value):
                wrong.append((cells, value))
        check(not wrong, f"{name}: changed into machine {number}, misses are its {wrong}")
        times = driver.find_elements(By.ID, "whatif-time")
        if times and are_same:
            shown, bounds = seconds_of(times[0].text), forecast["bounds"][0]
            check(all(abs(a / b - 1) < 0.1 for a, b in zip(shown, bounds)), f"{name}: and so are bounds {shown} {bounds}")
    change_machine(driver, levels, data["machines"][1])
    check(driver.find_elements(By.CSS_SELECTOR, "#whatif .changed"), f"{name}: what is changed is marked")
    driver.find_element(By.ID, "whatif-reset").send_keys(Keys.ENTER)
    check(driver.find_element(By.ID, "whatif").text == as_described and
          not driver.find_elements(By.CSS_SELECTOR, "#whatif .changed"), f"{name}: the machine as described, again")


def check_what_if(driver):
    check_what_if_of(driver, "what-measured.html", True)
    check_what_if_of(driver, "what.html", False)
    before = seconds_of(driver.find_element(By.ID, "whatif-time").text)
    set_what(driver, "clock in GHz", 2)
    memory = "return document.querySelector('[data-what=\"memory latency in cycles\"]').value"
    check(driver.execute_script(memory) == "200", "memory keeps its nanoseconds")
    set_what(driver, "memory latency in cycles", 100)
    after = seconds_of(driver.find_element(By.ID, "whatif-time").text)
    check(all(abs(2 * b / a - 1) < 0.01 for a, b in zip(before, after)), f"twice the clock, with latencies of as many cycles, is half the time {before} {after}")
    set_what(driver, "clock in GHz", -1)
    check(driver.find_element(By.CSS_SELECTOR, "[data-what='clock in GHz']").get_attribute("value") == "2",
          "a clock that cannot be is put back")
    field = driver.find_element(By.CSS_SELECTOR, "[data-what='L1D latency']")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys("9", Keys.TAB)
    focused = driver.switch_to.active_element.get_attribute("data-what")
    check(focused in ("L1D latency", "L2 capacity"), f"the focus stays in the table: {focused}")
    options = "return document.querySelector('#whatif-scope').options.length"
    check(driver.execute_script(options) > 2, "routines and loops can be chosen")
    total = changed_cells(driver)
    driver.execute_script("""
        const select = document.getElementById('whatif-scope');
        select.selectedIndex = 1;
        select.dispatchEvent(new Event('change'));""")
    check(changed_cells(driver) != total, "figures of a loop")
    says_nothing(driver, "what.html")


def check_sides(driver):
    """The page of diff: its figures are those of its JSON, for each metric; sorting and filtering."""
    sides = json.load(open("sides.json", encoding="utf-8"))
    load(driver, "sides.html")
    check(is_ready(driver), "the page of diff is shown")
    shown = driver.execute_script("""
        return [...document.querySelectorAll('#metrics tbody tr')].map(row => [1, 2].map(i => row.cells[i].firstChild.textContent));""")
    expected = [[metric["first"], metric["second"]] for metric in sides["metrics"]]
    check(len(shown) == len(expected) and all(agrees(text, value) for row, values in zip(shown, expected)
                                              for text, value in zip(row, values)),
          f"metrics of both sides {shown[:2]}")
    press(driver, "flat")
    for number, metric in enumerate(sides["metrics"]):
        select(driver, "metric", number)
        rows = sorted((cell[2], cell[3]) for cell in cells_of(driver))
        wrong = []
        for loop in sides["loops"]:
            of = loop["metrics"][number]
            values = [of[side + "_exclusive"] if loop[side] else None for side in ("first", "second")]
            if not any(all(text == "\u2013" if value is None else agrees(text, value)
                           for text, value in zip(row, values)) for row in rows):
                wrong.append(values)
        check(not wrong and len(rows) >= len(sides["loops"]) > 5, f"{metric['metric']} of all rows {wrong[:3]}")
    for _ in range(2):
        driver.execute_script("document.querySelector('#loops-table [data-sort=first]').click()")
        way = driver.execute_script(
            "return document.querySelector('#loops-table [data-sort=first]').closest('th').getAttribute('aria-sort')")
        values = [value_of(row[2]) for row in cells_of(driver) if re.match("[0-9]", row[2])]
        check(values == sorted(values, reverse=way == "descending"), f"rows by A, {way}")
    driver.find_element(By.ID, "loops-filter").send_keys("multiply")
    names = [row[0] for row in cells_of(driver)]
    check(0 < len(names) < 6 and "multiply" in names[0] + driver.find_element(By.ID, "loops-count").text
          or all("matmul" in name for name in names), f"filtered: {names}")
    text = driver.find_element(By.ID, "summary").text
    check("accesses > +1000%" in text and "does not hold" in text, "a limit and its verdict")
    steps = driver.execute_script("return document.querySelectorAll('.contributions tbody tr').length")
    check(steps > 3, f"what rows add, from one total to the other: {steps}")
    check_reader(driver)
    says_nothing(driver, "sides.html")


def check_measured(driver):
    """Pages without a model: misses of loops are those of simulate."""
    simulated = json.load(open("simulated.json", encoding="utf-8"))
    load(driver, "of-trace.html")
    open_all_rows(driver)
    heads = driver.execute_script(
        "return [...document.querySelectorAll('#loops-table thead th')].map(head => head.textContent)")
    shown = {(row[heads.index("L1D")], row[heads.index("Accesses")]) for row in cells_of(driver)}
    wrong = [loop["name"] for loop in simulated["loops"][:20]
             if not any(agrees(misses, loop["levels"][0]["simulated_set_associative"]) and
                        agrees(accesses, loop["accesses"]) for misses, accesses in shown)]
    check(not wrong, f"misses of a trace are those of simulate {wrong[:3]}")
    for name, part in (("pairs", "pairs"), ("data", "objects")):
        load(driver, f"{name}.html")
        rows = driver.execute_script(f"return document.querySelectorAll('#{part} table.data tbody tr').length")
        check(is_ready(driver) and rows > 3, f"{name}.html: {rows} rows")
        check(driver.find_elements(By.CSS_SELECTOR, "#pane .source tbody tr"), f"{name}.html: source lines")
        says_nothing(driver, f"{name}.html")
    load(driver, "pairs.html")
    carriers = driver.find_element(By.CSS_SELECTOR, "#pairs table.data").text
    check("matmul.c:" in carriers, f"loops carry reuse: {carriers[:200]!r}")


def check_variants(driver):
    """A second surface beside the first, and their difference."""
    load(driver, "page.html")
    if driver.execute_script("return typeof d3") == "undefined":
        return
    pixels = "return document.querySelector('#surface canvas').toDataURL()"
    before = driver.execute_script(pixels)
    select(driver, "surface-ways", "1")
    direct = driver.execute_script(pixels)
    select(driver, "surface-beside", "0:8")
    both = driver.execute_script(pixels)
    lines = driver.execute_script("return document.querySelectorAll('#surface .plot')[0].querySelectorAll('path.curve').length")
    press(driver, "difference")
    check(len({before, direct, both, driver.execute_script(pixels)}) == 4 and lines == 2,
          "the surface in sets, beside another one, and their difference")
    data = driver.execute_script("""
        const { surfaces } = JSON.parse(document.getElementById('data').textContent);
        return surfaces[0];""")
    full, ways = data["miss_ratios"], {one["ways"]: one["miss_ratios"] for one in data["sets"]}
    away = {count: sum(abs(a - b) for row, of in zip(full, ratios) for a, b in zip(row, of)) / sum(map(sum, full))
            for count, ratios in ways.items()}
    # Twice the ways in half the sets may conflict more, depending on where the arrays lie; four times the
    # ways do not.
    nearer = all(away[4 * ways] < away[ways] for ways in (1, 2, 4))
    check(nearer and away[16] < 0.15,
          f"with more ways misses come nearer to those of a fully associative cache {away}")
    check(driver.find_elements(By.CSS_SELECTOR, "#distances canvas"), "distances of references over sizes")
    says_nothing(driver, "variants")


def check_measured_distances(driver):
    """What was measured is beside the model: in the table, and as dots."""
    load(driver, "beside.html")
    group = next(one for one in document_of(driver)["references"] if one.get("measured"))
    driver.execute_script("document.querySelector('#distances details.behind').open = true")
    wait_for_events(driver)
    rows = driver.execute_script("""
        return [...document.querySelectorAll('#distances details.behind tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))""")
    measured = [row for row in rows if row[0].endswith(", measured")]
    places = [0, 8, 16, 24, 29, 32]
    check([row[0] for row in measured] == [f"{n:g}, measured" for n, _ in group["measured"]] and
          all(agrees(text, values[place]) for row, (_, values) in zip(measured, group["measured"])
              for text, place in zip(row[1:], places)), f"measured distances {measured[:2]}")
    if driver.execute_script("return typeof d3") != "undefined":
        count = """
            const canvas = document.querySelector('#distances canvas');
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let dots = 0;
            for (let at = 0; at < data.length; at += 4)
                dots += data[at] === 0xd5 && data[at + 1] === 0x5e && data[at + 2] === 0;
            return dots"""
        dots = driver.execute_script(count)
        says_nothing(driver, "beside.html")
        load(driver, "without.html")
        wait_for_events(driver)
        none = driver.execute_script(count)
        check(dots > 500 and none == 0, f"dots in the surface, {dots} pixels, none without what was measured")
    else:
        says_nothing(driver, "beside.html")


def open_everything(driver):
    """Code, the figures behind plots, a changed machine."""
    driver.execute_script("document.querySelector('.answer a').click()")
    driver.execute_script("document.querySelectorAll('.machine-code, details.behind').forEach(one => { one.open = true; })")
    set_what(driver, "L1D ways", 1)
    set_what(driver, "clock in GHz", 9)


def check_layouts(driver):
    widths = WIDTHS if os.environ.get("TEST_DEPTH") == "all" else NARROWEST
    for name in ("page.html", "sides.html", "of-trace.html", "what-measured.html"):
        check_layout(driver, name, widths=widths)
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    check_layout(driver, "page.html", "-open-dark", open_everything)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    check_faults(driver, "page.html")


def main():
    reports = json.load(open("forecasts.json", encoding="utf-8"))
    driver = start()
    try:
        check_page(driver, reports)
        check_variants(driver)
        check_sides(driver)
        check_measured(driver)
        check_code(driver)
        check_code_of_model(driver)
        check_phases(driver)
        check_measured_distances(driver)
        check_what_if(driver)
        for name in ("pairs.html", "data.html"):
            check_widths(driver, name)
        check_layouts(driver)
        check_dark(driver)
        check_roofline(driver)
        load(driver, "tables.html")
        check(is_ready(driver) and driver.find_elements(By.CSS_SELECTOR, "svg.chart") == [] and
              len(driver.find_elements(By.CSS_SELECTOR, "details.behind[open] table")) >= 4,
              "without d3 there are tables")
        says_nothing(driver, "tables.html")
        for name in sorted(glob.glob("old-*.html")):
            load(driver, name)
            check(is_ready(driver), f"{name} is shown")
            says_nothing(driver, name)
    finally:
        driver.quit()


if __name__ == "__main__":
    sys.exit(main())
