#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site: the pages of the repository, and one of each Python module.

The pages of the modules are made of the doc strings of the installed package, those of the ops come
from op.def. mkdocs.yml lists what is where; MkDocs refuses a page that is missing.

    tools/site.py OUT    the site to OUT, what it is made of to OUT-sources
"""

import argparse
import importlib
import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import opread

ROOT = Path(__file__).resolve().parent.parent
# Pages of the names of joggle itself: the page's title, topics of op.def, modules of the package
# whose other names stand there, with what lies below them.
TOPICS = {
    "elementwise": (
        "Elementwise ops",
        [
            "Arithmetic",
            "Comparison",
            "Logic and bits",
            "Functions of real and complex numbers",
            "Rounding",
            "Choosing and moving",
        ],
        ["_numpy.bits", "_numpy.choices", "_numpy.special"],
    ),
    "reductions": (
        "Reductions and statistics",
        [
            "Reductions",
            "Reductions that leave NaN out",
            "Indices of extrema",
            "Running results along an axis",
            "Normalisations",
        ],
        ["_bins", "_numpy.statistics", "_numpy.histograms", "_numpy.calculus"],
    ),
    "shapes": (
        "Making, joining and indexing arrays",
        ["Indexing", "Generators", "Joining and repeating", "Views"],
        [
            "_numpy.edit",
            "_numpy.indices",
            "_numpy.join",
            "_numpy.place",
            "_numpy.split",
            "_windows",
        ],
    ),
    "products": (
        "Products, convolutions, polynomials",
        ["Products", "Quantised matrices", "Convolutions", "Pooling"],
        ["_numpy.products", "_numpy.polynomials"],
    ),
    "order": ("Order and sets", ["Order"], ["_numpy.sets"]),
    "transforms": (
        "Transformations of functions",
        [],
        [
            "_compile",
            "_custom",
            "_export",
            "_jacobians",
            "_numpy.functional",
            "_transforms",
            "_vmap",
        ],
    ),
    "files": ("Files and printing", [], ["_files", "_numpy.tables", "_printing"]),
    "arrays": ("Arrays, dtypes, devices, evaluation", [], []),  # and all that is left
}
MODULES = (
    "joggle.linalg",
    "joggle.fft",
    "joggle.random",
    "joggle.fast",
    "joggle.distributed",
    "joggle.fields",
    "joggle.torch",
    "joggle.jax",
    "joggle.nn",
    "joggle.optimizers",
    "joggle.utils",
)
NOT_SEARCHED = (
    "CHANGELOG.md",
    "figures.md",
)  # words and numbers of all pages, found instead of them
LINK = re.compile(r"\[([^\]]*)\]\(([^)#:]+)(#[^)]*)?\)")


def title_of(page):
    """The words of the first heading."""
    return page.read_text().split("\n", 1)[0].removeprefix("# ").replace("`", "")


def adapt_links(text, page):
    """The text with links to what is no page turned into plain words, and the title of a page where
    the link shows its path."""

    def adapt(match):
        target = (page.parent / match[2]).resolve()
        if target.suffix in (".svg", ".jpg"):
            return match[0]
        if target.suffix != ".md" or not target.exists():
            return match[1]
        words = title_of(target) if match[1].removeprefix("docs/") == target.name else match[1]
        return f"[{words}]({match[2]}{match[3] or ''})"

    return LINK.sub(adapt, text)


def copy_pages(folder):
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        target = folder / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = adapt_links(page.read_text(), page)
        if page.name in NOT_SEARCHED:
            text = f"---\nsearch:\n  exclude: true\n---\n\n{text}"
        target.write_text(text)
    for picture in [*(ROOT / "docs").glob("*.svg"), *(ROOT / "docs").glob("*.jpg")]:
        shutil.copy(picture, folder / "docs")
    for name in ("narrow.css", "iframe-worker.js"):
        shutil.copy(ROOT / "docs" / name, folder)


def public_names(module):
    names = getattr(module, "__all__", None) or dir(module)
    return sorted(name for name in names if not name.startswith("_"))


def signature_of(thing):
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""


def fenced(doc):
    """A doc string as Markdown: examples become blocks of code, the rest stays text."""
    lines, code = [], False
    for line in doc.splitlines():
        if line.startswith(">>> ") and not code:
            lines, code = [*lines, "```python"], True
        elif code and not line.strip():
            lines, code = [*lines, "```"], False
        lines.append(line)
    return "\n".join([*lines, "```"] if code else lines)


def described(name, thing):
    """The Markdown of one function or class, or None for what is neither."""
    if not (callable(thing) or inspect.isclass(thing)):
        return None
    doc = inspect.getdoc(thing) or ""
    return f"## {name}\n\n```python\n{name}{signature_of(thing)}\n```\n\n{fenced(doc)}\n"


def page_of(title, intro, owner, names):
    entries = [described(name, getattr(owner, name)) for name in sorted(names)]
    return "\n".join([f"# {title}\n\n{intro}\n", *filter(None, entries)])


def module_page(module):
    intro = fenced(inspect.getdoc(module) or "")
    return page_of(module.__name__, intro, module, public_names(module))


def topic_of(name, thing, titles):
    """The key of TOPICS for a name of joggle. titles: that of each op and alias in op.def."""
    home = f"{getattr(thing, '__module__', None) or ''}.".removeprefix("joggle.")
    for key, (_, topics, modules) in TOPICS.items():
        if titles.get(name) in topics:
            return key
        if name not in titles and any(home.startswith(f"{module}.") for module in modules):
            return key
    return "arrays"


def write_topics(folder):
    """The pages of joggle's own names, and one that lists them all."""
    joggle = importlib.import_module("joggle")
    titles = {name: title for title, names in opread.topics() for name in names}
    titles |= {alias: titles[row["name"]] for alias, row in opread.aliases()}
    names = {key: [] for key in TOPICS}
    for name in public_names(joggle):
        thing = getattr(joggle, name)
        if callable(thing):
            names[topic_of(name, thing, titles)].append(name)
    index = [f"# joggle\n\n{fenced(inspect.getdoc(joggle) or '')}\n"]
    for key, (title, *_) in TOPICS.items():
        page = f"joggle-{key}.md"
        (folder / page).write_text(page_of(title, "Names of `joggle`.", joggle, names[key]))
        links = ", ".join(f"[{name}]({page}#{name.lower()})" for name in names[key])
        index.append(f"## [{title}]({page})\n\n{links}\n")
    (folder / "joggle.md").write_text("\n".join(index))


def write_modules(folder):
    folder.mkdir(parents=True)
    write_topics(folder)
    for name in MODULES:
        (folder / f"{name}.md").write_text(module_page(importlib.import_module(name)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path, help="folder of the site")
    out = parser.parse_args().out.resolve()
    sources = out.with_name(out.name + "-sources")
    shutil.rmtree(sources, ignore_errors=True)
    copy_pages(sources / "pages")
    write_modules(sources / "pages/api")
    shutil.copy(ROOT / "mkdocs.yml", sources)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    command += ["--config-file", str(sources / "mkdocs.yml"), "--site-dir", str(out)]
    # With --quiet MkDocs would not count warnings, which --strict makes errors.
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
