# SPDX-License-Identifier: Apache-2.0
"""What comments in C call by its name is there under that name: functions, variables, members and
the paths of files."""

import re

from compiling import ROOT

FOLDERS = ("src", "include", "python/src")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
NAME = re.compile(r"(?<![\w.<>/*-])[a-z]+(?:_[a-z0-9]+)+\b(?![_*<>/-]|\.\w)")
PATH = re.compile(
    r"(?<![\w/.<>-])(?:src|include|python/src|python/joggle|tests|tools)/"
    r"[\w./*<>-]*\.(?:c|h|def|py|txt)\b"
)
SUBSCRIPT = re.compile(r"[a-z]_[a-z]")  # of a formula

# Of other projects and of CPython, or made by ## in a macro.
ELSEWHERE = {"cl_khr_icd", "ggml_type", "gguf_metadata_value_type", "opt_einsum", "sq_item"}
PASTED = {"cotangent_name", "fold_add", "is_less", "rank_of_bits", "spell_name", "tangent_name"}


def sources(suffixes, folders):
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return {
        path: path.read_text()
        for path in sorted(paths)
        if path.suffix in suffixes and path.is_file()
    }


def words_of_code():
    """All identifiers outside of C's comments, and of the package, tools and C tests."""
    texts = [COMMENT.sub("", text) for text in sources({".c", ".h", ".def"}, FOLDERS).values()]
    texts += sources({".py", ".pyi"}, ("python/joggle", "tools")).values()
    texts += sources({".c", ".h"}, ("tests",)).values()
    return set(re.findall(r"\w+", "\n".join(texts))) | ELSEWHERE | PASTED


def unknown_names(comment, words):
    names = [name for name in NAME.findall(comment) if not SUBSCRIPT.fullmatch(name)]
    return [name for name in names if name not in words]


def missing_paths(text):
    return [
        path for path in PATH.findall(text) if not any(ROOT.glob(re.sub(r"<[^>]*>", "*", path)))
    ]


def test_names_in_comments_are_in_the_code():
    words = words_of_code()
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in sources({".c", ".h", ".def"}, FOLDERS).items()
        for comment in COMMENT.findall(text)
        for name in unknown_names(comment, words)
    }
    assert found == set()


def test_paths_in_sources_and_tools_exist():
    texts = sources({".c", ".h", ".def", ".py", ".build"}, (*FOLDERS, "python/joggle", "tools"))
    found = {
        f"{path.relative_to(ROOT)}: {missing}"
        for path, text in texts.items()
        for missing in missing_paths(text)
    }
    assert found == set()


def test_a_name_and_a_path_that_are_gone_are_found():
    words = {"run_launch_all", "py_array_dealloc"}
    comment = "/* after a run (launch_all); py_array_dealloc drops it, x_i is left */"
    assert unknown_names(comment, words) == ["launch_all"]
    assert missing_paths("of src/tile/vector_*.h and src/math/vector_*.h") == [
        "src/tile/vector_*.h"
    ]
