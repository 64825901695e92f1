# SPDX-License-Identifier: Apache-2.0
"""What cannot be compiled is refused with file, line, the construct and what to write instead."""

import random
import re
import time

import numpy as np
import pytest

import joggle.fields as qd


def refused(kind, words, function, *arguments):
    """The kernel of function is refused with these words and the line marked `# here`."""
    source = qd.kernel(function)
    with pytest.raises(kind, match=re.escape(words)) as caught:
        source.lower(*arguments)
    lines = source.source.lines
    marked = [i for i, line in enumerate(lines) if line.endswith("# here")]
    place = f"{source.source.file}:{source.source.first + marked[0]}: in "
    assert str(caught.value).startswith(place), str(caught.value)
    assert lines[marked[0]].strip() in str(caught.value)


def test_statements_that_kernels_do_not_have_are_refused():
    field = qd.field(qd.f32, shape=4)

    def with_try(n: int):
        try:  # here
            field[0] = n
        except ValueError:
            field[0] = 1

    def with_with(n: int):
        with n:  # here
            pass

    def with_yield(n: int):
        yield n  # here

    def with_else(n: int):
        while n > 3:  # here
            break
        else:
            pass

    refused(SyntaxError, "the statement Try is not supported in kernels; ", with_try, 1)
    refused(SyntaxError, "the statement With is not supported in kernels; ", with_with, 1)
    refused(SyntaxError, "Yield is not supported in kernels; write the values", with_yield, 1)
    refused(SyntaxError, "else after a while loop is not supported; use a variable", with_else, 1)


def test_returns_inside_of_blocks_tell_what_to_write():
    def early(n: int) -> int:
        if n > 2:
            return 3  # here
        return 1

    refused(SyntaxError, "assign to a variable there, and return it at the end", early, 1)


def test_a_lambda_is_no_kernel_and_its_line_is_named():
    apart = qd.kernel(
        lambda: 3  # on a line of its own, which is no statement
    )
    for kernel in (qd.kernel(lambda: 3), apart):
        line = kernel.function.__code__.co_firstlineno
        with pytest.raises(SyntaxError, match=f"^{re.escape(__file__)}:{line}: in .*lambda.*a def"):
            kernel()


def test_names_that_ended_with_their_block_are_refused():
    def unknown(n: int) -> int:
        return n + nothing  # here # noqa: F821

    def inner(n: int) -> int:
        if n > 2:
            z = 3
        return z  # here

    source = qd.kernel(unknown)
    with pytest.raises(NameError, match='name "nothing" is not defined here'):
        source.lower(1)
    refused(NameError, "a variable lives in the block that assigns it first", inner, 1)


def test_type_errors_name_both_types_and_mark_the_expression():
    field = qd.field(qd.f32, shape=4)

    def bits(x: float) -> int:
        return 1 + (x & 3)  # here

    def shapes(n: int) -> int:
        return (qd.Vector([1, n]) + qd.Vector([1, 2, 3]))[0]  # here

    def assigned():
        v = qd.Vector([1.0, 2.0])
        v = qd.Vector([1.0, 2.0, 3.0])  # here
        field[0] = v[0]

    refused(TypeError, "operator &: got float32 and int32, allowed are integers and bools", bits, 1)
    refused(TypeError, "got a vector of 2 and a vector of 3", shapes, 1)
    refused(TypeError, "assignment: got a vector of 3 for a vector of 2", assigned)
    with pytest.raises(TypeError, match=r"\n +return 1 \+ \(x & 3\)  # here\n {16}\^{5}$"):
        qd.kernel(bits).lower(1)


def test_indices_are_checked_when_they_are_known():
    field = qd.field(qd.f32, shape=4)

    def count():
        field[0, 1] = 3  # here

    def broken(x: float):
        field[x] = 3  # here

    def outside():
        field[4] = 3  # here

    def sliced():
        field[1:3] = 3  # here

    refused(IndexError, "the array field, 1-d of float32: got 2 indices, allowed are 1", count)
    refused(TypeError, "index 0 of field: got a value of float32, allowed are integers", broken, 1)
    refused(IndexError, "index 0 of field: got 4, allowed 0 to below 4", outside)
    refused(TypeError, "slices of arrays are not supported; loop over the indices", sliced)


@qd.func
def _endless(n):
    return _endless(n - 1)


def test_recursion_is_refused():
    def start() -> int:
        return _endless(3)

    with pytest.raises(SyntaxError, match="_endless calls itself; kernels have no recursion"):
        qd.kernel(start).lower()


def test_what_must_be_known_when_compiling_is_refused_otherwise():
    field = qd.field(qd.f32, shape=4)

    def loop(n: int) -> int:
        for _ in qd.static(range(n)):  # here
            pass
        return 1

    def listed(n: int) -> int:
        fields = [field, field]
        return fields[n][0]  # here

    def leave(n: int):
        for _ in qd.static(range(3)):
            if n > 3:
                break  # here

    refused(TypeError, "must be known at compile time", loop, 1)
    refused(TypeError, "use the variable of a loop over static(...)", listed, 1)
    refused(SyntaxError, "break of a loop over static(...) under a condition known only", leave, 1)


def test_numbers_that_do_not_fit_their_default_type_are_refused():
    def big() -> int:
        return 3000000000  # here

    refused(ValueError, "give it a wider type, as in i64(3000000000)", big)


def test_functions_of_python_that_decide_are_refused():
    def decide(x):
        return 1 if x > 3 else 2

    def call(n: int) -> int:
        return decide(n)  # here

    refused(TypeError, "write the function with @func", call, 1)


def test_results_need_an_annotation_and_annotations_a_result():
    field = qd.field(qd.f32, shape=4)

    def unannotated(n: int):
        return n  # here

    def nothing(n: int) -> int:  # here
        field[0] = n

    refused(TypeError, "a returned value needs an annotation", unannotated, 1)
    refused(TypeError, "is annotated with a result and returns none", nothing, 1)


def test_arguments_are_compared_with_their_annotations():
    @qd.kernel
    def take(x: qd.types.ndarray(qd.f32, 1)):
        pass

    with pytest.raises(
        TypeError, match="argument x: got an array of float64, allowed is float32, as"
    ):
        take(np.ones(3))
    with pytest.raises(
        TypeError, match="argument x: got 2 dimensions, allowed are 1, as the annotation"
    ):
        take(np.ones((3, 3), np.float32))
    with pytest.raises(TypeError, match=r"\] \w+: got int for an array; allowed are fields"):
        take(3)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        take()


def test_parameters_need_annotations():
    @qd.kernel
    def take(x):
        pass

    with pytest.raises(TypeError, match="parameter x needs an annotation"):
        take(1)


def test_bounds_are_checked_in_debug_mode(tier):
    x = qd.field(qd.i32, shape=(3, 4), name="heights")

    @qd.kernel
    def touch(i: int, j: int):
        x[i, j] += 1

    touch(2, 3)
    qd.init(debug=True)
    x = qd.field(qd.i32, shape=(3, 4), name="heights")
    touch(2, 3)
    with pytest.raises(IndexError, match="index 1 of heights: got 4, allowed 0 to"):
        touch(2, 4)
    with pytest.raises(IndexError, match="index 0 of heights: got -1, allowed 0"):
        touch(-1, 0)


def test_overflow_of_integers_is_reported_in_debug_mode(tier):
    @qd.kernel
    def add(a: int, b: int) -> int:
        return a * b + 1

    assert add(1 << 16, 1 << 15) == -(1 << 31) + 1
    qd.init(debug=True)
    with pytest.raises(AssertionError, match=r"int32 65536 \* 32768 overflows"):
        add(1 << 16, 1 << 15)


def test_operators_name_both_operands_and_loops_what_they_take():
    struct = qd.types.struct(a=qd.f32)

    def text(n: int):
        print(qd.Vector([1.0, n]) + "x")  # here

    def record(n: int):
        s = struct(a=1)
        print(s + n)  # here

    def product(n: int):
        print(n @ n)  # here

    def counted(n: int):
        for _ in n:  # here
            pass

    refused(TypeError, "operator +: got a vector of 2 and str 'x', allowed are numbers", text, 1)
    refused(TypeError, "operator +: got a struct of a and a value of int32, allowed", record, 1)
    refused(TypeError, "operator @: got a value of int32 and a value of int32", product, 1)
    refused(TypeError, "for: got a value of int32, allowed are range, ndrange", counted, 1)


@pytest.mark.parametrize("dtype", [qd.i8, qd.i16, qd.i32, qd.i64, qd.u8, qd.u32], ids=str)
def test_overflow_is_reported_for_every_width(tier, dtype):
    qd.init(debug=True)
    most = 2 ** (dtype.bits - qd.types.is_signed(dtype)) - 1

    @qd.kernel
    def add(a: dtype, b: dtype) -> dtype:
        return a + b

    @qd.kernel
    def shift(a: dtype, b: dtype) -> dtype:
        return a << b

    @qd.kernel
    def negate(a: dtype) -> dtype:
        return -a

    assert add(most - 1, 1) == most and shift(3, 2) == 12
    with pytest.raises(AssertionError, match=rf"{dtype.name} {most} \+ 1 overflows"):
        add(most, 1)
    with pytest.raises(AssertionError, match=rf"{dtype.name} 3 << {dtype.bits - 1} overflows"):
        shift(3, dtype.bits - 1)
    if qd.types.is_signed(dtype):
        with pytest.raises(AssertionError, match=rf"{dtype.name} 0 - -{most + 1} overflows"):
            negate(-most - 1)


def test_indices_into_vectors_are_checked_in_debug_mode(tier):
    qd.init(debug=True)
    v = qd.Matrix.field(2, 3, qd.i32, shape=2)

    @qd.kernel
    def put(i: int, j: int):
        v[1][i, j] = 5

    @qd.kernel
    def get(i: int) -> int:
        return qd.Vector([1, 2, 3])[i]

    put(1, 2)
    assert v[1][1, 2] == 5 and get(2) == 3
    with pytest.raises(IndexError, match="index 1 of a 2 by 3 matrix: got 3, allowed 0 to below 3"):
        put(0, 3)
    with pytest.raises(IndexError, match="index 0 of a vector of 3: got -1, allowed 0 to below 3"):
        get(-1)


def test_a_negative_constant_beside_a_value_counts_from_the_end(tier):
    m = qd.Matrix.field(2, 3, qd.i32, shape=1)

    @qd.kernel
    def run(j: int) -> int:
        m[0][-1, j] = 7
        return qd.Matrix([[1, 2, 3], [4, 5, 6]])[-1, j]

    def outside(j: int):
        m[0][2, j] = 7  # here

    assert run(1) == 5 and m[0].to_list() == [[0, 0, 0], [0, 7, 0]]
    refused(IndexError, "index 0 of a 2 by 3 matrix: got 2, allowed -2 to 1", outside, 1)


def test_functions_of_python_that_change_from_call_to_call_are_refused():
    field = qd.field(qd.f32, shape=4)

    def draw():
        field[0] = random.random()  # here

    def draw_numbers():
        field[0] = np.random.rand()  # here

    def ask():
        field[0] = time.time()  # here

    def numpys():
        field[0] = np.sin(field[1])  # here

    refused(TypeError, "would be called once, when compiling; use random", draw)
    refused(TypeError, "would be called once, when compiling; use random", draw_numbers)
    refused(TypeError, "would be called once, when compiling; hand the time over", ask)
    refused(TypeError, "sin of NumPy: got a value of float32", numpys)


def test_the_length_of_an_array_is_its_first_extent():
    @qd.kernel
    def lengths(x: qd.types.ndarray(), y: qd.template()) -> int:
        return len(x) * 10 + len(y)

    assert lengths(np.zeros((3, 2)), qd.field(qd.f32, (4, 5))) == 34

    def of_a_number(n: int):
        n = len(n)  # here

    refused(TypeError, "len: a value of int32 has no length", of_a_number, 3)
