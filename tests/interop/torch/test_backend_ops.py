# SPDX-License-Identifier: Apache-2.0
"""Every operator of the backend's table against torch, on torch's own samples."""

import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from lowered import DTYPES, compare, lowered, op_db, samples_of  # noqa: E402

from joggle._torch.aten import TABLE, row_of  # noqa: E402
from joggle._torch.backend import decompositions  # noqa: E402

HERE = Path(__file__).parent
_NAMES = {name.split(".")[0].strip("_") for name in TABLE}
_OPS = [
    op
    for op in op_db
    if {op.name.split(".")[-1].strip("_"), (op.aten_name or "").strip("_")} & _NAMES
]
_FEW = 3  # samples of an operator where sweeps are run in part


def _listed(name):
    """{what: reason} of a file with lines `what: reason`."""
    lines = (HERE / name).read_text().splitlines()
    rows = [line.split(": ", 1) for line in lines if line and not line.startswith("#")]
    return {what: reason for what, reason in rows}


_DIFFERING = _listed("backend_differing.txt")
_CASES = [
    pytest.param(
        op,
        dtype,
        id=f"{op.name}/{op.variant_test_name}-{str(dtype)[6:]}",
    )
    for op in _OPS
    for dtype in DTYPES
    if dtype in op.dtypes
]


def _differences(op, dtype, count, gradients):
    """How many samples were compared, and what differs, by the sample's number."""
    samples = samples_of(op, dtype, gradients)
    step = 1 if count is None else max(len(samples) // count, 1)
    found = {}
    for number in range(0, len(samples), step):
        sample = samples[number]
        try:
            args = (sample.input, *sample.args)
            wanted, got, graph = lowered(op.op, args, sample.kwargs, gradients)
            compare(got, wanted, has_strides=not gradients)
            assert not graph.refused
        except Exception as error:
            found[number] = f"{type(error).__name__}: {error}"
    return found


@pytest.mark.part(12)
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("op", "dtype"), _CASES)
def test_an_operator_agrees_with_torch_on_its_samples(op, dtype, in_full, request):
    warnings.simplefilter("ignore")
    name = request.node.callspec.id
    found = _differences(op, dtype, None if in_full else _FEW, False)
    if name not in _DIFFERING:
        assert not found, f"differing samples: {found}"
    elif in_full:
        assert found, f"{name} differs no more: take it out of backend_differing.txt"


@pytest.mark.part(12)
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "op",
    [
        pytest.param(op, id=f"{op.name}/{op.variant_test_name}")
        for op in _OPS
        if op.supports_autograd and torch.float64 in op.dtypes
    ],
)
def test_a_gradient_agrees_with_torch_on_its_samples(op, in_full, request):
    warnings.simplefilter("ignore")
    name = f"gradient of {request.node.callspec.id}"
    found = _differences(op, torch.float64, None if in_full else 1, True)
    if name not in _DIFFERING:
        assert not found, f"differing samples: {found}"
    elif in_full:
        assert found, f"{name} differs no more: take it out of backend_differing.txt"


def test_differing_samples_are_of_operators_of_the_table():
    known = {case.id for case in _CASES} | {
        f"gradient of {op.name}/{op.variant_test_name}" for op in _OPS
    }
    assert set(_DIFFERING) <= known


def test_core_operators_are_in_the_table_or_listed():
    absent = _listed("backend_absent.txt")
    missing = set()
    # dir(torch.ops.aten) has only what was used before, so the dispatcher is asked.
    names = {
        name.removeprefix("aten::").partition(".")[0]
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("aten::")
    }
    for name in names:
        packet = getattr(torch.ops.aten, name, None)
        for overload in packet.overloads() if packet is not None else ():
            op = getattr(packet, overload)
            is_core = torch.Tag.core in op.tags
            if is_core and row_of(op) is None and op not in decompositions():
                missing.add(str(op).removeprefix("aten."))
    assert missing == set(absent)
