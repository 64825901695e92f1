# SPDX-License-Identifier: Apache-2.0
"""tools/check_messages.py: a message that does not say what was given, and what is allowed or to
do, is caught."""

import pytest
from compiled_rooms import run_tool

C = "jg_status f(int n)\n{{\n    return base_fail({}, n);\n}}\n"
PYTHON = "def f(n):\n    raise {}\n"


def check(root, source, name="src/base/base.c"):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    return run_tool("check_messages.py", "--root", root)


@pytest.mark.parametrize(
    "arguments",
    [
        'JG_ERR_VALUE, "count: got %d, allowed is 1 or more"',
        'JG_ERR_TYPE, "[exp] dtype: %s is only stored, "\n        "allowed are others"',
        'JG_ERR_VALUE, "[%s] %s"',
        'JG_ERR_VALUE, "[load] npy: the header has a key %d, allowed are others"',
        'JG_ERR_VALUE, "[load] %d: the header cannot be read: its byte %d is not %s"',
        'JG_ERR_NOMEM, "out of memory: %d bytes"',
        'JG_ERR_VALUE, "name: got NULL, allowed is a text"',
        'JG_ERR_VALUE, "[f] mode: got \\"a\\", allowed are others"',
        'JG_ERR_VALUE, "[f] x: has no axes, allowed are one and more"',
        'JG_ERR_VALUE, "shape: the field has 2^63 bytes or more, allowed are fewer"',
        'JG_ERR_VALUE, "x: changed while it was read, allowed is none that is written"',
        'JG_ERR_VALUE, "shape: got %s, which has too many elements, allowed are %d"',
    ],
)
def test_what_says_it_or_is_none_of_an_argument_passes(tmp_path, arguments):
    assert check(tmp_path, C.format(arguments)) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ('JG_ERR_VALUE, "count: got %d"', "count: got %d"),
        (
            'JG_ERR_INDEX,\n        "[%s] %s: got %" PRId64\n        " of them"',
            "[%s] %s: got %d of them",
        ),
        ('JG_ERR_TYPE, "[exp] dtypes[%d]: odd"', "[exp] dtypes[%d]: odd"),
        ('JG_ERR_VALUE, "[load] npy: a key %d"', "[load] npy: a key %d"),
        ('JG_ERR_TYPE, "[sum] got %d arguments"', "[sum] got %d arguments"),
        ('JG_ERR_VALUE, "shapes %s and %s differ"', "shapes %s and %s differ"),
    ],
)
def test_what_does_not_say_it_is_caught(tmp_path, arguments, message):
    expected = f"src/base/base.c:3: does not say what is allowed, or what to do: {message}\n"
    assert check(tmp_path, C.format(arguments)) == (1, expected)


@pytest.mark.parametrize(
    "message",
    [
        "count: allowed is 1 or more",
        "[%s] count: allowed are ints",
        "f k: allowed is %d, even",
        "file: was opened for text, allowed is binary",
        "[f] got a long name, allowed are 63 bytes",
        "n: the number does not fit %s, allowed are its numbers",
        "n: got a number that is not real, allowed are real numbers",
        "inputs: number %d has another dtype, allowed is that of the first",
        "x: %s has too many cells, allowed are 2",
    ],
)
def test_what_does_not_say_what_the_argument_was_is_caught(tmp_path, message):
    expected = f"src/base/base.c:3: does not say what the argument was: {message}\n"
    assert check(tmp_path, C.format(f'JG_ERR_VALUE, "{message}"')) == (1, expected)


@pytest.mark.parametrize("status", ["UNSUPPORTED", "LIBRARY", "DEVICE", "BUFFER", "COPY"])
def test_what_is_missing_or_has_no_implementation_is_read_as_well(tmp_path, status):
    def said(message):
        return check(tmp_path, C.format(f'JG_ERR_{status}, "{message}"'))

    for message in (
        "program: got %d loops, allowed are 6",
        "%s has no %s; install a later one",
        "opencl:%d: clBuildProgram: %s (%d): %.*s%s",
        "no compiler for %s: it was not found; %s",
    ):
        assert said(message) == (0, "")
    fault = "src/base/base.c:3: does not say what is allowed, or what to do:"
    for message in ("%s is of another build", "rows that lie like that are not compiled"):
        assert said(message) == (1, f"{fault} {message}\n")
    fault = "src/base/base.c:3: does not say what the argument was:"
    for message in ("the library is too old; install a later one", "too much, allowed is less"):
        assert said(message) == (1, f"{fault} {message}\n")


def test_what_names_no_argument_is_read_in_c(tmp_path):
    code, output = check(tmp_path, C.format('JG_ERR_INDEX, "there is no such argument"'))
    assert code == 1
    assert output.endswith("what is allowed, or what to do: there is no such argument\n")
    python = PYTHON.format("KernelTypeError('a matrix has no length')")
    assert check(tmp_path, python, "python/joggle/_kernel/calls.py")[1].count("\n") == 1
    (tmp_path / "src/base/base.c").unlink()
    assert check(tmp_path, python, "python/joggle/_kernel/calls.py") == (0, "")


def test_what_to_do_is_as_good_as_what_is_allowed(tmp_path):
    for way in ("; call %s", ": pass %s", ", reduce it first", "; please install %s"):
        message = f'JG_ERR_TYPE, "x: got %s{way}"'
        assert check(tmp_path, C.format(message)) == (0, "")


def test_refused_nodes_of_a_file_are_read(tmp_path):
    source = "jg_status f(node *node)\n{{\n    {}\n}}\n"
    good = 'FUNCTION_NEEDS(node, node->n == 1, "n: got %d, allowed is 1", node->n);'
    assert check(tmp_path, source.format(good)) == (0, "")
    for bad in (
        'FUNCTION_NEEDS(node, node->n == 1 && f(node), "n: got %d", node->n);',
        'return function_refuse(node, "n: got %d", node->n);',
    ):
        expected = "src/base/base.c:3: does not say what is allowed, or what to do: n: got %d\n"
        assert check(tmp_path, source.format(bad)) == (1, expected)


def test_messages_of_python_are_read_as_well(tmp_path):
    name = "python/joggle/_files.py"
    assert check(tmp_path, PYTHON.format("KeyError('name: got 3')"), name) == (0, "")
    said = "ValueError(f'[{name}] n: got {n}, allowed are ints')"
    assert check(tmp_path, PYTHON.format(said), name) == (0, "")
    code, output = check(tmp_path, PYTHON.format("TypeError(f'[f] n: got {n}')"), name)
    assert (code, output) == (
        1,
        f"{name}:2: does not say what is allowed, or what to do: [f] n: got %s\n",
    )


def test_errors_of_kernels_are_read_as_well(tmp_path):
    name = "python/joggle/_kernel/syntax/calls.py"
    said = "KernelTypeError(f'len: {x} has no length, allowed are arrays')"
    assert check(tmp_path, PYTHON.format(said), name) == (0, "")
    for kind in ("KernelTypeError", "KernelSyntaxError", "KernelIndexError", "KernelError"):
        code, output = check(tmp_path, PYTHON.format(f"{kind}('len: no length')"), name)
        assert (code, output) == (
            1,
            f"{name}:2: does not say what is allowed, or what to do: len: no length\n",
        )
