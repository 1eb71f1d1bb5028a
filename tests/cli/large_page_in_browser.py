#!/usr/bin/python3
"""Drives headless Chromium over large.html and sides.html, pages of report and diff with 1000 routines and
loops, and prints a line for each check: 0 or 1, and what holds. Called by tests/cli/large_page."""

import sys

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import (check, document_of, is_ready, load, make_all_rows, open_all_rows, press, rows_of, says_nothing,
                     select, start)

ROWS = 1000
FEW = 400  # rows in the document while the reader has not asked for more
ELEMENTS = 12 * FEW


def value_of(figure):
    return figure[0] if isinstance(figure, list) else figure


def count(driver, selector):
    return driver.execute_script("return document.querySelectorAll(arguments[0]).length", selector)


def shown_places(driver):
    """Where the first and the last row in the document are, and how many rows there are in all."""
    return driver.execute_script("""
        const rows = [...document.querySelectorAll('#loops-table tbody tr')];
        const place = row => Number(row.getAttribute('aria-rowindex')) - 1;
        return [place(rows[0]), place(rows[rows.length - 1]),
                Number(document.getElementById('loops-table').getAttribute('aria-rowcount')) - 1]""")


def check_opening(driver):
    check(is_ready(driver), f"{driver.title}: the script ran to its end")
    check(0 < count(driver, "#loops-table tbody tr") < FEW, "few rows are made at first")
    elements = count(driver, "*")
    check(elements < ELEMENTS, f"few elements in all: {elements}")


def check_more_rows(driver, count_of_rows):
    press(driver, "open all")
    before = shown_places(driver)
    check(before[0] == 1 and before[1] < FEW and before[2] == count_of_rows, f"rows say where they are, of how many: {before}")
    check(f"{count_of_rows - before[1]} more rows" == driver.find_element(By.ID, "loops-more").text, "a button says how many more")
    driver.execute_async_script("""
        const box = document.getElementById('loops-scroll'), done = arguments[0];
        box.addEventListener('scroll', () => setTimeout(done, 0), { once: true });
        box.scrollTop = box.scrollHeight;""")
    after = shown_places(driver)
    check(before[1] < after[1] < count_of_rows, f"scrolling brings more of them: {after}")
    driver.find_element(By.ID, "loops-more").send_keys(Keys.ENTER)
    check(after[1] < shown_places(driver)[1], "and so does the button")
    row = driver.find_element(By.CSS_SELECTOR, "#loops-table tbody tr[tabindex='0']")
    row.send_keys(Keys.END)
    last = driver.switch_to.active_element
    check(last.get_attribute("aria-rowindex") == str(count_of_rows + 1), "the key End goes to the last row")
    last.send_keys(Keys.ARROW_UP)
    check(driver.switch_to.active_element.get_attribute("aria-rowindex") == str(count_of_rows), "and the arrow up from there")


def path_to(above, scope):
    """The scope and those around it."""
    path = []
    while scope in above and scope not in path:
        path.append(scope)
        scope = above[scope]
    return [*path, scope]


def check_order(driver, data):
    """All rows by name, which is another order than that of the time, and by accesses."""
    press(driver, "flat")
    for _ in range(2):
        driver.execute_script("document.querySelector('#loops-table [data-sort=name]').click()")
        check(count(driver, "#loops-table tbody tr") < FEW, "sorted rows are few again")
        make_all_rows(driver)
        rows = rows_of(driver)
        way = driver.execute_script(
            "return document.querySelector('#loops-table [data-sort=name]').closest('th').getAttribute('aria-sort')")
        in_order = driver.execute_script("""
            const sign = arguments[1] === 'ascending' ? 1 : -1;
            return arguments[0].every((text, i, all) => i === 0 || sign * all[i - 1].localeCompare(text) <= 0);""",
            [row[1] for row in rows], way)
        check(in_order and len(rows) == ROWS and len({row[0] for row in rows}) == ROWS, f"all rows by name, {way}")
    accesses = dict(zip(map(str, data["forecasts"][0]["scopes"]), data["forecasts"][0]["accesses"]))
    value = {scope: value_of(figure) for scope, figure in accesses.items()}
    driver.execute_script("document.querySelector('#loops-table [data-sort=accesses]').click()")
    make_all_rows(driver)
    figures = [value[row[0]] for row in rows_of(driver)]
    check(len(figures) == ROWS and figures == sorted(figures, reverse=True), "all rows by accesses")
    press(driver, "tree")
    above = {str(scope["id"]): str(scope["parent"]) for scope in data["scopes"]}
    tree = [row[0] for row in rows_of(driver)]
    check(len(tree) > 100 and all(above[row] in path_to(above, before) for before, row in zip(tree, tree[1:])),
          "in the tree each row is in the one before it, or in one around that")


def check_filter(driver, data):
    field = driver.find_element(By.ID, "loops-filter")
    field.send_keys("stage_07.cpp")
    wanted = {str(scope["id"]) for scope in data["scopes"] if scope.get("file", "").endswith("stage_07.cpp")}
    rows = {row[0] for row in rows_of(driver)}
    check(rows == wanted and len(rows) == 21, f"filtered by file: {len(rows)} rows")
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys(Keys.BACKSPACE)


def check_address(driver, data):
    """A loop that is far down, by the page's address; then its code."""
    scope = max(scope["id"] for scope in data["scopes"])
    load(driver, "large.html#loop=" + str(scope))
    selected = driver.find_elements(By.CSS_SELECTOR, "#loops-table tr.selected")
    check([row.get_attribute("data-scope") for row in selected] == [str(scope)], "the address opens a loop that is far down")
    with_code = {block["scope"] for block in data["code"]["blocks"]}
    check(len(with_code) > 100 and len(with_code) + data["code"]["left_out"] >= ROWS * 0.9,
          f"code of {len(with_code)} loops, without that of {data['code']['left_out']}")


def check_paper(driver, count_of_rows):
    press(driver, "open all")
    make_all_rows(driver)
    driver.execute_script("document.querySelector('#loops-table [data-sort=name]').click()")
    check(count(driver, "#loops-table tbody tr") < FEW, "few rows again")
    driver.execute_cdp_cmd("Page.printToPDF", {"landscape": True})
    check(count(driver, "#loops-table tbody tr") == count_of_rows, "all rows are printed")


def tree_order(rows, key):
    """Ids: siblings by the largest key in what is below them, and so on down. Slowly: all of it for each."""
    children = {row["id"]: [] for row in rows}
    for row in rows:
        children.get(row["parent"], []).append(row)
    def below(row):
        return [row] + [deep for child in children[row["id"]] for deep in below(child)]
    def order(siblings):
        ranked = sorted(siblings, key=lambda row: min((-key(deep), deep["id"]) for deep in below(row)))
        return [deep for row in ranked for deep in [row["id"], *order(children[row["id"]])]]
    return order([row for row in rows if row["parent"] not in children])


def check_sides(driver):
    """The page of diff."""
    load(driver, "sides.html")
    data = document_of(driver)
    rows = data["rows"]
    check_opening(driver)
    check(len(rows) >= ROWS, f"a diff of {len(rows)} rows")
    check_more_rows(driver, len(rows))
    def change(row):
        first, second = (value_of(side[data["sorted_by"]]) for side in row["exclusive"])
        return abs(second - first)
    wanted = [str(scope) for scope in tree_order(rows, change)]
    make_all_rows(driver)
    check([row[0] for row in rows_of(driver)] == wanted, "trees by the largest change in them")
    press(driver, "close all")
    tops = count(driver, "#loops-table tbody tr")
    check(tops == len({row[0] for row in rows_of(driver)}) == 50, f"closed to {tops} routines")
    first = driver.find_element(By.CSS_SELECTOR, "#loops-table tbody tr[aria-expanded]")
    first.send_keys(Keys.ARROW_RIGHT)
    check(first.get_attribute("aria-expanded") == "true" and count(driver, "#loops-table tbody tr") > tops, "a key opens one")
    field = driver.find_element(By.ID, "loops-filter")
    field.send_keys("stage_07.cpp")
    check(len(rows_of(driver)) == 21 and driver.find_element(By.ID, "loops-count").text.startswith("21 of "), "filtered by file")
    load(driver, f"sides.html#loop={wanted[-1]}")
    selected = driver.find_elements(By.CSS_SELECTOR, "#loops-table tr.selected")
    check([row.get_attribute("data-scope") for row in selected] == wanted[-1:], "the address opens the last row")
    load(driver, "sides.html")
    check_paper(driver, len(rows))
    says_nothing(driver, "sides.html")


def main():
    driver = start()
    try:
        load(driver, "large.html")
        data = document_of(driver)
        check_opening(driver)
        select(driver, "loops-share", "0")
        check_more_rows(driver, ROWS)
        check_order(driver, data)
        check_filter(driver, data)
        check_address(driver, data)
        load(driver, "large.html")
        open_all_rows(driver)
        check_paper(driver, ROWS)
        says_nothing(driver, "large.html")
        check_sides(driver)
    finally:
        driver.quit()


if __name__ == "__main__":
    sys.exit(main())
