# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation: it is built without a warning and has everything in it."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import joggle as jg

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "tools/site.py"
CHECK = ROOT / "tools/site_check.py"
with_browser = pytest.mark.skipif(not shutil.which("chromium"), reason="needs Debian's chromium")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "docs"
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, SCRIPT, out]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return out


def load_script():
    spec = importlib.util.spec_from_file_location("site_script", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    if str(SCRIPT.parent) not in sys.path:
        sys.path.insert(0, str(SCRIPT.parent))  # as for a script that is run
    spec.loader.exec_module(module)
    return module


class Headings(HTMLParser):
    """The names in the level-2 headings of a page."""

    def __init__(self, text):
        super().__init__()
        self.found, self.inside = set(), False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag == "h2"

    def handle_data(self, data):
        if self.inside:
            self.found.add(data.strip())


def test_every_public_function_has_its_place(site):
    pages = {path: Headings(path.read_text()).found for path in site.glob("api/joggle-*.html")}
    functions = {name for name in dir(jg) if callable(getattr(jg, name)) and name[0] != "_"}
    assert functions <= set().union(*pages.values())
    assert sum(map(len, pages.values())) == len(set().union(*pages.values()))
    assert max(map(len, pages.values())) < 150


def test_names_stand_on_the_page_of_their_topic(site):
    for page, name in (
        ("elementwise", "absolute"),
        ("reductions", "cumsum"),
        ("shapes", "reshape"),
        ("products", "matmul"),
        ("order", "argsort"),
        ("transforms", "grad"),
        ("files", "load"),
        ("arrays", "eval"),
    ):
        assert name in Headings((site / f"api/joggle-{page}.html").read_text()).found
    index = (site / "api/joggle.html").read_text()
    assert 'href="joggle-products.html#matmul"' in index


def search_index(site):
    text = (site / "search/search_index.js").read_text()  # a script, so that file:// can read it
    return json.loads(text[text.index("{") : text.rindex("}") + 1])["docs"]


def test_the_search_reads_pages_but_not_the_changelog_and_the_figures(site):
    places = {entry["location"].split("#")[0] for entry in search_index(site)}
    assert {"index.html", "docs/numpy.html", "api/joggle-files.html"} <= places
    assert not {"CHANGELOG.html", "docs/figures.html"} & places


def test_the_search_finds_load_by_what_it_does(site):
    found = [
        entry["location"]
        for entry in search_index(site)
        if "memory map" in f"{entry['title']} {entry['text']}".lower().replace("-", " ")
    ]
    assert "api/joggle-files.html#load" in found


def test_links_show_the_titles_of_pages(site):
    text = (site / "index.html").read_text()
    assert ">docs/numpy.md<" not in text and ">Performance<" in text


def test_links_between_pages_lead_somewhere(site):
    """MkDocs checks those to pages; a link to a source file would lead nowhere."""
    for page in site.glob("docs/*.html"):
        assert 'href="../src/' not in page.read_text(), page


def test_each_page_is_reached_from_the_first_one(site):
    pages = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"404.html"}
    reached, left = set(), ["index.html"]
    while left:
        page = left.pop()
        reached.add(page)
        for link in re.findall(r'href="([^"#:]+\.html)', (site / page).read_text()):
            target = os.path.normpath(Path(page).parent / link)
            if target in pages - reached and target not in left:
                left.append(target)
    assert reached == pages


def test_a_page_without_a_place_stops_the_build(tmp_path, monkeypatch):
    module = load_script()
    copy_pages = module.copy_pages

    def copy_one_more(folder):
        copy_pages(folder)
        (folder / "docs/lost.md").write_text("# Nothing leads here\n")

    monkeypatch.setattr(module, "copy_pages", copy_one_more)
    monkeypatch.setattr(sys, "argv", ["site.py", str(tmp_path / "site")])
    assert module.main() != 0


@with_browser
def test_a_browser_finds_nothing_wrong_and_the_search_finds(site):
    """`make docs` has every page read; here all links are followed and some pages opened."""
    command = [sys.executable, CHECK, site, "--pages", "6"]
    told = subprocess.run(command, capture_output=True, text=True)
    assert told.returncode == 0, told.stdout + told.stderr


FAULTY = """
<!doctype html><meta name="viewport" content="width=device-width"><p id="here">
<a href="#here">fine</a> <a href="#nowhere">one</a> <a href="missing.html">two</a>
<div class="md-content"><pre style="width: 500px; white-space: pre">{word}</pre>
<div style="overflow-x: auto"><pre style="width: 500px">this one can be moved</pre></div>
<p style="font-size: 6px">small</p></div>
<script>console.error("of three"); undefined_function()</script>
<script src="https://localhost:9/four.js"></script>
"""


@with_browser
def test_the_browser_tells_what_is_wrong(tmp_path):
    (tmp_path / "index.html").write_text(FAULTY.format(word="wide " * 30))
    told = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
    assert told.returncode == 1
    for words in (
        "link to #nowhere: no such place in the page",
        "link to missing.html: no such file",
        "console: of three",
        "exception: ReferenceError",
        "asks for https://localhost:9/four.js",
        '"small" has letters of 6px',
        "the page is",
        '"wide wide',
        "the search finds nothing",
    ):
        assert words in told.stdout, (words, told.stdout)
    assert "#here" not in told.stdout and "can be moved" not in told.stdout


def test_examples_in_doc_strings_become_blocks_of_code():
    fenced = load_script().fenced
    assert fenced("One.\n\n>>> 1 + 1\n2\n\nTwo.") == (
        "One.\n\n```python\n>>> 1 + 1\n2\n```\n\nTwo."
    )
    assert fenced(">>> 1\n1") == "```python\n>>> 1\n1\n```"
