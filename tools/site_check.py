#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the site of the documentation as a browser does: Chromium without a window.

    tools/site_check.py SITE [--pages N] [--pictures FOLDER] [--browser chromium]

SITE is what tools/site.py built. Of each page (of N that are spread over all, if given) it says
what is wrong: a link or picture that leads nowhere, what the browser reports on its console or
cannot load, what is asked of another host, and at 400 pixels of width text that is cut off or
smaller than 10 pixels. The front page is searched once as well. Pages are opened as files, and
nothing is fetched. --pictures keeps what a few pages look like at 400 pixels.

Exits with 1 if something is wrong. Needs Debian's package chromium.
"""

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path

WIDTH, HEIGHT = 400, 800
SMALLEST_TEXT = 10
PICTURED = ("index.html", "docs/tutorial-arrays.html", "docs/ops.html", "docs/figures.html")

# What does not fit and cannot be moved inside of its box either; text that is too small to read.
# innerWidth would not tell: as a phone does, the browser shows a page that is too wide smaller.
MEASURE = """
(() => {
    const told = [];
    const root = document.scrollingElement;
    if (root.scrollWidth > WIDTH + 1)
        told.push(`the page is ${root.scrollWidth} pixels wide`);
    const moves = element => {
        for (let at = element; at && at !== document.body; at = at.parentElement)
            if (/auto|scroll/.test(getComputedStyle(at).overflowX))
                return true;
        return false;
    };
    for (const element of document.querySelectorAll('.md-content *')) {
        const text = [...element.childNodes].some(n => n.nodeType === 3 && n.data.trim());
        const box = element.getBoundingClientRect();
        if (!text || box.width === 0 || element.closest('.md-nav, svg'))
            continue;
        const words = element.textContent.trim().slice(0, 40);
        if (box.right > WIDTH + 1 && !moves(element))
            told.push(`"${words}" ends at ${Math.round(box.right)} pixels`);
        if (parseFloat(getComputedStyle(element).fontSize) < SMALLEST)
            told.push(`"${words}" has letters of ${getComputedStyle(element).fontSize}`);
    }
    return told.slice(0, 5);
})()
""".replace("SMALLEST", str(SMALLEST_TEXT)).replace("WIDTH", str(WIDTH))

# Types into the search and waits for what it finds.
SEARCH = """
new Promise(done => {
    const field = document.querySelector('input.md-search__input');
    if (!field)
        return done(0);
    document.querySelector('#__search').click();
    field.focus();
    field.value = 'safetensors';
    field.dispatchEvent(new Event('input', {bubbles: true}));
    field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
    const until = Date.now() + 15000;
    const look = () => {
        const found = document.querySelectorAll('.md-search-result__item').length;
        if (found || Date.now() > until) done(found); else setTimeout(look, 100);
    };
    look();
})
"""


class Page(HTMLParser):
    """The names that links can lead to, and the links."""

    def __init__(self, path):
        super().__init__()
        self.names, self.links = set(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        told = dict(attributes)
        self.names |= {told[key] for key in ("id", "name") if told.get(key)}
        self.links += [told[key] for key in ("href", "src") if told.get(key)]


def dead_links(site):
    """{page: what is wrong with its links}: those within the site, and to places in its pages."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong = {}
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path.startswith("/"):  # in 404.html, which a server shows at any place
                target = site / urllib.parse.unquote(parts.path[1:])
            elif parts.path:
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            name = urllib.parse.unquote(parts.fragment)
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                wrong.setdefault(path, []).append(f"link to {link}: no such file")
            elif name and target in pages and name not in pages[target].names:
                wrong.setdefault(path, []).append(f"link to {link}: no such place in the page")
    return wrong


class Browser:
    """Chromium, spoken to through two pipes: messages are JSON, each ends with a zero byte."""

    def __init__(self, program, folder):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()
        command = f'exec "$@" 3<&{to_read} 4>&{from_write}'
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += ["--remote-debugging-pipe", f"--user-data-dir={folder}", "--disable-extensions"]
        options += ["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"]
        self.process = subprocess.Popen(
            ["bash", "-c", command, "bash", program, *options, "about:blank"],
            pass_fds=(to_read, from_write),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self.to, self.unread, self.pipe = to_write, b"", from_read
        self.count, self.events, self.session = 0, [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.unread:
            read = os.read(self.pipe, 1 << 20)
            if not read:
                raise RuntimeError("the browser has ended")
            self.unread += read
        text, _, self.unread = self.unread.partition(b"\0")
        return json.loads(text)

    def ask(self, method, **parameters):
        self.count += 1
        number = self.count
        asked = {"id": number, "method": method, "params": parameters}
        if self.session:
            asked["sessionId"] = self.session
        os.write(self.to, json.dumps(asked).encode() + b"\0")
        while True:
            told = self.message()
            if told.get("id") == number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return told["result"]
            self.events.append(told)

    def run(self, code):
        told = self.ask("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in told:
            raise RuntimeError(told["exceptionDetails"])
        return told["result"].get("value")

    def open(self, url):
        """Loads the page; what happened meanwhile, and a little later, is in events."""
        self.events.clear()
        self.ask("Page.navigate", url=url)
        until = time.monotonic() + 60
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > until:
                raise RuntimeError(f"{url}: not loaded after a minute")
            self.events.append(self.message())
        self.run("new Promise(done => setTimeout(done, 50))")

    def close(self):
        os.close(self.to)
        self.process.wait(timeout=30)
        os.close(self.pipe)


def complaints(events):
    """What the browser has to say of a page, and what it was told to fetch from elsewhere."""
    told = []
    for event in events:
        what = event.get("params", {})
        match event["method"]:
            case "Runtime.consoleAPICalled" if what["type"] in ("error", "warning", "assert"):
                words = [str(part.get("value", part.get("description"))) for part in what["args"]]
                told.append(f"console: {' '.join(words)}")
            case "Runtime.exceptionThrown":
                details = what["exceptionDetails"]
                text = details.get("exception", {}).get("description", details["text"])
                told.append(f"exception: {text}")
            case "Log.entryAdded" if what["entry"]["level"] in ("error", "warning"):
                entry = what["entry"]
                told.append(f"{entry['level']}: {entry['text']} {entry.get('url', '')}")
            case "Network.requestWillBeSent":
                scheme = urllib.parse.urlsplit(what["request"]["url"]).scheme
                if scheme not in ("file", "data", "blob", "about"):
                    told.append(f"asks for {what['request']['url']}")
            case "Network.loadingFailed" if not what.get("canceled"):
                told.append(f"not loaded: {what['errorText']}")
    return told


def keep_picture(browser, path):
    shot = browser.ask("Page.captureScreenshot", format="png")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(shot["data"]))


def read_pages(browser, site, pages, pictures):
    """{page: what is wrong with it} of what a reader sees at the width of a phone."""
    size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": True}
    browser.ask("Emulation.setDeviceMetricsOverride", **size)
    wrong = {}
    for page in pages:
        browser.open(page.as_uri())
        found = browser.run(MEASURE)
        told = [*complaints(browser.events), *found]
        if told:
            wrong[page] = told
        name = page.relative_to(site)
        if pictures and str(name) in PICTURED:
            keep_picture(browser, pictures / str(name).replace("/", "-").replace(".html", ".png"))
    return wrong


def search(browser, site):
    """What is wrong with the search, on the front page."""
    browser.open((site / "index.html").as_uri())
    found = browser.run(SEARCH)
    told = complaints(browser.events)
    return told if found else [*told, "the search finds nothing for 'safetensors'"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=lambda text: Path(text).resolve())
    parser.add_argument("--pages", type=int, help="how many are opened; links are followed in all")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--browser", default="chromium")
    asked = parser.parse_args()
    pages = [page for page in sorted(asked.site.rglob("*.html")) if page.name != "404.html"]
    if not pages:
        sys.exit(f"site_check: no pages in {asked.site}")
    opened = pages[:: max(1, len(pages) // asked.pages)] if asked.pages else pages
    wrong = dead_links(asked.site)
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(asked.browser, folder)
        try:
            for page, told in read_pages(browser, asked.site, opened, asked.pictures).items():
                wrong.setdefault(page, []).extend(told)
            if told := search(browser, asked.site):
                wrong.setdefault(asked.site / "index.html", []).extend(told)
        finally:
            browser.close()
    for page, told in wrong.items():
        for line in told:
            print(f"{page.relative_to(asked.site)}: {line}")
    print(f"site: links of {len(pages)} pages, {len(opened)} opened, {len(wrong)} with faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
