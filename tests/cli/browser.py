"""What scripts that drive headless Chromium share (tests/cli/page_in_browser.py): each check is a
line, 0 or 1 and what holds."""

import json
import math
import os
import re

from selenium import webdriver
from selenium.webdriver.chrome.service import Service


def check(holds, text):
    print(0 if holds else 1, text, flush=True)


def start():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--window-size=1600,1200", f"--user-data-dir={os.getcwd()}/profile"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def load(driver, name, width=1600, height=1200):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    driver.get("about:blank")
    driver.get_log("browser")
    driver.get(f"file://{os.getcwd()}/{name}")


def says_nothing(driver, what):
    said = [entry["message"] for entry in driver.get_log("browser")]
    check(not said, f"no messages on the console: {what} {' '.join(said)[:300]}")


def is_ready(driver):
    return driver.execute_script("return document.documentElement.dataset.ready") == "true"


def document_of(driver):
    return json.loads(driver.execute_script("return document.getElementById('data').textContent"))


def wait_for_events(driver):
    """What follows from an event, after it."""
    driver.execute_script("return new Promise(done => setTimeout(done, 50))")


def value_of(text):
    """"64.2 M" as a number."""
    match = re.match(r"<?([\d.]+(?:e[+-]\d+)?) ?([kMGTµmn]?)", text)
    if not match:
        return math.nan
    scale = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "m": 1e-3, "µ": 1e-6, "n": 1e-9}
    return float(match.group(1)) * scale[match.group(2)]


def rows_of(driver):
    """What stands in the rows that are shown: {scope: [cells]}."""
    return driver.execute_script("""
        return [...document.querySelectorAll('#loops-table tbody tr')].filter(row => !row.hidden)
            .map(row => [row.dataset.scope, ...[...row.cells].map(cell =>
                (cell.querySelector('.bar-text, .label') || cell).textContent)]);""")


def open_all_rows(driver):
    driver.execute_script("""
        const share = document.getElementById('loops-share');
        share.value = '0';
        share.dispatchEvent(new Event('change'));
        [...document.querySelectorAll('.choice button')].find(one => one.textContent === 'open all').click();""")
    make_all_rows(driver)


def make_all_rows(driver):
    """Those beyond the first ones too."""
    driver.execute_script("""
        const more = document.getElementById('loops-more');
        while (more && !more.hidden) more.click();""")


def press(driver, label):
    driver.execute_script("""
        [...document.querySelectorAll('.choice button')].find(one => one.textContent === arguments[0]).click();""", label)


def select(driver, control, value):
    driver.execute_script("""
        const select = document.getElementById(arguments[0]);
        select.value = arguments[1];
        select.dispatchEvent(new Event('change'));""", control, value)
