# SPDX-License-Identifier: Apache-2.0
"""The site of the documentation: it is built without a warning and has everything in it."""

import importlib.util
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import joggle as jg

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools/site.py"


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
    headings = Headings((site / "api/joggle.html").read_text()).found
    functions = {name for name in dir(jg) if callable(getattr(jg, name)) and name[0] != "_"}
    assert functions <= headings


def test_links_between_pages_lead_somewhere(site):
    """MkDocs checks those to pages; a link to a source file would lead nowhere."""
    for page in site.glob("docs/*.html"):
        assert 'href="../src/' not in page.read_text(), page


def test_examples_in_doc_strings_become_blocks_of_code():
    fenced = load_script().fenced
    assert fenced("One.\n\n>>> 1 + 1\n2\n\nTwo.") == (
        "One.\n\n```python\n>>> 1 + 1\n2\n```\n\nTwo."
    )
    assert fenced(">>> 1\n1") == "```python\n>>> 1\n1\n```"
