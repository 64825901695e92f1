# SPDX-License-Identifier: Apache-2.0
"""Tables of numbers in text: what NumPy writes is read, and what we write NumPy reads."""

import io

import numpy as np
import pytest
from numpys import assert_same, ours, random

import joggle as jg

TEXTS = [
    ("1 2 3\n4 5 6\n", {}),
    ("# head\n1\t2\n\n  3 4  # tail\n", {}),
    ("1,2,3\n4,5,6\n", {"delimiter": ","}),
    ("a\nb\n1 2\n3 4\n5 6\n", {"skiprows": 2, "max_rows": 2}),
    ("1 2 3\n4 5 6\n", {"usecols": (2, 0)}),
    ("1 2 3\n4 5 6\n", {"usecols": -1}),
    ("1 2 3\n4 5 6\n", {"unpack": True}),
    ("1 2 3\n", {}),
    ("1\n2\n", {"ndmin": 2}),
    ("1 2\n", {"ndmin": 2}),
    ("7\n", {}),
    ("7\n", {"ndmin": 1}),
    ("% 1\n1 2 // 3\n", {"comments": ["%", "//"]}),
    ("1e3 nan\n-inf +.5\n", {}),
    ("a1 2\na3 4\n", {"converters": {0: lambda text: float(text[1:])}}),
    ('"1" "2"\n"3" 4\n', {"quotechar": '"'}),
    ('# "head"\n"1"\t 2# "9\n\n3 "4"#\n', {"quotechar": '"'}),
    ("'1', 2 % x\n", {"quotechar": "'", "delimiter": ",", "comments": "%"}),
]


@pytest.mark.parametrize("text, options", TEXTS)
def test_tables_are_read(text, options):
    expected = np.loadtxt(io.StringIO(text), np.float64, **options)
    assert_same(jg.loadtxt(io.StringIO(text), jg.float64, **options), expected)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "float64", "complex128"])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 1)])
@pytest.mark.parametrize("suffix", ["txt", "txt.gz"])
def test_what_is_written_is_read_by_both(dtype, shape, suffix, tmp_path):
    x, path = random(shape, dtype), tmp_path / f"table.{suffix}"
    fmt = "%d" if dtype in ("bool", "int64") else "%.18e"
    jg.savetxt(path, ours(x)[::-1], fmt=fmt, header="a\nb", footer="c")
    expected = np.loadtxt(path, "int64" if dtype == "bool" else dtype)
    np.testing.assert_array_equal(expected, np.squeeze(x[::-1]))
    assert_same(jg.loadtxt(path, expected.dtype.name), expected)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fmt": "%.3f", "delimiter": ","},
        {"fmt": ["%d", "%.1f", "%g"]},
        {"fmt": "%d: %.2f and %g"},
        {"header": "x\ny", "footer": "end", "comments": "// ", "newline": "\r\n"},
    ],
)
def test_the_text_is_numpys(options):
    x = random((2, 3))
    for new in (io.StringIO, io.BytesIO):
        mine, theirs = new(), new()
        jg.savetxt(mine, ours(x), **options)
        np.savetxt(theirs, x, **options)
        assert mine.getvalue() == theirs.getvalue()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "int64", "bool"])
@pytest.mark.parametrize("fmt", ["%s", "%12s", "%-9.5s|", "%s is %.3f"])
@pytest.mark.filterwarnings("ignore:overflow")
def test_the_text_of_a_number_is_the_shortest_of_its_dtype(dtype, fmt):
    values = [1 / 3, 1e-5, 1e-4, 65504, 2**24, 1e16, -0.0, np.inf, np.nan, 1 / 3 + 0.1]
    whole = not dtype.startswith(("float", "complex"))
    x = (np.arange(10) if whole else np.array(values)).reshape(5, 2).astype(dtype)
    mine, theirs = io.StringIO(), io.StringIO()
    fmt = fmt + f" {fmt} " if fmt[-1] == "f" and dtype == "complex64" else fmt
    jg.savetxt(mine, ours(x), fmt)
    np.savetxt(theirs, x, fmt)
    assert mine.getvalue() == theirs.getvalue()


def test_complex_numbers_have_numpys_form():
    x = random((2, 2), "complex128") * np.array([1, -1j])
    mine, theirs = io.StringIO(), io.StringIO()
    jg.savetxt(mine, ours(x), "%.2f")
    np.savetxt(theirs, x, "%.2f")
    assert mine.getvalue() == theirs.getvalue()


@pytest.mark.parametrize("options", [{}, {"quotechar": '"'}])
def test_files_of_bytes_are_read(options):
    assert jg.loadtxt(io.BytesIO(b"1 2\n3 4\n"), int, **options).tolist() == [[1, 2], [3, 4]]


def test_a_float_is_float32_and_a_table_may_be_empty():
    assert jg.loadtxt(["1 2"]).dtype == jg.float32
    assert jg.loadtxt([]).shape == (0,)


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: jg.loadtxt("/nowhere/table.txt"), OSError, "nowhere"),
        (lambda: jg.loadtxt(["1 2", "3"]), ValueError, r"row 2 has 1 columns, allowed are 2"),
        (lambda: jg.loadtxt(["1 x"]), ValueError, r"\[loadtxt\] fname: row 1 of the table"),
        (lambda: jg.loadtxt(["1"], usecols=2), ValueError, r"\[loadtxt\] usecols: got \[2\]"),
        (lambda: jg.loadtxt(["1"], ndmin=3), ValueError, r"\[loadtxt\] ndmin: got 3"),
        (lambda: jg.savetxt("x", jg.ones((1, 1, 1))), ValueError, r"\[savetxt\] X: has 3 axes"),
        (lambda: jg.savetxt("x", jg.ones((1, 2)), ["%d"]), ValueError, "fmt: has 1 items"),
        (lambda: jg.savetxt("x", jg.ones((1, 3)), "%d %d"), ValueError, "fmt: has 2 formats"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


WRONG = (object(), 1.5, b"x")


@pytest.mark.parametrize("name, wrong", [
    *[("comments", each) for each in (3, *WRONG)],
    *[("delimiter", each) for each in (3, ["q"], *WRONG)],
    *[("converters", each) for each in (3, ["q"], "x", *WRONG)],
    *[("skiprows", each) for each in (None, "x", True, *WRONG)],
    *[("usecols", each) for each in ("x", ["q"], object(), 1.5)],
    *[("max_rows", each) for each in ("x", True, *WRONG)],
    *[("quotechar", each) for each in (3, *WRONG)],
    ("skiprows", -1), ("max_rows", -1), ("quotechar", "xx"), ("ndmin", 3),
])  # fmt: skip
def test_wrong_arguments_of_loadtxt_are_named(name, wrong):
    with pytest.raises((TypeError, ValueError), match=rf"\[loadtxt\] {name}: .*allowed"):
        jg.loadtxt(["1 2", "3 4"], **{name: wrong})


@pytest.mark.parametrize(
    "wrong", [None, 3, b"x", ["%d", 3], object()], ids=lambda each: type(each).__name__
)
@pytest.mark.parametrize("name", ["fmt", "delimiter", "newline", "header", "footer", "comments"])
def test_wrong_arguments_of_savetxt_are_named(name, wrong, tmp_path):
    with pytest.raises(TypeError, match=rf"\[savetxt\] {name}: got .*, allowed is str"):
        jg.savetxt(tmp_path / "x.txt", jg.ones((2, 2)), **{name: wrong})
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_number_and_no_file_is_named():
    with pytest.raises(ValueError, match=r"\[loadtxt\] fname: row 2 .*, column 2: got 'zz', allow"):
        jg.loadtxt(["1 2", "3 zz"])
    for text in ("1_0", "1_0.5", "1_0j"):
        with pytest.raises(ValueError, match=f"got '{text}', allowed for complex128 are num"):
            jg.loadtxt([text], dtype=jg.complex128)
    with pytest.raises(OverflowError, match=r"got 300, allowed for int8 is -128 to 127"):
        jg.loadtxt(["3 4", "300 1"], dtype="int8")
    with pytest.raises(TypeError, match=r"\[loadtxt\] fname: got int"):
        jg.loadtxt(3)
    with pytest.raises(TypeError, match=r"\[savetxt\] fname: got int"):
        jg.savetxt(3, jg.ones(2))
    with pytest.raises(TypeError, match=r"\[savetxt\] X: x: got NoneType"):
        jg.savetxt("x.txt", None)


FIELDS = ["1e3", "1.9", "1.0", "-0", "-1", "+7", " 3 ", "0x10", "True", "nan", "-inf", "1e400"]
FIELDS += [str(2**64), str(-(2**70) - 1), "1j", "(1-2j)", "1+2j", "", "--1", "0012"]


@pytest.mark.parametrize("dtype", ["int64", "int8", "float32", "float64", "complex128"])
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("options", [{}, {"quotechar": '"'}])
@pytest.mark.filterwarnings("ignore:overflow")
def test_a_field_is_read_in_the_dtype(dtype, field, options):
    lines, options = ["5,6", f"1,{field}"], {"delimiter": ",", **options}
    try:
        expected = np.loadtxt(lines, dtype, **options)
    except ValueError:
        message = r"\[loadtxt\] fname: row 2 of the table, column 2: got .*, allowed for"
        with pytest.raises((ValueError, OverflowError), match=message):
            jg.loadtxt(lines, dtype, **options)
        return
    read = jg.loadtxt(lines, dtype, **options)
    assert_same(read, expected)
    assert np.array_equal(np.signbit(np.asarray(read).real), np.signbit(expected.real))


def test_bools_are_whole_numbers_and_unsigned_ones_none_below_zero():
    lines = ["0 1", "-2 +03"]
    assert_same(jg.loadtxt(lines, bool), np.loadtxt(lines, bool))
    with pytest.raises(ValueError, match=r"column 1: got .1\.0., allowed for bool are whole"):
        jg.loadtxt(["1.0 2"], bool)
    assert jg.loadtxt(["18446744073709551615 -0"], "uint64").tolist() == [2**64 - 1, 0]
    with pytest.raises(OverflowError, match="column 2: got -1, allowed for uint8 is 0 to 255"):
        jg.loadtxt(["1 -1"], "uint8")


@pytest.mark.parametrize("text, converters", [("1 2.5 -0", None), ("1 2", {0: lambda text: 3.5})])
def test_no_dtype_is_that_of_floats(text, converters):
    read = jg.loadtxt([text], None, converters=converters)
    assert_same(read, np.loadtxt([text], "float32", converters=converters))


def test_whole_numbers_that_are_written_are_read_as_floats():
    x, kept = np.array([[2.0**64, -(2.0**90)], [1e300, -3.0]]), io.StringIO()
    jg.savetxt(kept, x, fmt="%d")
    assert_same(jg.loadtxt(io.StringIO(kept.getvalue()), "float64"), x)


LINES = [
    ["1 2\r3 4\n"], [b"1 2\n3 4"], ["1,2\r3,4"], ["1 2\n\n"], ["1 2\r\r\n"], ["1 2\n# a\n"],
    ["1 2\r\n", "3 4\r", "\r\n", "#a\r\n"], ["1 2 # a\r3 4\n"], ['"1\n" 2\n'], ['"1', '" 2'],
    ["1\t2\x0b3"], ["\n\n"],
]  # fmt: skip


@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize("options", [{}, {"delimiter": ","}, {"quotechar": '"'}])
def test_a_line_ends_at_its_end_only(lines, options):
    try:
        expected = np.loadtxt(lines, **options)
    except ValueError:
        with pytest.raises(ValueError, match=r"\[loadtxt\] fname: (got .* as one line|row)"):
            jg.loadtxt(lines, **options)
    else:
        assert_same(jg.loadtxt(lines, "float64", **options), expected)


def test_lines_end_in_one_way_in_files_of_bytes_and_in_any_by_path(tmp_path):
    path, wanted = tmp_path / "x.txt", [[1, 2], [3, 4]]
    path.write_bytes(b"1 2\r3 4\n")
    assert jg.loadtxt(path).tolist() == wanted
    with open(path) as file:
        assert jg.loadtxt(file).tolist() == wanted
    with open(path, "rb") as file, pytest.raises(ValueError, match="as one line, allowed is an"):
        jg.loadtxt(file)


@pytest.fixture
def latin(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("1 2 # \xe9t\xe9\n3 4\n".encode("latin1"))
    return path


def test_an_encoding_is_that_of_paths_and_of_files_of_bytes(latin):
    wanted = [[1, 2], [3, 4]]
    assert jg.loadtxt(latin, encoding="latin1").tolist() == wanted
    assert jg.loadtxt(latin.read_bytes().splitlines(), encoding="latin1").tolist() == wanted
    with open(latin, "rb") as file:
        assert jg.loadtxt(file, encoding="latin1").tolist() == wanted
    with open(latin, encoding="latin1") as file:
        assert jg.loadtxt(file).tolist() == wanted
    with open(latin, encoding="iso-8859-1") as file:
        assert jg.loadtxt(file, encoding="latin1").tolist() == wanted  # the same by another name
    kept = io.BytesIO()
    jg.savetxt(kept, jg.ones(1), fmt="%d", header="\u03bc", encoding="utf-16-le")
    assert kept.getvalue() == "# \u03bc\n1\n".encode("utf-16-le")


def test_another_encoding_than_that_of_a_text_is_refused_by_name(latin):
    with open(latin, encoding="utf-8") as file:
        message = r"\[loadtxt\] encoding: got 'latin1', allowed for .* opened with 'utf-8' is that"
        with pytest.raises(ValueError, match=message):
            jg.loadtxt(file, encoding="latin1")
    for text in (["1 2"], io.StringIO("1 2")):
        with pytest.raises(ValueError, match=r"\[loadtxt\] encoding: .* for text is None"):
            jg.loadtxt(text, encoding="latin1")
    with pytest.raises(ValueError, match=r"\[savetxt\] encoding: .* for text is None"):
        jg.savetxt(io.StringIO(), jg.ones(2), encoding="latin1")
    with pytest.raises(LookupError, match=r"\[loadtxt\] encoding: got 'none'"):
        jg.loadtxt(latin, encoding="none")
    with pytest.raises(TypeError, match=r"\[savetxt\] encoding: got 3"):
        jg.savetxt(latin, jg.ones(2), encoding=3)


def test_what_is_no_text_is_told_with_path_and_place(latin):
    where = rf"\[loadtxt\] at byte 6 of '{latin}'"
    with pytest.raises(UnicodeDecodeError, match=where):
        jg.loadtxt(latin, encoding="utf-8")
    with open(latin, "rb") as file, pytest.raises(UnicodeDecodeError, match=where):
        jg.loadtxt(file)
    with pytest.raises(UnicodeEncodeError, match=rf"\[savetxt\] in '{latin}'"):
        jg.savetxt(latin, jg.ones(2), header="\u03bc", encoding="latin1")
    assert jg.loadtxt(latin, encoding="latin1").shape == (2, 2)  # as it was


def test_closed_files_and_those_for_the_other_direction_are_named(latin):
    with open(latin, encoding="latin1") as file:
        pass
    with pytest.raises(ValueError, match=rf"\[loadtxt\] fname: '{latin}' is closed"):
        jg.loadtxt(file)
    with pytest.raises(ValueError, match=rf"\[savetxt\] fname: '{latin}' is closed"):
        jg.savetxt(file, jg.ones(2))
    message = rf"\[savetxt\] fname: '{latin}' was opened for reading only"
    with open(latin) as file, pytest.raises(OSError, match=message):
        jg.savetxt(file, jg.ones(2))
    message = rf"\[loadtxt\] fname: '{latin}' was opened for writing only"
    with open(latin, "a") as file, pytest.raises(OSError, match=message):
        jg.loadtxt(file)


def test_packed_tables_that_are_cut_short_or_not_packed_name_the_path(tmp_path):
    path = tmp_path / "x.txt.gz"
    jg.savetxt(path, jg.arange(99))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match=rf"\[loadtxt\] fname: '{path}': "):
        jg.loadtxt(path)
    path.write_bytes(b"1 2")
    with pytest.raises(OSError, match=rf"\[loadtxt\] '{path}': Not a gzipped file"):
        jg.loadtxt(path)
